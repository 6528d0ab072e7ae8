// SPDX-License-Identifier: Apache-2.0
#include "rtl/pfc_tx/pfc_tx_twin.h"

#include <Vpfc_tx.h>
#include <Vpfc_tx_pfc_tx.h>

#include "kernel/error.h"
#include "packet/serialisation.h"
#include "rtl/harness/rtl_model.h"
#include "rtl/harness/wide.h"

namespace sluice::rtl {

struct PfcTxTwin::Rtl : RtlModel<Vpfc_tx> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Vpfc_tx_pfc_tx::Ports == PfcTxTwin::kMaxPorts);

/// What the bytes say; throws where a receiver would drop them.
PfcFrame read_frame(const wire::Buffer& bytes, std::uint32_t port) {
  wire::Pfc pfc;
  try {
    pfc = wire::decode_pfc(bytes);
  } catch (const TraceError& error) {
    throw RtlError(fmt::format("a frame that is none of PFC: {}", error.what()));
  }
  if (bytes != wire::pfc_frame(PfcTxTwin::source_of(port), pfc)) {
    throw RtlError("a PFC frame with a wrong source, padding or FCS");
  }
  PfcFrame frame{pfc.enabled, 0};
  for (const std::uint16_t quanta : pfc.quanta) frame.quanta |= quanta;  // one time for all
  return frame;
}

}  // namespace

wire::Mac PfcTxTwin::source_of(std::uint32_t port) {
  wire::Mac source;
  for (std::uint32_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<std::uint8_t>(port * 37 + i * 73 + 0x5b);  // every bit in some port
  }
  source[0] =
      static_cast<std::uint8_t>((source[0] | 2u) & ~1u);  // locally administered, one station
  return source;
}

PfcTxTwin::PfcTxTwin(const PfcParams& params, const std::vector<BitsPerSecond>& rates,
                     const RtlOptions& options)
    : PfcSender(params, rates), rtl_(std::make_unique<Rtl>(options)) {
  if (rates.size() > kMaxPorts) {
    throw ConfigError(fmt::format("pfc_tx in RTL: {} ports, it has {}", rates.size(), kMaxPorts));
  }
  Vpfc_tx& pins = rtl_->pins();
  pins.port_valid_i = pins.in_valid_i = 0;
  rtl_->reset();
  pins.port_valid_i = 1;
  for (std::uint32_t port = 0; port < rates.size(); ++port) {
    std::uint64_t source = 0;
    for (const std::uint8_t byte : source_of(port)) source = source << 8 | byte;
    pins.port_port_i = static_cast<std::uint8_t>(port);
    pins.port_enabled_i = params.enabled;
    pins.port_quanta_i = static_cast<std::uint16_t>(params.quanta);
    pins.port_refresh_i = refresh_interval(port).value;
    pins.port_source_i = source;
    rtl_->tick();
  }
  pins.port_valid_i = 0;
}

PfcTxTwin::~PfcTxTwin() = default;

PfcTxTwin::Answer PfcTxTwin::clock(const Request* request) {
  Vpfc_tx& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_kind_i = static_cast<std::uint8_t>(request->kind);
    pins.in_port_i = static_cast<std::uint8_t>(request->port);
    pins.in_priority_i = static_cast<std::uint8_t>(request->priority);
    pins.in_now_i = request->now.value;
  }
  rtl_->tick();
  Answer answer;
  if (!pins.out_valid_o) return answer;
  answer.valid = true;
  answer.xoff = pins.out_xoff_o;
  answer.due = answer.xoff == 0 ? kNever : Ps{pins.out_due_o};
  if (!pins.out_frame_valid_o) return answer;
  for (unsigned i = 0; i < kPfcFrameBytes; ++i) {
    answer.frame.push_back(static_cast<std::uint8_t>(get_bits(pins.out_frame_o, 8 * i, 8)));
  }
  return answer;
}

PfcFrame PfcTxTwin::ask(const Request& request) {
  Answer answer = clock(&request);
  for (unsigned clocks = 1; clocks < kLatency; ++clocks) {
    if (answer.valid) throw RtlError(fmt::format("an answer after {} clocks", clocks));
    answer = clock(nullptr);
  }
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  const PfcFrame frame = answer.frame.empty() ? PfcFrame{} : read_frame(answer.frame, request.port);
  return note(request.port, answer.xoff, answer.due, frame);
}

PfcFrame PfcTxTwin::xoff(std::uint32_t port, std::uint32_t priority, Ps now) {
  return ask({Kind::kXoff, port, priority, now});
}

PfcFrame PfcTxTwin::xon(std::uint32_t port, std::uint32_t priority) {
  return ask({Kind::kXon, port, priority, Ps{0}});
}

PfcFrame PfcTxTwin::refresh(std::uint32_t port, Ps now) {
  return ask({Kind::kRefresh, port, 0, now});
}

std::uint64_t PfcTxTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
