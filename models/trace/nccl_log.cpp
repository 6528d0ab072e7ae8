// SPDX-License-Identifier: Apache-2.0
// An NCCL debug log as a workload: which rank enqueued what, on which communicator
// (docs/formats.md). Leaves out: compute between ops and all times; the log has none.
#include <numeric>

#include "kernel/error.h"
#include "trace/formats.h"
#include "trace/nccl_comms.h"
#include "trace/nccl_line.h"
#include "trace/nccl_rank.h"

namespace sluice {
namespace {

class LogImporter {
 public:
  LogImporter(const std::vector<TraceSource>& sources, const std::string& name)
      : sources_(sources), comms_(sources, texts_) {
    result_.format = "nccl-log";
    result_.workload.source = name;
  }

  TraceImport run() {
    read_lines();
    comms_.mend_hosts(records_);
    attribute();
    comms_.finish(result_.notes);
    if (ops_ == 0)
      throw TraceError(fmt::format(
          "{}: {} NCCL lines, {} communicators, but no op that can be "
          "attributed (NCCL_DEBUG_SUBSYS=INIT,COLL prints them); {} torn",
          result_.workload.source, nccl_lines_, comms_.communicators().size(), torn_lines_));
    make_groups();
    ranks_.resize(comms_.rank_count());
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (instance_of_[i] != kNoIndex) add(records_[i], comms_.instance(instance_of_[i]));
    for (NcclRank& rank : ranks_) result_.workload.ranks.push_back(rank.take());
    add_notes();
    return std::move(result_);
  }

 private:
  void read_lines() {
    NcclLineParser parser(texts_, [this](const NcclRecord& record) { records_.push_back(record); });
    std::string text;
    for (std::uint32_t file = 0; file < sources_.size(); ++file) {
      ByteReader reader(sources_[file]);
      const std::uint64_t before = parser.nccl_lines();
      for (std::uint64_t line = 1; reader.read_line(text); ++line)
        parser.parse(reader.name(), file, line, text);
      if (parser.nccl_lines() == before)
        throw TraceError(
            fmt::format("{}: {} B of text without a line that says 'NCCL INFO': not an "
                        "NCCL debug log",
                        reader.name(), reader.size()));
    }
    nccl_lines_ = parser.nccl_lines();
    torn_lines_ = parser.torn().size();
    if (torn_lines_ != 0) first_torn_ = parser.torn().front();
  }

  void attribute() {
    for (const NcclRecord& record : records_) {
      instance_of_.push_back(comms_.take(record));
      if (record.kind != NcclRecord::Kind::kOp) continue;
      if (instance_of_.back() != kNoIndex) {
        ++ops_;
      } else {
        if (torn_lines_++ == 0) first_torn_ = record.line;
      }
    }
  }

  void make_groups() {
    Workload& workload = result_.workload;
    for (std::uint32_t c = 0; c < comms_.communicators().size(); ++c) {
      const NcclCommunicator& comm = comms_.communicators()[c];
      groups_.push_back(kNoGroup);
      if (comm.ops == 0) continue;
      groups_.back() = static_cast<std::uint32_t>(workload.groups.size());
      Group group{c == comms_.world() ? "world" : comm.name, {}};
      for (const std::uint32_t index : comm.instances)
        group.ranks.push_back(comms_.instance(index).global);
      workload.groups.push_back(std::move(group));
    }
  }

  [[noreturn]] void fail(const NcclRecord& record, const std::string& what) const {
    throw TraceError(fmt::format("{}: line {}: {}: {}", sources_[record.file].name, record.line,
                                 op_kind_name(record.op), what));
  }

  std::uint64_t bytes_of(const NcclRecord& record, std::uint64_t nranks) const {
    std::uint64_t bytes = 0;
    const bool per_rank = record.op == OpKind::kAllGather || record.op == OpKind::kReduceScatter ||
                          record.op == OpKind::kAllToAll || record.op == OpKind::kGather ||
                          record.op == OpKind::kScatter;
    if (__builtin_mul_overflow(record.count, nccl_element_bytes(record.datatype), &bytes) ||
        __builtin_mul_overflow(bytes, per_rank ? nranks : 1, &bytes) || bytes > INT64_MAX)
      fail(record, fmt::format("count {} is more than 2^63 B", record.count));
    return bytes;
  }

  void add(const NcclRecord& record, const NcclInstance& instance) {
    Workload& workload = result_.workload;
    const std::uint32_t group = groups_[instance.communicator];
    const auto& ranks = workload.groups[group].ranks;
    Op op;
    op.kind = record.op;
    op.bytes = bytes_of(record, instance.nranks);
    op.source = record.line;
    const bool message = !is_collective(record.op);
    if (message || is_rooted(record.op)) {
      if (record.rank >= ranks.size())
        fail(record, fmt::format("root {} of {} ranks", record.rank, ranks.size()));
      op.peer = ranks[record.rank];
    }
    if (message) {
      op.tag = group;  // keeps the messages of different communicators apart
    } else {
      op.group = group;
      op.tag = static_cast<std::uint32_t>(record.op_count);
    }
    const char* skip = instance.nranks == 1                    ? "one rank"
                       : message && op.peer == instance.global ? "to itself"
                       : op.bytes == 0                         ? "zero bytes"
                                                               : nullptr;
    if (skip != nullptr) {
      const std::uint64_t bytes = bytes_put_in(workload, instance.global, op);
      workload.ledger.bytes_in += bytes;
      workload.ledger.skip(skip, bytes);
      ++skipped_;
    } else if (message) {
      ranks_[instance.global].add_message(group, record.stream, record.op_count, op);
    } else {
      ranks_[instance.global].add_collective(group, record.stream, op);
    }
  }

  void add_notes() {
    auto& notes = result_.notes;
    notes.push_back(fmt::format("{} ops in: {} executed, {} skipped; {} ranks, {} communicators",
                                ops_, ops_ - skipped_, skipped_, comms_.rank_count(),
                                comms_.communicators().size()));
    if (torn_lines_ != 0)
      notes.push_back(
          fmt::format("{} torn op lines could not be attributed, the first at line {}: "
                      "the ops are lost, a run may stall on them",
                      torn_lines_, first_torn_));
    if (comms_.attributed_by_pointer() != 0)
      notes.push_back(
          fmt::format("{} ops without prefix attributed by their communicator's pointer",
                      comms_.attributed_by_pointer()));
  }

  const std::vector<TraceSource>& sources_;
  TextTable texts_;
  NcclComms comms_;
  std::vector<NcclRecord> records_;
  std::vector<std::uint32_t> instance_of_;  ///< of each record
  std::vector<std::uint32_t> groups_;       ///< of each communicator
  std::vector<NcclRank> ranks_;
  TraceImport result_;
  std::uint64_t nccl_lines_ = 0;
  std::uint64_t torn_lines_ = 0;
  std::uint64_t first_torn_ = 0;
  std::uint64_t ops_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace

TraceImport import_nccl_log(const std::vector<TraceSource>& sources, const std::string& name) {
  return LogImporter(sources, name).run();
}

}  // namespace sluice
