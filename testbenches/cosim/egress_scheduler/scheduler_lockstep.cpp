// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/egress_scheduler/scheduler_lockstep.h"

#include <algorithm>

namespace sluice::cosim {

SchedulerLockstep::SchedulerLockstep(BenchRun& run, const std::vector<SchedulerParams>& profiles,
                                     const std::vector<std::uint16_t>& profile_of_port)
    : run_(run),
      model_(make_scheduler(profiles, profile_of_port)),
      rtl_(profiles, profile_of_port, run.rtl_options()),
      profile_of_port_(profile_of_port),
      states_(profile_of_port.size()) {
  for (const SchedulerParams& profile : profiles) quanta_.push_back(rtl::scheduler_quanta(profile));
  run_.at_cycle(rtl_.cycle());
}

bool SchedulerLockstep::clock(const Twin::Request* request) {
  Step& last = stages_.back();
  const bool moves = last.rounds <= 1;
  run_.expect("in_ready_o", moves, rtl_.ready());
  const Twin::Answer answer = rtl_.clock(request);
  run_.at_cycle(rtl_.cycle());
  run_.expect("out_valid_o", last.rounds == 1, answer.valid);
  if (answer.valid) compare(last, answer);
  if (!moves) {
    --last.rounds;
    return request == nullptr;
  }
  std::shift_right(stages_.begin(), stages_.end(), 1);
  stages_.front() = request != nullptr ? decide(*request) : Step{};
  return true;
}

void SchedulerLockstep::drain() {
  for (std::size_t i = 0; i <= stages_.size(); ++i) {
    while (stages_.back().rounds > 1) clock(nullptr);
    clock(nullptr);
  }
}

SchedulerLockstep::Step SchedulerLockstep::decide(const Twin::Request& r) {
  run_.count_transaction();
  Step step;
  step.kind = r.kind;
  step.port = r.port;
  step.rounds = 1;
  step.answer.queue = r.queue;
  step.answer.held = model_->held(r.port, r.now);
  Twin::Answer& state = states_[r.port];
  if (r.kind == Twin::Kind::kPick) pick(r, step);
  if (r.kind == Twin::Kind::kEmptied) {
    model_->emptied(r.port, r.queue);
    if (state.turn == r.queue) {
      state.turn = (r.queue + 1) % kSchedulerQueues;
      state.granted = false;
    }
  }
  if (r.kind == Twin::Kind::kSent) {
    model_->sent(r.port, r.queue, r.bytes, r.now);
    // The later of the queue's time and the port's, 0 when both have passed.
    const Ps opens = model_->next_open(r.port, 1u << r.queue, Ps{0});
    step.answer.queue_opens = opens == kNever ? Ps{0} : opens;
  }
  step.answer.turn = state.turn;
  step.answer.granted = state.granted;
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    state.deficits[q] = step.answer.deficits[q] = model_->deficit(r.port, q);
  }
  return step;
}

void SchedulerLockstep::pick(const Twin::Request& r, Step& step) {
  Twin::Answer& state = states_[r.port];
  const auto& quanta = quanta_[profile_of_port_[r.port]];
  const auto eligible =
      static_cast<std::uint8_t>(r.waiting & ~(unsigned{r.paused} | step.answer.held));
  step.answer.none = eligible == 0;
  if (eligible == 0) return;
  step.answer.queue = model_->pick(r.port, eligible, r.heads);
  if (quanta[step.answer.queue] == 0) return;  // strict: nobody's turn ends
  step.rounds = rtl::scheduler_rounds(eligible, r.heads, quanta, state);
  state.turn = step.answer.queue;
  state.granted = true;
}

void SchedulerLockstep::compare(const Step& step, const Twin::Answer& answer) {
  const Twin::Answer& model = step.answer;
  run_.expect("out_none_o", model.none, answer.none);
  if (!model.none) run_.expect("out_queue_o", model.queue, answer.queue);
  run_.expect("out_held_o", model.held, answer.held);
  run_.expect("out_turn_o", model.turn, answer.turn);
  run_.expect("out_granted_o", model.granted, answer.granted);
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    run_.expect("out_deficits_o", model.deficits[q], answer.deficits[q]);
  }
  if (step.kind == Twin::Kind::kSent) {
    run_.expect("out_opens_o", model.queue_opens.value,
                std::max(answer.queue_opens, answer.port_opens).value);
  }
}

}  // namespace sluice::cosim
