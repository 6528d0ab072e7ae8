// SPDX-License-Identifier: Apache-2.0
// Walks one rank's stream: starts ops whose dependencies have ended, runs their collectives,
// matches incoming messages with ops. Plain C++; the host module gives it time, timers and a NIC.
// Leaves out: where other ranks sit, and everything below a whole message.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collective/collective.h"
#include "host/immediate.h"
#include "host/run_recorder.h"
#include "host/workload_plan.h"
#include "kernel/time.h"
#include "workload/workload.h"

namespace sluice {

/// What an executor needs from the host around it.
class RankOutlet {
 public:
  virtual Ps now() const = 0;
  /// A write to another rank; acked(cookie) follows, received(bytes, immediate) at the other side.
  virtual void write(std::uint32_t to_rank, std::uint64_t bytes, std::uint64_t cookie,
                     const Immediate& immediate) = 0;
  /// Calls wake() at `time`; never asked twice for one instant.
  virtual void wake_at(Ps time) = 0;

 protected:
  ~RankOutlet() = default;
};

class RankExecutor final : private SendEmitter {
 public:
  RankExecutor(std::uint32_t rank, const WorkloadPlan& plan, const CollectiveLibrary& library,
               Ps op_overhead, RunRecorder& recorder, RankOutlet& outlet);
  RankExecutor(const RankExecutor&) = delete;
  RankExecutor& operator=(const RankExecutor&) = delete;

  /// Starts the ops without dependencies; once, at the rank's start time.
  void start();
  void wake();
  void acked(std::uint64_t cookie);
  void received(std::uint64_t bytes, const Immediate& immediate);

  std::uint32_t rank() const { return rank_; }
  std::uint32_t op_count() const { return static_cast<std::uint32_t>(ops_.size()); }
  std::uint32_t ops_ended() const { return ended_; }
  bool finished() const { return ended_ == op_count(); }
  /// Records of active collectives ever needed at once.
  std::size_t peak_active() const { return slots_.size(); }

  enum class OpStatus : std::uint8_t { kBlocked, kStarting, kActive, kEnded };
  OpStatus status(std::uint32_t op) const { return status_[op]; }
  /// Position of an op among those of its group, or of its (peer, tag), from 0.
  std::uint32_t ordinal(std::uint32_t op) const { return ordinal_[op]; }
  /// State of a collective that has started or been sent to; null otherwise.
  const CollectiveState* collective(std::uint32_t op) const;
  /// Index of the rank's k-th collective of a group; op_count() when there is none.
  std::uint32_t find_collective(std::uint32_t group, std::uint32_t ordinal) const;

 private:
  struct Timer {
    Ps time;
    std::uint32_t op;
    bool operator>(const Timer& b) const { return time != b.time ? time > b.time : op > b.op; }
  };
  struct Receive {
    std::uint32_t peer, tag, ordinal, op;
  };
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;

  void send(std::uint32_t member, std::uint64_t bytes, std::uint32_t step) override;

  void index_dependents(std::span<const std::uint32_t> deps);
  void index_groups();
  void index_point_to_point();

  void make_ready(std::uint32_t op) { ready_.push_back(op); }
  void drain();
  void begin(std::uint32_t op);
  void launch(std::uint32_t op);
  void launch_collective(std::uint32_t op);
  void launch_send(std::uint32_t op);
  void launch_receive(std::uint32_t op);
  void launch_write(std::uint32_t op);
  void post(std::uint32_t op, std::uint32_t to_rank, std::uint64_t bytes, const MessageTag& tag);
  void skip(std::uint32_t op, std::string_view reason);
  void end(std::uint32_t op);
  void add_timer(Ps time, std::uint32_t op);

  std::uint32_t slot_of(std::uint32_t op);
  void progress(std::uint32_t slot);
  void receive_collective(std::uint64_t bytes, const MessageTag& tag);
  void receive_point_to_point(std::uint64_t bytes, const MessageTag& tag);
  void refuse(const MessageTag& tag, std::uint64_t bytes, std::optional<std::uint64_t> expected);
  PointToPoint pair_of(std::uint32_t op) const;

  const std::uint32_t rank_;
  const WorkloadPlan& plan_;
  const CollectiveLibrary& library_;
  const Ps op_overhead_;
  RunRecorder& recorder_;
  RankOutlet& outlet_;
  std::span<const Op> ops_;

  // One entry an op.
  std::vector<std::uint32_t> blockers_;         // dependencies that have not ended
  std::vector<std::uint32_t> first_dependent_;  // one more than ops
  std::vector<std::uint32_t> dependents_;
  std::vector<std::uint32_t> ordinal_;
  std::vector<std::uint32_t> slot_;
  std::vector<OpStatus> status_;
  std::vector<std::uint8_t> arrived_;  // receives whose message came before they started
  std::vector<Ps> start_;

  std::vector<std::uint32_t> first_group_op_;  // one more than memberships
  std::vector<std::uint32_t> group_ops_;
  std::vector<Receive> receives_;  // sorted by (peer, tag, ordinal)

  std::vector<CollectiveState> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t sending_slot_ = kNoSlot;

  std::vector<std::uint32_t> ready_;
  std::size_t ready_front_ = 0;
  bool draining_ = false;
  std::vector<Timer> timers_;   // min-heap
  std::vector<Ps> wake_times_;  // asked for and not yet come, latest first
  std::uint32_t ended_ = 0;
};

}  // namespace sluice
