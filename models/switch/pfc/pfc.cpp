// SPDX-License-Identifier: Apache-2.0
// Parameters and the sending side of priority-based flow control.
// Leaves out: the receiving side (pfc_receiver.cpp).
#include "switch/pfc/pfc.h"

#include "kernel/error.h"
#include "packet/serialisation.h"

namespace sluice {

void PfcParams::describe(ParameterVisitor& v) {
  v.visit("enabled", enabled, {"send and obey PFC on lossless priorities", "IEEE 802.1Qbb"});
  v.visit("quanta", quanta, {1, 65535},
          {"pause time of an XOFF in units of 512 bit times", "IEEE 802.1Qbb, SONiC"});
  v.visit("refresh_percent", refresh_percent, {10, 90},
          {"an XOFF is repeated after this part of its pause time", "estimate", "%"});
  v.visit("resp_time", resp_time, {0, 1e7},
          {"PFC frame decoded to transmitter stopped", "estimate; the standard allows 1158.4 ns"});
}

void PfcParams::validate() const {
  if (quanta == 0 || quanta > 65535) {
    throw ConfigError(fmt::format("pfc.quanta: {}, expected 1 to 65535", quanta));
  }
  if (refresh_percent < 10 || refresh_percent > 90) {
    throw ConfigError(fmt::format("pfc.refresh_percent: {}, expected 10 to 90", refresh_percent));
  }
  if (resp_time > Ps{10000000}) {
    throw ConfigError(fmt::format("pfc.resp_time: {} ps, expected at most 10 us", resp_time.value));
  }
}

PfcSender::PfcSender(const PfcParams& params, const std::vector<BitsPerSecond>& rates)
    : enabled_(params.enabled),
      quanta_(static_cast<std::uint16_t>(params.quanta)),
      due_(rates.size(), kNever),
      xoff_(rates.size()),
      counters_(rates.size() * kPriorities) {
  params.validate();
  for (const BitsPerSecond rate : rates) {
    SLUICE_CHECK(rate.value > 0, "PFC at a port without rate");
    refresh_.push_back(pause_duration(params.quanta, rate) * params.refresh_percent / 100);
  }
}

PfcFrame PfcSender::note(std::uint32_t port, std::uint8_t xoff, Ps due, PfcFrame frame) {
  xoff_[port] = xoff;
  due_[port] = due;
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if ((frame.class_enable >> p & 1) == 0) continue;
    PfcTxCounters& counters = counters_[port * kPriorities + p];
    ++(frame.quanta != 0 ? counters.xoff_frames : counters.xon_frames);
  }
  return frame;
}

PfcFrame PfcSender::xoff_frame(std::uint32_t port, std::uint8_t mask, Ps now) {
  return note(port, mask, now + refresh_[port], {mask, quanta_});
}

PfcFrame PfcSender::xoff(std::uint32_t port, std::uint32_t priority, Ps now) {
  if (!enabled_) return {};
  return xoff_frame(port, static_cast<std::uint8_t>(xoff_[port] | 1u << priority), now);
}

PfcFrame PfcSender::xon(std::uint32_t port, std::uint32_t priority) {
  const auto bit = static_cast<std::uint8_t>(1u << priority);
  if (!enabled_ || (xoff_[port] & bit) == 0) return {};
  const auto mask = static_cast<std::uint8_t>(xoff_[port] & ~bit);
  return note(port, mask, mask == 0 ? kNever : due_[port], {bit, 0});
}

PfcFrame PfcSender::refresh(std::uint32_t port, Ps now) {
  return now < due_[port] ? PfcFrame{} : xoff_frame(port, xoff_[port], now);
}

}  // namespace sluice
