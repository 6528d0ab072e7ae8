// SPDX-License-Identifier: Apache-2.0
// What the ranks of a process report while they run: ops started and ended, messages, bytes, sizes
// that do not match. Everything is a sum, a minimum or a maximum, so the order of reports and the
// split over processes do not matter. Leaves out: reading it out to files (results/).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/workload_plan.h"
#include "kernel/time.h"
#include "workload/workload.h"

namespace sluice {

/// All ended instances of one (kind, bytes, ranks). Send and recv are one instance, kind kSend.
struct OpRow {
  OpKind kind = OpKind::kCompute;
  std::uint64_t bytes = 0;  ///< as nccl-tests defines size; uneven all-to-all: the largest rank's
  std::uint32_t ranks = 0;
  std::uint64_t count = 0;
  Ps total{};  ///< sum over instances of (first rank's start .. last rank's end)
  Ps shortest = kNever;
  Ps longest{};

  Ps mean() const { return count == 0 ? Ps{} : total / count; }
};

/// A message between two ranks, by (source, destination, tag, ordinal among equal ones).
struct PointToPoint {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::uint32_t tag = 0;
  std::uint32_t ordinal = 0;
  bool operator==(const PointToPoint&) const = default;
};

class RunRecorder {
 public:
  explicit RunRecorder(const WorkloadPlan& plan);

  void collective_started(std::uint32_t instance, const Op& op, std::uint32_t ranks, Ps now);
  void collective_ended(std::uint32_t instance, Ps now);
  void point_to_point_started(const PointToPoint& key, std::uint64_t bytes, Ps now);
  void point_to_point_ended(const PointToPoint& key, Ps now);
  void write_ended(std::uint64_t bytes, bool to_itself, Ps start, Ps now);
  /// Every op, compute too, once it has ended.
  void op_ended(std::uint32_t rank, std::uint32_t op_index, const Op& op, Ps now);
  /// An op that ended without a byte on the network, and why; its bytes move to the skipped side.
  void op_skipped(std::uint32_t rank, const Op& op, std::string_view reason);
  /// A write of `bytes` from one rank to another; `key` tells apart those of one pair.
  void message_sent(std::uint64_t bytes) {
    ++messages_sent_;
    network_bytes_ += bytes;
  }
  void message_received(std::uint32_t rank, std::uint64_t key, Ps now);
  /// A message whose size or place the receiving rank did not expect; the run counts as stalled.
  void mismatch(std::string text);

  std::uint64_t ops_ended() const { return ops_ended_; }
  std::uint64_t messages_sent() const { return messages_sent_; }
  std::uint64_t messages_received() const { return messages_received_; }
  std::uint64_t network_bytes() const { return network_bytes_; }  ///< payload given to NICs
  std::uint64_t completion_hash() const { return hash_; }
  Ps last_end() const { return last_end_; }
  std::uint64_t mismatch_count() const { return mismatch_count_; }
  /// The first few texts; each reads "mismatch 4->17: sent 0, expected 1597440" or alike.
  const std::vector<std::string>& mismatches() const { return mismatches_; }

  /// Rows in the order (kind, bytes, ranks).
  std::vector<OpRow> rows() const;
  /// Bytes put in by ops that have ended and were not skipped.
  std::uint64_t bytes_simulated() const { return bytes_simulated_; }
  /// The workload's ledger with the ops skipped at run time and, when `unfinished` is not empty,
  /// all that has not ended, under that reason. bytes_in == bytes_simulated + bytes_skipped is
  /// checked (InvariantError) when `complete`.
  Ledger ledger(std::string_view unfinished, bool complete) const;

  /// Adds what the ranks of another process have recorded for the same plan.
  void merge(const RunRecorder& other);

 private:
  struct Instance {
    Ps first_start = kNever;
    Ps last_end{};
    std::uint64_t bytes = 0;
    std::uint32_t ranks = 0;
    std::uint32_t ended = 0;
    OpKind kind = OpKind::kCompute;
  };
  struct Pair {
    Ps first_start = kNever;
    Ps last_end{};
    std::uint64_t bytes = 0;
    std::uint32_t ended = 0;
  };
  struct PairHash {
    std::size_t operator()(const PointToPoint& key) const;
  };
  using RowKey = std::tuple<OpKind, std::uint64_t, std::uint32_t>;
  using Rows = std::map<RowKey, OpRow>;

  static void add_to(Rows& rows, OpKind kind, std::uint64_t bytes, std::uint32_t ranks, Ps time);
  void fold_pair(const PointToPoint& key, const Pair& pair);

  const WorkloadPlan& plan_;
  std::vector<Instance> instances_;
  std::unordered_map<PointToPoint, Pair, PairHash> pairs_;
  Rows rows_;  // point to point and writes; collectives are folded when read
  std::map<std::string, SkippedOps, std::less<>> skipped_;
  std::uint64_t ops_ended_ = 0;
  std::uint64_t messages_sent_ = 0;
  std::uint64_t messages_received_ = 0;
  std::uint64_t network_bytes_ = 0;
  std::uint64_t bytes_simulated_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t mismatch_count_ = 0;
  std::vector<std::string> mismatches_;
  Ps last_end_{};
};

}  // namespace sluice
