// SPDX-License-Identifier: Apache-2.0
#include "host/rank_executor.h"

#include <algorithm>
#include <functional>

#include "kernel/error.h"

namespace sluice {

RankExecutor::RankExecutor(std::uint32_t rank, const WorkloadPlan& plan,
                           const CollectiveLibrary& library, Ps op_overhead, RunRecorder& recorder,
                           RankOutlet& outlet)
    : rank_(rank),
      plan_(plan),
      library_(library),
      op_overhead_(op_overhead),
      recorder_(recorder),
      outlet_(outlet),
      ops_(plan.workload().ranks.at(rank).ops) {
  SLUICE_CHECK(rank <= kMaxSender, "rank {} does not fit in 24 bits", rank);
  slot_.assign(ops_.size(), kNoSlot);
  status_.assign(ops_.size(), OpStatus::kBlocked);
  arrived_.assign(ops_.size(), 0);
  start_.assign(ops_.size(), Ps{});
  ordinal_.assign(ops_.size(), 0);
  index_dependents(plan.workload().ranks[rank].deps);
  index_groups();
  index_point_to_point();
}

void RankExecutor::start() {
  for (std::uint32_t op = 0; op < op_count(); ++op) {
    if (blockers_[op] == 0) make_ready(op);
  }
  drain();
}

/// Ops end inside calls that start others, so both go through one queue instead of recursion.
void RankExecutor::drain() {
  if (draining_) return;
  draining_ = true;
  while (ready_front_ < ready_.size()) begin(ready_[ready_front_++]);
  ready_.clear();
  ready_front_ = 0;
  draining_ = false;
}

void RankExecutor::begin(std::uint32_t op) {
  const Ps now = outlet_.now();
  start_[op] = now;
  status_[op] = OpStatus::kStarting;
  const Op& what = ops_[op];
  if (is_collective(what.kind)) {
    const Membership& own = *plan_.membership(rank_, what.group);
    recorder_.collective_started(
        plan_.instance(what.group, ordinal_[op]), what,
        static_cast<std::uint32_t>(plan_.workload().groups[what.group].ranks.size()), now);
    SLUICE_CHECK(own.member <= kMaxSender, "member {} does not fit in 24 bits", own.member);
  } else if (what.kind == OpKind::kSend || what.kind == OpKind::kRecv) {
    recorder_.point_to_point_started(pair_of(op), what.bytes, now);
  }
  const Ps wait = what.kind == OpKind::kCompute ? what.compute : op_overhead_;
  if (wait > Ps{}) {
    add_timer(now + wait, op);
  } else {
    launch(op);
  }
}

void RankExecutor::launch(std::uint32_t op) {
  status_[op] = OpStatus::kActive;
  const Op& what = ops_[op];
  if (is_collective(what.kind)) return launch_collective(op);
  switch (what.kind) {
    case OpKind::kSend:
      return launch_send(op);
    case OpKind::kRecv:
      return launch_receive(op);
    case OpKind::kWrite:
      return launch_write(op);
    default:
      return end(op);  // compute without duration
  }
}

void RankExecutor::launch_collective(std::uint32_t op) {
  const std::uint32_t slot = slot_of(op);
  slots_[slot].started = true;
  const bool alone = slots_[slot].members == 1;
  const bool empty = ops_[op].kind != OpKind::kBarrier && ops_[op].bytes == 0;
  if (alone) {
    recorder_.op_skipped(rank_, ops_[op], "group of one rank");
  } else if (empty) {
    recorder_.op_skipped(rank_, ops_[op], "zero bytes");
  }
  progress(slot);
}

void RankExecutor::launch_send(std::uint32_t op) {
  const Op& what = ops_[op];
  if (what.peer == rank_) return skip(op, "rank sends to itself");
  // A message of nothing still crosses the network: one packet that is all header.
  post(op, what.peer, what.bytes,
       {kScopePointToPoint, ordinal_[op], what.tag, rank_, OpKind::kSend});
}

void RankExecutor::launch_receive(std::uint32_t op) {
  const Op& what = ops_[op];
  if (what.peer == rank_ || arrived_[op] != 0) end(op);
}

void RankExecutor::launch_write(std::uint32_t op) {
  const Op& what = ops_[op];
  if (what.peer == rank_) return skip(op, "rank sends to itself");
  post(op, what.peer, what.bytes, {kScopeOneSided, op, 0, rank_, OpKind::kWrite});
}

void RankExecutor::post(std::uint32_t op, std::uint32_t to_rank, std::uint64_t bytes,
                        const MessageTag& tag) {
  recorder_.message_sent(bytes);
  outlet_.write(to_rank, bytes, op, pack(tag));
}

void RankExecutor::skip(std::uint32_t op, std::string_view reason) {
  recorder_.op_skipped(rank_, ops_[op], reason);
  end(op);
}

void RankExecutor::end(std::uint32_t op) {
  const Ps now = outlet_.now();
  const Op& what = ops_[op];
  SLUICE_CHECK(status_[op] == OpStatus::kActive, "op {} of rank {} ends twice", op, rank_);
  status_[op] = OpStatus::kEnded;
  ++ended_;
  recorder_.op_ended(rank_, op, what, now);
  if (is_collective(what.kind)) {
    recorder_.collective_ended(plan_.instance(what.group, ordinal_[op]), now);
  } else if (what.kind == OpKind::kSend || what.kind == OpKind::kRecv) {
    recorder_.point_to_point_ended(pair_of(op), now);
  } else if (what.kind == OpKind::kWrite) {
    recorder_.write_ended(what.bytes, what.peer == rank_, start_[op], now);
  }
  for (std::uint32_t i = first_dependent_[op]; i < first_dependent_[op + 1]; ++i) {
    if (--blockers_[dependents_[i]] == 0) make_ready(dependents_[i]);
  }
  drain();
}

void RankExecutor::add_timer(Ps time, std::uint32_t op) {
  timers_.push_back({time, op});
  std::push_heap(timers_.begin(), timers_.end(), std::greater<>{});
  // Each wake-up asked for is earlier than those before it, so the last one is always the next.
  if (wake_times_.empty() || time < wake_times_.back()) {
    wake_times_.push_back(time);
    outlet_.wake_at(time);
  }
}

void RankExecutor::wake() {
  const Ps now = outlet_.now();
  SLUICE_CHECK(!wake_times_.empty() && wake_times_.back() == now, "rank {} woken at {} ps unasked",
               rank_, now.value);
  wake_times_.pop_back();
  while (!timers_.empty() && timers_.front().time <= now) {
    const std::uint32_t op = timers_.front().op;
    std::pop_heap(timers_.begin(), timers_.end(), std::greater<>{});
    timers_.pop_back();
    launch(op);
  }
  if (!timers_.empty() && (wake_times_.empty() || timers_.front().time < wake_times_.back())) {
    wake_times_.push_back(timers_.front().time);
    outlet_.wake_at(timers_.front().time);
  }
}

// Collectives.

std::uint32_t RankExecutor::slot_of(std::uint32_t op) {
  if (slot_[op] != kNoSlot) return slot_[op];
  std::uint32_t slot = 0;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  slot_[op] = slot;
  const Op& what = ops_[op];
  CollectiveState state;
  state.bytes = what.bytes;
  if (what.splits != kNoSplits) state.splits = &plan_.workload().splits[what.splits];
  state.members = static_cast<std::uint32_t>(plan_.workload().groups[what.group].ranks.size());
  state.me = plan_.membership(rank_, what.group)->member;
  state.op = op;
  state.kind = what.kind;
  if (is_rooted(what.kind)) {
    const Membership* root = plan_.membership(what.peer, what.group);
    if (root == nullptr) {
      throw TraceError(fmt::format("{}: {} of rank {} has root {}, which is not in group {}",
                                   plan_.workload().source, op_kind_name(what.kind), rank_,
                                   what.peer, plan_.workload().groups[what.group].name));
    }
    state.root = root->member;
  }
  library_.algorithm(what.kind).prepare(state);
  slots_[slot] = state;
  return slot;
}

void RankExecutor::send(std::uint32_t member, std::uint64_t bytes, std::uint32_t step) {
  CollectiveState& state = slots_[sending_slot_];
  ++state.in_flight;
  const Op& what = ops_[state.op];
  post(state.op, plan_.workload().groups[what.group].ranks[member], bytes,
       {what.group, ordinal_[state.op], step, state.me, what.kind});
}

/// Sends what may go now, ends the op when it has ended, frees its record after the last ack.
void RankExecutor::progress(std::uint32_t slot) {
  CollectiveState& state = slots_[slot];
  const CollectiveAlgorithm& algorithm = library_.algorithm(state.kind);
  if (!state.started) return;
  sending_slot_ = slot;
  algorithm.pump(state, *this);
  sending_slot_ = kNoSlot;
  if (!algorithm.ended(state)) return;
  const std::uint32_t op = state.op;
  if (state.in_flight == 0) {
    slot_[op] = kNoSlot;
    free_slots_.push_back(slot);
  }
  if (status_[op] != OpStatus::kEnded) end(op);
}

void RankExecutor::acked(std::uint64_t cookie) {
  const auto op = static_cast<std::uint32_t>(cookie);
  if (!is_collective(ops_[op].kind)) return end(op);
  const std::uint32_t slot = slot_[op];
  SLUICE_CHECK(slot != kNoSlot && slots_[slot].in_flight > 0,
               "rank {} op {}: acknowledge without a write in flight", rank_, op);
  --slots_[slot].in_flight;
  progress(slot);
}

void RankExecutor::received(std::uint64_t bytes, const Immediate& immediate) {
  const MessageTag tag = unpack(immediate);
  const std::uint64_t key =
      (std::uint64_t{immediate[0]} << 32 | immediate[1]) * 0x9e3779b97f4a7c15 +
      (std::uint64_t{immediate[2]} << 32 | immediate[3]);
  recorder_.message_received(rank_, key, outlet_.now());
  if (tag.scope == kScopeOneSided) return;
  if (tag.scope == kScopePointToPoint) return receive_point_to_point(bytes, tag);
  receive_collective(bytes, tag);
}

void RankExecutor::receive_collective(std::uint64_t bytes, const MessageTag& tag) {
  const std::uint32_t op = find_collective(tag.scope, tag.ordinal);
  if (op == op_count() || ops_[op].kind != tag.kind ||
      (slot_[op] == kNoSlot && status_[op] == OpStatus::kEnded)) {
    return refuse(tag, bytes, std::nullopt);
  }
  const std::uint32_t slot = slot_of(op);
  const CollectiveAlgorithm& algorithm = library_.algorithm(tag.kind);
  const auto expected = algorithm.expected_bytes(slots_[slot], tag.sender, tag.step);
  if (expected != bytes) return refuse(tag, bytes, expected);
  algorithm.arrive(slots_[slot], tag.sender, tag.step);
  progress(slot);
}

void RankExecutor::receive_point_to_point(std::uint64_t bytes, const MessageTag& tag) {
  const auto key = [](const Receive& r) { return std::array{r.peer, r.tag, r.ordinal}; };
  const std::array wanted{tag.sender, tag.step, tag.ordinal};
  const auto at = std::lower_bound(
      receives_.begin(), receives_.end(), wanted,
      [&](const Receive& r, const std::array<std::uint32_t, 3>& w) { return key(r) < w; });
  if (at == receives_.end() || key(*at) != wanted) return refuse(tag, bytes, std::nullopt);
  if (ops_[at->op].bytes != bytes) return refuse(tag, bytes, ops_[at->op].bytes);
  arrived_[at->op] = 1;
  if (status_[at->op] == OpStatus::kActive) end(at->op);
}

void RankExecutor::refuse(const MessageTag& tag, std::uint64_t bytes,
                          std::optional<std::uint64_t> expected) {
  const Workload& workload = plan_.workload();
  const bool pair = tag.scope == kScopePointToPoint;
  const std::uint32_t sender = pair ? tag.sender : workload.groups[tag.scope].ranks[tag.sender];
  const std::string where = pair ? fmt::format("send_recv #{} of tag {}", tag.ordinal + 1, tag.step)
                                 : fmt::format("{} #{} of group {}", op_kind_name(tag.kind),
                                               tag.ordinal + 1, workload.groups[tag.scope].name);
  recorder_.mismatch(expected ? fmt::format("mismatch {}->{}: sent {}, expected {} ({})", sender,
                                            rank_, bytes, *expected, where)
                              : fmt::format("mismatch {}->{}: sent {}, expected nothing ({})",
                                            sender, rank_, bytes, where));
}

const CollectiveState* RankExecutor::collective(std::uint32_t op) const {
  return slot_[op] == kNoSlot ? nullptr : &slots_[slot_[op]];
}

}  // namespace sluice
