// SPDX-License-Identifier: Apache-2.0
#include "host/run_recorder.h"

#include <algorithm>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

constexpr std::size_t kMismatchTexts = 16;

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

}  // namespace

std::size_t RunRecorder::PairHash::operator()(const PointToPoint& key) const {
  return mix64(mix64(join(key.source, key.destination)) ^ join(key.tag, key.ordinal));
}

RunRecorder::RunRecorder(const WorkloadPlan& plan)
    : plan_(plan), instances_(plan.instance_count()) {}

void RunRecorder::collective_started(std::uint32_t instance, const Op& op, std::uint32_t ranks,
                                     Ps now) {
  Instance& at = instances_[instance];
  at.first_start = std::min(at.first_start, now);
  at.bytes = std::max(at.bytes, op.bytes);
  at.ranks = ranks;
  at.kind = op.kind;
}

void RunRecorder::collective_ended(std::uint32_t instance, Ps now) {
  Instance& at = instances_[instance];
  at.last_end = std::max(at.last_end, now);
  ++at.ended;
}

void RunRecorder::point_to_point_started(const PointToPoint& key, std::uint64_t bytes, Ps now) {
  Pair& pair = pairs_[key];
  pair.first_start = std::min(pair.first_start, now);
  pair.bytes = std::max(pair.bytes, bytes);
}

void RunRecorder::point_to_point_ended(const PointToPoint& key, Ps now) {
  const auto at = pairs_.find(key);
  SLUICE_CHECK(at != pairs_.end(), "send_recv {}->{} ended before it started", key.source,
               key.destination);
  at->second.last_end = std::max(at->second.last_end, now);
  ++at->second.ended;
  if (at->second.ended == 2) {
    fold_pair(key, at->second);
    pairs_.erase(at);
  }
}

void RunRecorder::fold_pair(const PointToPoint& key, const Pair& pair) {
  add_to(rows_, OpKind::kSend, pair.bytes, key.source == key.destination ? 1 : 2,
         pair.last_end - pair.first_start);
}

void RunRecorder::write_ended(std::uint64_t bytes, bool to_itself, Ps start, Ps now) {
  add_to(rows_, OpKind::kWrite, bytes, to_itself ? 1 : 2, now - start);
}

void RunRecorder::op_ended(std::uint32_t rank, std::uint32_t op_index, const Op& op, Ps now) {
  ++ops_ended_;
  bytes_simulated_ += bytes_put_in(plan_.workload(), rank, op);
  hash_ += mix64(mix64(join(rank, op_index) + 1) ^ now.value);
  last_end_ = std::max(last_end_, now);
}

void RunRecorder::op_skipped(std::uint32_t rank, const Op& op, std::string_view reason) {
  auto at = skipped_.find(reason);
  if (at == skipped_.end()) {
    at = skipped_.emplace(std::string(reason), SkippedOps{std::string(reason), 0, 0}).first;
  }
  const std::uint64_t bytes = bytes_put_in(plan_.workload(), rank, op);
  at->second.bytes += bytes;
  ++at->second.ops;
  bytes_simulated_ -= bytes;  // op_ended adds them
}

void RunRecorder::message_received(std::uint32_t rank, std::uint64_t key, Ps now) {
  ++messages_received_;
  hash_ += mix64(mix64(key ^ mix64(rank + 0x100000001ULL)) ^ now.value);
}

void RunRecorder::mismatch(std::string text) {
  ++mismatch_count_;
  if (mismatches_.size() < kMismatchTexts) mismatches_.push_back(std::move(text));
}

void RunRecorder::add_to(Rows& rows, OpKind kind, std::uint64_t bytes, std::uint32_t ranks,
                         Ps time) {
  OpRow& row = rows[{kind, bytes, ranks}];
  row.kind = kind;
  row.bytes = bytes;
  row.ranks = ranks;
  ++row.count;
  row.total += time;
  row.shortest = std::min(row.shortest, time);
  row.longest = std::max(row.longest, time);
}

std::vector<OpRow> RunRecorder::rows() const {
  Rows rows = rows_;
  for (const Instance& at : instances_) {
    if (at.ended == 0 || at.ended != at.ranks) continue;
    add_to(rows, at.kind, at.bytes, at.ranks, at.last_end - at.first_start);
  }
  std::vector<OpRow> result;
  result.reserve(rows.size());
  for (const auto& [key, row] : rows) result.push_back(row);
  return result;
}

Ledger RunRecorder::ledger(std::string_view unfinished, bool complete) const {
  Ledger ledger = plan_.workload().ledger;
  for (const auto& [reason, ops] : skipped_) {
    ledger.bytes_skipped += ops.bytes;
    ledger.skipped.push_back(ops);
  }
  const std::uint64_t accounted = bytes_simulated_ + ledger.bytes_skipped;
  SLUICE_CHECK(!complete || accounted == ledger.bytes_in,
               "ledger: {} B came in, but {} B simulated + {} B skipped", ledger.bytes_in,
               bytes_simulated_, ledger.bytes_skipped);
  const std::uint64_t open_ops = plan_.total_ops() - ops_ended_;
  if (!complete && !unfinished.empty() && open_ops != 0) {
    const std::uint64_t open = ledger.bytes_in > accounted ? ledger.bytes_in - accounted : 0;
    ledger.bytes_skipped += open;
    ledger.skipped.push_back({std::string(unfinished), open, open_ops});
  }
  return ledger;
}

void RunRecorder::merge(const RunRecorder& other) {
  SLUICE_CHECK(instances_.size() == other.instances_.size(), "recorders of two different plans");
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Instance& from = other.instances_[i];
    if (from.ranks == 0) continue;
    Instance& at = instances_[i];
    at.first_start = std::min(at.first_start, from.first_start);
    at.last_end = std::max(at.last_end, from.last_end);
    at.bytes = std::max(at.bytes, from.bytes);
    at.ranks = from.ranks;
    at.ended += from.ended;
    at.kind = from.kind;
  }
  for (const auto& [key, from] : other.pairs_) {
    Pair& pair = pairs_[key];
    pair.first_start = std::min(pair.first_start, from.first_start);
    pair.last_end = std::max(pair.last_end, from.last_end);
    pair.bytes = std::max(pair.bytes, from.bytes);
    pair.ended += from.ended;
    if (pair.ended == 2) {
      fold_pair(key, pair);
      pairs_.erase(key);
    }
  }
  for (const auto& [key, from] : other.rows_) {
    OpRow& row = rows_[key];
    row.kind = from.kind;
    row.bytes = from.bytes;
    row.ranks = from.ranks;
    row.count += from.count;
    row.total += from.total;
    row.shortest = std::min(row.shortest, from.shortest);
    row.longest = std::max(row.longest, from.longest);
  }
  for (const auto& [reason, from] : other.skipped_) {
    SkippedOps& ops = skipped_[reason];
    ops.reason = reason;
    ops.bytes += from.bytes;
    ops.ops += from.ops;
  }
  ops_ended_ += other.ops_ended_;
  messages_sent_ += other.messages_sent_;
  messages_received_ += other.messages_received_;
  network_bytes_ += other.network_bytes_;
  bytes_simulated_ += other.bytes_simulated_;
  hash_ += other.hash_;
  mismatch_count_ += other.mismatch_count_;
  for (const std::string& text : other.mismatches_) {
    if (mismatches_.size() < kMismatchTexts) mismatches_.push_back(text);
  }
  last_end_ = std::max(last_end_, other.last_end_);
}

}  // namespace sluice
