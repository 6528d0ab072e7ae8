// SPDX-License-Identifier: Apache-2.0
// Builds the admission policy that the parameters name. Leaves out: the policies themselves.
#include "switch/mmu/mmu.h"

#include <array>

#include "switch/mmu/broadcom_mmu.h"
#include "switch/mmu/nvidia_mmu.h"

namespace sluice {

template class MmuCore<BroadcomMmu>;
template class MmuCore<NvidiaMmu>;

std::string_view drop_reason_name(DropReason reason) {
  constexpr std::array<std::string_view, kDropReasons> kNames{
      "none", "ingress_pg", "shared_headroom", "egress_queue", "no_cells"};
  return kNames[static_cast<std::size_t>(reason)];
}

void Mmu::check_now() {
  books_.until_check = kCheckEvery;
  check_conservation();
}

std::unique_ptr<Mmu> make_mmu(const MmuParams& params, const MmuGeometry& geometry) {
  if (params.policy == MmuPolicy::kNvidia) return std::make_unique<NvidiaMmu>(params, geometry);
  return std::make_unique<BroadcomMmu>(params, geometry);
}

}  // namespace sluice
