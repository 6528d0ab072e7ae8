// SPDX-License-Identifier: Apache-2.0
#include "rtl/swap/rtl_swap.h"

#include <algorithm>
#include <filesystem>

#include "kernel/random.h"
#include "rtl/ar_select/ar_select_swap.h"
#include "rtl/ecmp_hash/ecmp_hash_swap.h"
#include "rtl/wred_marker/wred_marker_swap.h"

namespace sluice::rtl {

const std::vector<std::string_view>& RtlSwap::blocks() {
  static const std::vector<std::string_view> names{"ar_select", "ecmp_hash", "wred_marker"};
  return names;
}

RtlSwap::RtlSwap(SwapRequest request) : request_(std::move(request)) {
  std::vector<std::string> named = request_.blocks;
  if (!request_.fault_block.empty()) named.push_back(request_.fault_block);
  for (const std::string& name : named) {
    if (std::find(blocks().begin(), blocks().end(), name) == blocks().end()) {
      throw ConfigError(fmt::format("--rtl: no block of a fabric is called '{}' ({})", name,
                                    fmt::join(blocks(), ", ")));
    }
  }
  if (!request_.record.empty()) std::filesystem::create_directories(request_.record);
}

SwapMode RtlSwap::mode(std::string_view block, const BlockPlace& place) {
  const std::string_view name =
      std::string_view(place.instance).substr(place.instance.rfind('.') + 1);
  SwapMode mode;
  if (!request_.scope.empty() && request_.scope != name && request_.scope != place.instance) {
    return mode;
  }
  ++instances_;
  mode.rtl =
      std::find(request_.blocks.begin(), request_.blocks.end(), block) != request_.blocks.end();
  mode.compare = request_.compare;
  if (!request_.record.empty()) {
    mode.record = fmt::format("{}/{}.{}.txt", request_.record, block, name);
  }
  if (block == request_.fault_block) mode.options.fault = request_.fault;
  mode.options.x_seed =
      static_cast<std::uint32_t>((mix64(request_.seed) ^ hash_name(place.instance)) & 0x3fffffff) +
      1;
  return mode;
}

void RtlSwap::check_used() const {
  if (instances_ == 0) {
    throw ConfigError(fmt::format("--rtl-scope: no chip or NIC is called '{}'", request_.scope));
  }
}

std::unique_ptr<EcnMarker> RtlSwap::wred_marker(std::unique_ptr<EcnMarker> model,
                                                const std::vector<EcnParams>& profiles,
                                                const std::vector<std::uint8_t>& profile_of_queue,
                                                const BlockPlace& place) {
  const SwapMode how = mode("wred_marker", place);
  if (!how.rtl && how.record.empty()) return model;
  return swap_wred_marker(std::move(model), profiles, profile_of_queue, place, how);
}

std::unique_ptr<EcmpHash> RtlSwap::ecmp_hash(std::unique_ptr<EcmpHash> model,
                                             const RoutingParams& params, const BlockPlace& place) {
  const SwapMode how = mode("ecmp_hash", place);
  if (params.mode != LoadBalancing::kEcmp) {
    if (how.rtl) {
      throw ConfigError(
          "--rtl ecmp_hash: needs routing.mode=ecmp; no other places packets by hash");
    }
    return model;
  }
  if (!how.rtl && how.record.empty()) return model;
  return swap_ecmp_hash(std::move(model), params, place, how);
}

std::unique_ptr<AdaptiveSelector> RtlSwap::ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                     const BlockPlace& place) {
  const SwapMode how = mode("ar_select", place);
  if (!model) {
    if (how.rtl) throw ConfigError("--rtl ar_select: needs routing.mode=dlb or ar");
    return model;
  }
  if (!how.rtl && how.record.empty()) return model;
  return swap_ar_select(std::move(model), place, how);
}

}  // namespace sluice::rtl
