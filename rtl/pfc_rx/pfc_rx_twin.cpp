// SPDX-License-Identifier: Apache-2.0
#include "rtl/pfc_rx/pfc_rx_twin.h"

#include <Vpfc_rx.h>
#include <Vpfc_rx_pfc_rx.h>

#include "kernel/error.h"
#include "packet/serialisation.h"
#include "rtl/harness/rtl_model.h"
#include "rtl/harness/wide.h"

namespace sluice::rtl {

struct PfcRxTwin::Rtl : RtlModel<Vpfc_rx> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Vpfc_rx_pfc_rx::Ports == PfcRxTwin::kMaxPorts);

constexpr std::uint64_t kQuantumPs = 512 * std::uint64_t{1'000'000'000'000};  // at 1 bit/s
constexpr unsigned kPointBits = 58;

}  // namespace

PfcRxTwin::PfcRxTwin(const std::vector<BitsPerSecond>& rates,
                     const std::vector<std::uint8_t>& lossless, const RtlOptions& options)
    : PfcReceiver(rates, lossless), rtl_(std::make_unique<Rtl>(options)) {
  if (rates.size() > kMaxPorts) {
    throw ConfigError(fmt::format("pfc_rx in RTL: {} ports, it has {}", rates.size(), kMaxPorts));
  }
  Vpfc_rx& pins = rtl_->pins();
  pins.port_valid_i = pins.in_valid_i = 0;
  rtl_->reset();
  pins.port_valid_i = 1;
  for (std::size_t port = 0; port < rates.size(); ++port) {
    const std::uint64_t rate = rates[port].value;
    if (rate < 1'000'000 || rate >> 41 != 0) {
      throw ConfigError(
          fmt::format("pfc_rx in RTL: a port of {} bit/s, it has 1 Mbit/s to 2.19 Tbit/s", rate));
    }
    const __uint128_t quantum =
        ((static_cast<__uint128_t>(kQuantumPs) << kPointBits) + rate - 1) / rate;
    pins.port_port_i = static_cast<std::uint8_t>(port);
    pins.port_lossless_i = lossless[port];
    put_bits(pins.port_quantum_i, 0, 64, static_cast<std::uint64_t>(quantum));
    put_bits(pins.port_quantum_i, 64, 24, static_cast<std::uint64_t>(quantum >> 64));
    rtl_->tick();
  }
  pins.port_valid_i = 0;
}

PfcRxTwin::~PfcRxTwin() = default;

PfcRxTwin::Answer PfcRxTwin::clock(const Request* request) {
  Vpfc_rx& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_port_i = static_cast<std::uint8_t>(request->port);
    pins.in_frame_valid_i = !request->frame.empty();
    for (unsigned i = 0; i < request->frame.size(); ++i) {
      put_bits(pins.in_frame_i, 8 * i, 8, request->frame[i]);
    }
    pins.in_now_i = request->now.value;
  }
  rtl_->tick();
  Answer answer;
  if (!pins.out_valid_o) return answer;
  answer.valid = true;
  answer.pfc = pins.out_pfc_o;
  answer.obeyed = pins.out_obeyed_o;
  answer.ignored = pins.out_ignored_o;
  answer.paused = pins.out_paused_o;
  for (unsigned p = 0; p < kPriorities; ++p) {
    answer.until[p] = Ps{get_bits(pins.out_until_o, 64 * p, 64)};
  }
  return answer;
}

PfcRxTwin::Answer PfcRxTwin::ask(const Request& request) {
  Answer answer = clock(&request);
  for (unsigned clocks = 1; clocks < kLatency; ++clocks) {
    if (answer.valid) throw RtlError(fmt::format("an answer after {} clocks", clocks));
    answer = clock(nullptr);
  }
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  return answer;
}

void PfcRxTwin::receive(std::uint32_t port, PfcFrame frame, Ps now) {
  wire::Pfc fields{frame.class_enable, {}};
  for (unsigned p = 0; p < kPriorities; ++p) {
    if (frame.class_enable >> p & 1u) fields.quanta[p] = frame.quanta;
  }
  const Answer answer = ask({port, wire::pfc_frame(wire::Mac{}, fields), now});
  for (std::uint32_t p = 0; p < kPriorities; ++p) {
    if (answer.obeyed >> p & 1u) load(port, p, frame.quanta, now, answer.until[p]);
    if (answer.ignored >> p & 1u) ignore(port, p);
  }
}

std::uint8_t PfcRxTwin::paused_slow(std::uint32_t port, Ps now) {
  return expire(port, ask({port, {}, now}).paused, now);
}

std::uint64_t PfcRxTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
