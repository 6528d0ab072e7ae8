// SPDX-License-Identifier: Apache-2.0
// One member's part in a collective as a small state machine: it learns what arrived and what was
// acknowledged, and says what may be sent. Never holds more than one record a (rank, active op).
// Leaves out: who the members are (host/), data and reduction arithmetic (bytes only).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernel/parameter.h"
#include "workload/workload.h"

namespace sluice {

struct CollectiveParams {
  /// Peers that an all-to-all or a scatter root writes to at once; the next follows an acknowledge.
  std::uint32_t all_to_all_window = 4;
  /// Slice of a pipelined broadcast or reduce.
  Bytes pipeline_slice{512 * 1024};
  /// Slices that the first rank of the chain keeps unacknowledged.
  std::uint32_t pipeline_window = 4;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// Where a state machine hands out its sends. `member` is an index into the group.
class SendEmitter {
 public:
  virtual void send(std::uint32_t member, std::uint64_t bytes, std::uint32_t step) = 0;

 protected:
  ~SendEmitter() = default;
};

/// All that one member remembers of one collective. It depends only on what reaches this member.
struct CollectiveState {
  std::uint64_t bytes = 0;         ///< Op::bytes
  const Splits* splits = nullptr;  ///< uneven all-to-all only
  std::uint32_t members = 0;
  std::uint32_t me = 0;         ///< member index
  std::uint32_t root = 0;       ///< member index; rooted collectives only
  std::uint32_t next_send = 0;  ///< steps, peers or slices handed out so far
  std::uint32_t received = 0;   ///< steps, messages or slices arrived; barrier: a bit a round
  std::uint32_t expected = 0;   ///< value of `received` when all has arrived
  std::uint32_t in_flight =
      0;                 ///< sends not yet acknowledged; counted by the caller's emitter and acks
  std::uint32_t op = 0;  ///< the caller's: index of the op in its stream
  OpKind kind = OpKind::kBarrier;
  bool started = false;
};
static_assert(sizeof(CollectiveState) <= 64);

/// An algorithm without state of its own. Messages of one sender arrive in the order it sent them;
/// those of different senders in any order, also before this member has started the op.
class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;

  /// Fills in what follows from bytes, members, me, root and splits.
  virtual void prepare(CollectiveState& state) const = 0;
  /// Size that a message `step` of member `from` must have; nothing if none is due.
  virtual std::optional<std::uint64_t> expected_bytes(const CollectiveState& state,
                                                      std::uint32_t from,
                                                      std::uint32_t step) const = 0;
  /// A message for which expected_bytes gave its size has arrived.
  virtual void arrive(CollectiveState& state, std::uint32_t from, std::uint32_t step) const = 0;
  /// Sends all that may go now. Called once started: at the start, after arrivals, after acks.
  virtual void pump(CollectiveState& state, SendEmitter& emitter) const = 0;
  /// Every send has been handed out.
  virtual bool all_sent(const CollectiveState& state) const = 0;
  /// Members whose next message is due, at most `limit` of them; for stall reports.
  virtual std::vector<std::uint32_t> waiting_for(const CollectiveState& state,
                                                 std::size_t limit) const = 0;

  /// The op has ended here: all is handed out and the last receive has arrived or, for a member
  /// that receives nothing, its last send was acknowledged.
  bool ended(const CollectiveState& state) const {
    return state.received == state.expected && all_sent(state) &&
           (state.expected != 0 || state.in_flight == 0);
  }
};

/// The algorithm of each kind, with its parameters.
/// Ring: all-reduce, all-gather, reduce-scatter. Pipelined chain: broadcast, reduce. Star: gather,
/// scatter. Pairwise: all-to-all. Dissemination: barrier.
class CollectiveLibrary {
 public:
  explicit CollectiveLibrary(const CollectiveParams& params);
  const CollectiveAlgorithm& algorithm(OpKind kind) const;

 private:
  std::unique_ptr<const CollectiveAlgorithm> ring_;
  std::unique_ptr<const CollectiveAlgorithm> chain_;
  std::unique_ptr<const CollectiveAlgorithm> star_;
  std::unique_ptr<const CollectiveAlgorithm> pairwise_;
  std::unique_ptr<const CollectiveAlgorithm> dissemination_;
};

/// Chunk `index` of `bytes` split over `count` members: sizes differ by at most one byte, the
/// larger ones first, and they sum to `bytes`.
constexpr std::uint64_t chunk_bytes(std::uint64_t bytes, std::uint32_t count, std::uint32_t index) {
  return bytes / count + (index < bytes % count ? 1 : 0);
}

}  // namespace sluice
