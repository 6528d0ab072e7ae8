// SPDX-License-Identifier: Apache-2.0
// Parameters of forwarding: routed or bridged, and the sizes of the tables.
// Leaves out: the routes themselves, which the fabric installs.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

enum class ForwardingMode : std::uint8_t { kL3, kL2 };

struct ForwardingParams {
  ForwardingMode mode = ForwardingMode::kL3;
  std::uint32_t lpm_entries = 131'072;  ///< prefixes shorter than an address
  std::uint32_t host_entries = 65'536;  ///< whole addresses
  std::uint32_t mac_entries = 131'072;
  Ps mac_ageing{300'000'000'000'000};  ///< 300 s
  /// VLAN of the untagged frames of each port; empty: all ports in VLAN 1.
  std::vector<std::uint32_t> vlan_of_port{};

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
