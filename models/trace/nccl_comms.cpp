// SPDX-License-Identifier: Apache-2.0
// Who is who in an NCCL log: processes, their communicators, and each one's global rank.
// Leaves out: the ops themselves.
#include "trace/nccl_comms.h"

#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

std::uint64_t pair_key(std::uint64_t high, std::uint64_t low) { return high << 32 | low; }

struct HostUse {
  std::uint64_t lines = 0;
  bool at_start = false;
};

}  // namespace

std::string NcclComms::place(const NcclInstance& instance) const {
  return fmt::format("{}: line {}", sources_[instance.file].name, instance.line);
}

void NcclComms::mend_hosts(std::vector<NcclRecord>& records) {
  std::map<std::uint32_t, std::map<std::uint32_t, HostUse>> uses;  // pid -> host -> use
  for (const NcclRecord& record : records) {
    if (record.host == 0) continue;
    HostUse& use = uses[record.pid][record.host];
    ++use.lines;
    use.at_start |= record.at_start;
  }
  std::map<Key, std::uint32_t> mended;
  for (const auto& [pid, hosts] : uses) {
    for (const auto& [host, use] : hosts) {
      if (use.at_start) continue;
      const std::string& glued = texts_.text(host);
      std::uint32_t best = 0;
      for (const auto& [other, other_use] : hosts) {
        const std::string& name = texts_.text(other);
        if (other != host && glued.ends_with(name) &&
            (other_use.at_start || other_use.lines > 10 * use.lines) &&
            name.size() > texts_.text(best).size())
          best = other;
      }
      if (best != 0) mended[{pid, host}] = best;
    }
  }
  for (NcclRecord& record : records) {
    const auto at = mended.find({record.pid, record.host});
    if (at != mended.end()) record.host = at->second;
    if (record.kind != NcclRecord::Kind::kInit) continue;
    auto& files = init_files_[{record.host, record.pid}];
    if (files.empty() || files.back() != record.file) files.push_back(record.file);
  }
}

/// The same host and pid in several files with INIT lines are different processes (containers).
std::uint32_t NcclComms::process_of(const NcclRecord& record) {
  const auto files = init_files_.find({record.host, record.pid});
  const bool by_file = files != init_files_.end() && files->second.size() > 1;
  const Key key{pair_key(record.host, record.pid), by_file ? record.file + 1 : 0};
  return processes_.try_emplace(key, static_cast<std::uint32_t>(processes_.size())).first->second;
}

std::uint32_t NcclComms::take(const NcclRecord& record) {
  if (record.kind == NcclRecord::Kind::kOp) return take_op(record);
  if (record.kind == NcclRecord::Kind::kInit) {
    take_init(record);
    return kNoIndex;
  }
  const auto at = latest_.find({process_of(record), record.pointer});
  if (at != latest_.end()) instances_[at->second].ended = true;
  return kNoIndex;
}

void NcclComms::take_init(const NcclRecord& record) {
  constexpr std::uint32_t kMaxRanks = 1 << 20;
  if (record.nranks > kMaxRanks)
    throw TraceError(fmt::format("{}: line {}: communicator of {} ranks; at most {} are taken",
                                 sources_[record.file].name, record.line, record.nranks,
                                 kMaxRanks));
  const std::uint32_t process = process_of(record);
  const auto [at, is_new] = latest_.try_emplace({process, record.pointer}, 0);
  if (!is_new) {
    NcclInstance& known = instances_[at->second];
    const bool same =
        !known.ended && known.rank == record.rank && known.nranks == record.nranks &&
        (known.comm_id == 0 || record.comm_id == 0 || known.comm_id == record.comm_id);
    if (same) {
      if (known.comm_id == 0) known.comm_id = record.comm_id;
      if (known.device < 0) known.device = record.device;
      return;
    }
    const std::string& pointer = texts_.text(record.pointer);
    if (!known.ended && !pointer.starts_with("0x"))
      throw TraceError(fmt::format(
          "{}: line {}: second communicator of process {}:{} with the "
          "pointer '{}': redacted pointers do not tell them apart",
          sources_[record.file].name, record.line, texts_.text(record.host), record.pid, pointer));
  }
  at->second = static_cast<std::uint32_t>(instances_.size());
  NcclInstance instance;
  instance.process = process;
  instance.pointer = record.pointer;
  instance.rank = record.rank;
  instance.nranks = record.nranks;
  instance.device = record.device;
  instance.comm_id = record.comm_id;
  instance.file = record.file;
  instance.line = record.line;
  instances_.push_back(instance);
}

std::uint32_t NcclComms::only_with_pointer(std::uint32_t pointer) const {
  std::uint32_t found = kNoIndex;
  for (const auto& [key, index] : latest_) {
    if (key.second != pointer) continue;
    if (found != kNoIndex) return kNoIndex;
    found = index;
  }
  return found;
}

std::uint32_t NcclComms::take_op(const NcclRecord& record) {
  std::uint32_t index = kNoIndex;
  if (record.host == 0) {
    index = only_with_pointer(record.pointer);
    if (index == kNoIndex) return kNoIndex;
    ++attributed_by_pointer_;
  } else {
    const auto at = latest_.find({process_of(record), record.pointer});
    if (at == latest_.end())
      throw TraceError(
          fmt::format("{}: line {}: {} on communicator {} of process {}:{}, whose INIT "
                      "line is not in the log: rank and group are unknown",
                      sources_[record.file].name, record.line, op_kind_name(record.op),
                      texts_.text(record.pointer), texts_.text(record.host), record.pid));
    index = at->second;
  }
  NcclInstance& instance = instances_[index];
  if (record.nranks != 0 && record.nranks != instance.nranks)
    throw TraceError(
        fmt::format("{}: line {}: {} with nranks={}, but communicator {} was "
                    "initialised with {} ranks (line {})",
                    sources_[record.file].name, record.line, op_kind_name(record.op), record.nranks,
                    texts_.text(record.pointer), instance.nranks, instance.line));
  ++instance.ops;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(record.op), record.count, std::uint64_t{record.datatype}})
    instance.signature = mix64(instance.signature * 31 + part + 1);
  return index;
}

void NcclComms::join(std::uint32_t communicator, std::uint32_t instance) {
  NcclInstance& joining = instances_[instance];
  NcclCommunicator& comm = communicators_[communicator];
  if (comm.instances.empty()) comm.instances.assign(joining.nranks, kNoIndex);
  if (comm.instances.size() != joining.nranks)
    throw TraceError(fmt::format("{}: {} has {} ranks here and {} elsewhere", place(joining),
                                 comm.name, joining.nranks, comm.instances.size()));
  std::uint32_t& slot = comm.instances[joining.rank];
  if (slot != kNoIndex)
    throw TraceError(fmt::format("{}: second rank {} of {}; the first is at {}", place(joining),
                                 joining.rank, comm.name, place(instances_[slot])));
  slot = instance;
  joining.communicator = communicator;
  comm.ops += joining.ops;
}

void NcclComms::group_by_id() {
  std::unordered_map<std::uint32_t, std::uint32_t> by_id;
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    const std::uint32_t id = instances_[i].comm_id;
    if (id == 0) continue;
    const auto [at, is_new] =
        by_id.try_emplace(id, static_cast<std::uint32_t>(communicators_.size()));
    if (is_new) communicators_.push_back({fmt::format("communicator {}", texts_.text(id)), {}, 0});
    join(at->second, i);
  }
}

/// Logs before 2.17: nothing but the number of ranks and the sequence of ops is common to all.
void NcclComms::group_without_id() {
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_size;
  for (std::uint32_t i = 0; i < instances_.size(); ++i)
    if (instances_[i].comm_id == 0) by_size[instances_[i].nranks].push_back(i);
  for (const auto& [nranks, members] : by_size) {
    std::vector<std::uint32_t> of_rank(nranks, 0);
    for (const std::uint32_t member : members) ++of_rank[instances_[member].rank];
    if (*std::max_element(of_rank.begin(), of_rank.end()) > 1) {
      group_by_signature(nranks, members);
      continue;
    }
    communicators_.push_back(
        {fmt::format("communicator of {} ranks without commId", nranks), {}, 0});
    for (const std::uint32_t member : members)
      join(static_cast<std::uint32_t>(communicators_.size() - 1), member);
  }
}

void NcclComms::group_by_signature(std::uint32_t nranks,
                                   const std::vector<std::uint32_t>& members) {
  std::map<std::uint64_t, std::uint32_t> by_signature;
  for (const std::uint32_t member : members) {
    const NcclInstance& instance = instances_[member];
    const auto [at, is_new] = by_signature.try_emplace(
        instance.signature, static_cast<std::uint32_t>(communicators_.size()));
    if (is_new)
      communicators_.push_back(
          {fmt::format("communicator of {} ranks first seen in line {}", nranks, instance.line),
           {},
           0});
    const auto& slots = communicators_[at->second].instances;
    if (!slots.empty() && slots[instance.rank] != kNoIndex)
      throw TraceError(
          fmt::format("{}: several communicators of {} ranks run the same ops and the "
                      "log has no commId: which ranks belong together is unknown",
                      place(instance), nranks));
    join(at->second, member);
  }
}

void NcclComms::find_world() {
  for (std::uint32_t c = 1; c < communicators_.size(); ++c)
    if (communicators_[c].instances.size() > communicators_[world_].instances.size()) world_ = c;
}

void NcclComms::check_complete() const {
  for (std::uint32_t c = 0; c < communicators_.size(); ++c) {
    const NcclCommunicator& comm = communicators_[c];
    if (comm.ops == 0 && c != world_) continue;
    const auto missing = std::find(comm.instances.begin(), comm.instances.end(), kNoIndex);
    if (missing == comm.instances.end()) continue;
    throw TraceError(fmt::format(
        "{}: rank {} of {} ({} ranks) has no INIT line in the log: the log "
        "of that rank is missing",
        sources_.front().name, missing - comm.instances.begin(), comm.name, comm.instances.size()));
  }
}

/// A process and a device are a rank; those outside the largest communicator follow its ranks.
void NcclComms::number_ranks(std::vector<std::string>& notes) {
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> by_device;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_process;
  const auto number = [&](NcclInstance& instance, std::uint32_t global) {
    instance.global = global;
    by_device.try_emplace({instance.process, instance.device}, global);
    by_process[instance.process].push_back(global);
  };
  for (const std::uint32_t index : communicators_[world_].instances)
    number(instances_[index], rank_count_++);
  const std::uint32_t inside = rank_count_;
  for (NcclInstance& instance : instances_) {
    if (instance.global != kNoIndex) continue;
    const auto device = by_device.find({instance.process, instance.device});
    const auto process = by_process.find(instance.process);
    if (instance.device >= 0 && device != by_device.end()) {
      instance.global = device->second;
    } else if (process == by_process.end()) {
      number(instance, rank_count_++);
    } else if (process->second.size() == 1) {
      instance.global = process->second.front();
    } else if (instance.device >= 0) {
      number(instance, rank_count_++);
    } else {
      throw TraceError(
          fmt::format("{}: rank {} of {} ranks: its process has several ranks and the "
                      "line does not say which device",
                      place(instance), instance.rank, instance.nranks));
    }
  }
  if (rank_count_ > inside)
    notes.push_back(
        fmt::format("ranks {}..{} are outside the largest communicator, in order of "
                    "appearance; if they are another run, give it alone",
                    inside, rank_count_ - 1));
}

void NcclComms::finish(std::vector<std::string>& notes) {
  group_by_id();
  group_without_id();
  if (communicators_.empty()) return;
  find_world();
  check_complete();
  number_ranks(notes);
}

}  // namespace sluice
