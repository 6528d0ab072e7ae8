// SPDX-License-Identifier: Apache-2.0
#include "cli/rtl_request.h"

#include <sstream>

#include "cli/option_value.h"
#include "config/units.h"
#include "kernel/error.h"
#ifdef SLUICE_RTL
#include "rtl/swap/rtl_swap.h"
#endif

namespace sluice {

RtlArguments::RtlArguments(TCLAP::CmdLine& line)
    : blocks_("", "rtl", "RTL in place of these blocks, such as mmu_admission,egress_scheduler",
              false, "", "BLOCK,...", line),
      scope_("", "rtl-scope", "RTL in this chip or NIC alone, such as leaf0", false, "", "NAME",
             line),
      compare_("", "rtl-compare",
               "the C++ blocks run beside the RTL; exit 6 at the first difference", line),
      fault_("", "rtl-fault", "activate a fault placed by hand in a block's RTL, to see it found",
             false, "", "BLOCK:N", line),
      record_("", "rtl-record",
              "write what the blocks are asked into this directory, for cosim --replay", false, "",
              "DIR", line) {}

RtlRequest RtlArguments::read() const {
  RtlRequest request;
  std::istringstream words(blocks_.getValue());
  for (std::string word; std::getline(words, word, ',');) request.blocks.push_back(word);
  request.scope = scope_.getValue();
  request.compare = compare_.getValue();
  request.record = record_.getValue();
  if (fault_.isSet()) {
    const std::string& text = fault_.getValue();
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      throw ConfigError(fmt::format("--rtl-fault {}: expected BLOCK:N", text));
    }
    request.fault_block = text.substr(0, colon);
    request.fault = static_cast<int>(
        parse_option("--rtl-fault", text.substr(colon + 1), parse_unsigned) & 0xffff);
  }
  if (request.blocks.empty() && (request.compare || !request.fault_block.empty())) {
    throw ConfigError("--rtl-compare and --rtl-fault need --rtl: which blocks are in RTL");
  }
  if (!request.used() && !request.scope.empty()) {
    throw ConfigError("--rtl-scope needs --rtl or --rtl-record");
  }
  return request;
}

#ifdef SLUICE_RTL

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

void RtlStandIn::check_used() const {
  if (state_) state_->swap.check_used();
}

#else

struct RtlStandIn::State {};

RtlStandIn::RtlStandIn(const RtlRequest& request, std::uint64_t) {
  if (request.used()) {
    throw ConfigError("--rtl: this build has no RTL; configure with -DSLUICE_RTL=ON (Verilator)");
  }
}

SwitchBlockSwap* RtlStandIn::chips() { return nullptr; }

void RtlStandIn::check_used() const {}

#endif

RtlStandIn::~RtlStandIn() = default;

}  // namespace sluice
