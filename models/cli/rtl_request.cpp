// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_request.h"

#include "kernel/error.h"
#ifdef SLUICE_RTL
#include "rtl/harness/verilator_version.h"
#include "rtl/swap/rtl_swap.h"
#endif

namespace sluice {

#ifdef SLUICE_RTL

std::string verilator_version() { return rtl::verilator_version(); }

struct RtlStandIn::State {
  explicit State(rtl::SwapRequest request) : swap(std::move(request)) {}
  rtl::RtlSwap swap;
};

RtlStandIn::RtlStandIn(const RtlRequest& request, std::uint64_t seed) {
  if (!request.used()) return;
  state_ = std::make_unique<State>(rtl::SwapRequest{request.blocks, request.scope, request.compare,
                                                    request.fault_block, request.fault,
                                                    request.record, seed});
}

SwitchBlockSwap* RtlStandIn::chips() { return state_ ? &state_->swap : nullptr; }

NicBlockSwap* RtlStandIn::nics() { return state_ ? &state_->swap : nullptr; }

void RtlStandIn::check_used() const {
  if (state_) state_->swap.check_used();
}

#else

std::string verilator_version() { return {}; }

struct RtlStandIn::State {};

RtlStandIn::RtlStandIn(const RtlRequest& request, std::uint64_t) {
  if (request.used()) {
    throw ConfigError("--rtl: this build has no RTL; configure with -DSLUICE_RTL=ON (Verilator)");
  }
}

SwitchBlockSwap* RtlStandIn::chips() { return nullptr; }

NicBlockSwap* RtlStandIn::nics() { return nullptr; }

void RtlStandIn::check_used() const {}

#endif

RtlStandIn::~RtlStandIn() = default;

}  // namespace sluice
