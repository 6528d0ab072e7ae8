// SPDX-License-Identifier: Apache-2.0
// The obeying side of priority-based flow control: one pause timer a port and priority.
// Leaves out: the reaction time, which the caller has already let pass.
#include <algorithm>

#include "kernel/error.h"
#include "packet/serialisation.h"
#include "switch/pfc/pfc.h"

namespace sluice {

PfcReceiver::PfcReceiver(std::vector<BitsPerSecond> rates, std::vector<std::uint8_t> lossless)
    : loaded_(rates.size()),
      timers_(rates.size() * kPriorities),
      counters_(rates.size() * kPriorities),
      lossless_(std::move(lossless)),
      rates_(std::move(rates)) {
  SLUICE_CHECK(lossless_.size() == rates_.size(), "{} PFC masks for {} ports", lossless_.size(),
               rates_.size());
}

/// Counts the time under pause up to `now` and forgets a timer that has run out.
void PfcReceiver::account(std::uint32_t index, Ps now) {
  Timer& timer = timers_[index];
  const Ps end = std::min(now, timer.until);
  if (end > timer.since) {
    counters_[index].paused_ps += (end - timer.since).value;
    timer.since = end;
  }
}

void PfcReceiver::load(std::uint32_t port, std::uint32_t priority, std::uint16_t quanta, Ps now,
                       Ps until) {
  const std::uint32_t index = port * kPriorities + priority;
  account(index, now);
  timers_[index] = {now, until};
  if (quanta == 0) {
    ++counters_[index].xon_frames;
    loaded_[port] = static_cast<std::uint8_t>(loaded_[port] & ~(1u << priority));
  } else {
    ++counters_[index].xoff_frames;
    loaded_[port] = static_cast<std::uint8_t>(loaded_[port] | 1u << priority);
  }
}

void PfcReceiver::receive(std::uint32_t port, PfcFrame frame, Ps now) {
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if ((frame.class_enable >> p & 1) == 0) continue;
    if ((lossless_[port] >> p & 1) == 0) {
      ignore(port, p);
      continue;
    }
    load(port, p, frame.quanta, now, now + pause_duration(frame.quanta, rates_[port]));
  }
}

std::uint8_t PfcReceiver::expire(std::uint32_t port, std::uint8_t running, Ps now) {
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if ((loaded_[port] & ~static_cast<unsigned>(running)) >> p & 1u) {
      account(port * kPriorities + p, now);
    }
  }
  return loaded_[port] = running;
}

std::uint8_t PfcReceiver::paused_slow(std::uint32_t port, Ps now) {
  std::uint32_t running = loaded_[port];
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if (timers_[port * kPriorities + p].until <= now) running &= ~(1u << p);
  }
  return expire(port, static_cast<std::uint8_t>(running), now);
}

Ps PfcReceiver::next_resume(std::uint32_t port, Ps now) const {
  Ps earliest = kNever;
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    const Timer& timer = timers_[port * kPriorities + p];
    if ((loaded_[port] >> p & 1) && timer.until > now) earliest = std::min(earliest, timer.until);
  }
  return earliest;
}

void PfcReceiver::settle(std::uint32_t port, Ps now) {
  for (std::uint32_t p = 0; p < kPriorities; ++p) account(port * kPriorities + p, now);
}

void PfcReceiver::settle(Ps now) {
  for (std::uint32_t i = 0; i < timers_.size(); ++i) account(i, now);
}

}  // namespace sluice
