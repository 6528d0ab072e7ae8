// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_request.h"

#include "kernel/error.h"
#ifdef SLUICE_RTL
#include <fmt/format.h>

#include <algorithm>

#include "rtl/harness/verilator_version.h"
#include "rtl/swap/rtl_swap.h"
#include "testbenches/cosim/harness/bench.h"
#endif

namespace sluice {

#ifdef SLUICE_RTL

std::string verilator_version() { return rtl::verilator_version(); }

struct RtlStandIn::State {
  explicit State(rtl::SwapRequest request) : swap(std::move(request)) {}
  rtl::RtlSwap swap;
};

namespace {

/// A fault that no RTL of the run has would leave it as it is.
void check_fault(const RtlRequest& request) {
  if (request.fault_block.empty()) return;
  const std::vector<std::string>& in_rtl = request.blocks;
  if (std::find(in_rtl.begin(), in_rtl.end(), request.fault_block) == in_rtl.end()) {
    throw ConfigError(fmt::format("--rtl-fault {}:{}: --rtl does not name that block",
                                  request.fault_block, request.fault));
  }
#ifndef SLUICE_RTL_MUTATED
  for (const cosim::Bench& bench : cosim::all_benches()) {
    const auto faults = static_cast<int>(bench.faults.size());
    if (bench.block != request.fault_block || (request.fault >= 1 && request.fault <= faults)) {
      continue;
    }
    throw ConfigError(fmt::format("--rtl-fault {}:{}: {} has faults 1..{}", request.fault_block,
                                  request.fault, request.fault_block, faults));
  }
#endif
}

}  // namespace

RtlStandIn::RtlStandIn(const RtlRequest& request, std::uint64_t seed) {
  if (!request.used()) return;
  check_fault(request);
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
