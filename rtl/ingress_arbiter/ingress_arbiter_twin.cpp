// SPDX-License-Identifier: Apache-2.0
#include "rtl/ingress_arbiter/ingress_arbiter_twin.h"

#include <Vingress_arbiter.h>
#include <Vingress_arbiter_ingress_arbiter.h>
#include <Vingress_arbiter_oldest.h>
#include <Vingress_arbiter_oldest_ingress_arbiter.h>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {
namespace {
using Turns = Vingress_arbiter_ingress_arbiter;
using Oldest = Vingress_arbiter_oldest_ingress_arbiter;
constexpr std::uint32_t kPorts = Turns::Ports;
static_assert(Turns::DescBits == 32 && Oldest::DescBits == 32);
static_assert(Oldest::Ports == kPorts && Oldest::FifoPackets == Turns::FifoPackets);
static_assert(Turns::OldestFirst == 0 && Oldest::OldestFirst == 1);
}  // namespace

/// Either policy behind one face.
class IngressArbiterTwin::Rtl {
 public:
  virtual ~Rtl() = default;
  virtual IngressArbiter::Outputs outputs() = 0;
  virtual void clock(const IngressArbiter::Inputs& in) = 0;
  virtual std::uint64_t cycle() const = 0;
};

namespace {

template <class Top>
class Verilated : public IngressArbiterTwin::Rtl {
 public:
  explicit Verilated(const RtlOptions& options) : model_(options) {
    model_.pins().in_valid_i = 0;
    model_.pins().out_ready_i = 0;
    model_.reset();
  }
  IngressArbiter::Outputs outputs() override {
    model_.settle();
    const Top& pins = model_.pins();
    return {pins.in_ready_o, pins.out_valid_o != 0, pins.out_port_o, pins.out_desc_o};
  }
  void clock(const IngressArbiter::Inputs& in) override {
    Top& pins = model_.pins();
    pins.in_valid_i = static_cast<std::uint8_t>(in.valid);
    for (std::uint32_t port = 0; port < kPorts; ++port) pins.in_desc_i[port] = in.desc[port];
    pins.out_ready_i = in.out_ready;
    model_.tick();
  }
  std::uint64_t cycle() const override { return model_.cycle(); }

 private:
  RtlModel<Top> model_;
};

std::unique_ptr<IngressArbiterTwin::Rtl> make(ArbiterPolicy policy, const RtlOptions& options) {
  if (policy == ArbiterPolicy::kOldestFirst) {
    return std::make_unique<Verilated<Vingress_arbiter_oldest>>(options);
  }
  return std::make_unique<Verilated<Vingress_arbiter>>(options);
}

}  // namespace

IngressArbiterParams IngressArbiterTwin::params(ArbiterPolicy policy) {
  return {kPorts, Turns::FifoPackets, policy};
}

IngressArbiterTwin::IngressArbiterTwin(ArbiterPolicy policy, const RtlOptions& options)
    : rtl_(make(policy, options)) {}

IngressArbiterTwin::~IngressArbiterTwin() = default;

IngressArbiter::Outputs IngressArbiterTwin::outputs() const { return rtl_->outputs(); }

void IngressArbiterTwin::clock(const IngressArbiter::Inputs& in) { rtl_->clock(in); }

std::uint64_t IngressArbiterTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
