// SPDX-License-Identifier: Apache-2.0
#include "rtl/ingress_arbiter/ingress_arbiter_twin.h"

#include <Vingress_arbiter.h>
#include <Vingress_arbiter_ingress_arbiter.h>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {
namespace {
constexpr std::uint32_t kPorts = Vingress_arbiter_ingress_arbiter::Ports;
static_assert(Vingress_arbiter_ingress_arbiter::DescBits == 32);
}  // namespace

struct IngressArbiterTwin::Rtl : RtlModel<Vingress_arbiter> {
  using RtlModel::RtlModel;
};

IngressArbiterParams IngressArbiterTwin::params() {
  return {kPorts, Vingress_arbiter_ingress_arbiter::FifoPackets};
}

IngressArbiterTwin::IngressArbiterTwin(const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)) {
  rtl_->pins().in_valid_i = 0;
  rtl_->pins().out_ready_i = 0;
  rtl_->reset();
}

IngressArbiterTwin::~IngressArbiterTwin() = default;

IngressArbiter::Outputs IngressArbiterTwin::outputs() const {
  rtl_->settle();
  const Vingress_arbiter& pins = rtl_->pins();
  return {pins.in_ready_o, pins.out_valid_o != 0, pins.out_port_o, pins.out_desc_o};
}

void IngressArbiterTwin::clock(const IngressArbiter::Inputs& in) {
  Vingress_arbiter& pins = rtl_->pins();
  pins.in_valid_i = static_cast<std::uint8_t>(in.valid);
  for (std::uint32_t port = 0; port < kPorts; ++port) pins.in_desc_i[port] = in.desc[port];
  pins.out_ready_i = in.out_ready;
  rtl_->tick();
}

std::uint64_t IngressArbiterTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
