// SPDX-License-Identifier: Apache-2.0
#include "rtl/swap/rtl_swap.h"

#include <algorithm>
#include <filesystem>

#include "kernel/random.h"
#include "rtl/ar_select/ar_select_swap.h"
#include "rtl/cell_buffer/cell_buffer_swap.h"
#include "rtl/ecmp_hash/ecmp_hash_swap.h"
#include "rtl/egress_scheduler/egress_scheduler_swap.h"
#include "rtl/mmu_admission/mmu_admission_swap.h"
#include "rtl/pfc_rx/pfc_rx_swap.h"
#include "rtl/pfc_tx/pfc_tx_swap.h"
#include "rtl/wred_marker/wred_marker_swap.h"

namespace sluice::rtl {

const std::vector<std::string_view>& RtlSwap::blocks() {
  static const std::vector<std::string_view> names{
      "ar_select",        "cell_buffer",   "dcqcn_rp",   "ecmp_hash",
      "egress_scheduler", "mmu_admission", "pfc_rx",     "pfc_tx",
      "psn_tracker",      "qp_scheduler",  "wred_marker"};
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
  std::error_code error;
  if (!request_.record.empty()) std::filesystem::create_directories(request_.record, error);
  if (error) {
    throw ConfigError(fmt::format("--rtl-record {}: {}", request_.record, error.message()));
  }
}

SwapMode RtlSwap::mode(std::string_view block, const BlockPlace& place) {
  const std::string_view name =
      std::string_view(place.instance).substr(place.instance.rfind('.') + 1);
  SwapMode mode;
  if (!request_.scope.empty() && request_.scope != name && request_.scope != place.instance) {
    return mode;
  }
  mode.rtl =
      std::find(request_.blocks.begin(), request_.blocks.end(), block) != request_.blocks.end();
  if (mode.rtl || !request_.record.empty()) used_.emplace(block);
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
  const std::string where =
      request_.scope.empty() ? "" : fmt::format(" called '{}' (--rtl-scope)", request_.scope);
  for (const std::string& block : request_.blocks) {
    if (used_.contains(block)) continue;
    throw ConfigError(fmt::format("--rtl {}: no chip or NIC{} has that block", block, where));
  }
  if (used_.empty()) {
    throw ConfigError(fmt::format("--rtl-record: no chip or NIC{} has a block", where));
  }
}

std::unique_ptr<EcnMarker> RtlSwap::wred_marker(std::unique_ptr<EcnMarker> model,
                                                const std::vector<EcnParams>& profiles,
                                                const std::vector<std::uint8_t>& profile_of_queue,
                                                const BlockPlace& place) {
  const SwapMode how = mode("wred_marker", place);
  if (how.plain()) return model;
  return swap_wred_marker(std::move(model), profiles, profile_of_queue, place, how);
}

std::unique_ptr<Scheduler> RtlSwap::egress_scheduler(
    std::unique_ptr<Scheduler> model, const std::vector<SchedulerParams>& profiles,
    const std::vector<std::uint16_t>& profile_of_port, const BlockPlace& place) {
  const SwapMode how = mode("egress_scheduler", place);
  if (how.plain()) return model;
  return swap_egress_scheduler(std::move(model), profiles, profile_of_port, place, how);
}

std::unique_ptr<PfcReceiver> RtlSwap::pfc_rx(const std::vector<BitsPerSecond>& rates,
                                             const std::vector<std::uint8_t>& lossless,
                                             const BlockPlace& place) {
  const SwapMode how = mode("pfc_rx", place);
  if (!how.plain()) return swap_pfc_rx(rates, lossless, place, how);
  return std::make_unique<PfcReceiver>(rates, lossless);
}

std::unique_ptr<PfcSender> RtlSwap::pfc_tx(const PfcParams& params,
                                           const std::vector<BitsPerSecond>& rates,
                                           const BlockPlace& place) {
  const SwapMode how = mode("pfc_tx", place);
  if (!how.plain()) return swap_pfc_tx(params, rates, place, how);
  return std::make_unique<PfcSender>(params, rates);
}

std::unique_ptr<Mmu> RtlSwap::mmu_admission(std::unique_ptr<Mmu> model, const MmuParams& params,
                                            const MmuGeometry& geometry, const BlockPlace& place) {
  const SwapMode how = mode("mmu_admission", place);
  if (how.plain()) return model;
  return swap_mmu_admission(std::move(model), params, geometry, place, how);
}

std::unique_ptr<PacketCells> RtlSwap::cell_buffer(const CellBufferParams& params,
                                                  const BlockPlace& place) {
  const SwapMode how = mode("cell_buffer", place);
  if (how.plain()) return nullptr;
  return swap_cell_buffer(params, place, how);
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
  if (how.plain()) return model;
  return swap_ecmp_hash(std::move(model), params, place, how);
}

std::unique_ptr<AdaptiveSelector> RtlSwap::ar_select(std::unique_ptr<AdaptiveSelector> model,
                                                     const BlockPlace& place) {
  const SwapMode how = mode("ar_select", place);
  if (!model) {
    if (how.rtl) throw ConfigError("--rtl ar_select: needs routing.mode=dlb or ar");
    return model;
  }
  if (how.plain()) return model;
  return swap_ar_select(std::move(model), place, how);
}

}  // namespace sluice::rtl
