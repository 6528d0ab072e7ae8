// SPDX-License-Identifier: Apache-2.0
// Ports of one chip by cable: their rates, and thresholds of ports slower than the chip's fastest.
// Leaves out: what the thresholds are (switch presets).
#pragma once

#include <functional>
#include <vector>

#include "config/config_value.h"
#include "fabric/topology.h"
#include "link/link.h"
#include "switch/switch_params.h"

namespace sluice {

/// What is plugged into one chip.
struct ChipPorts {
  std::vector<BitsPerSecond> rates;
  Millimetres cable{};  ///< longest, as headroom counts it

  BitsPerSecond fastest() const;
  bool operator==(const ChipPorts&) const = default;
};

/// Parameters of a cable: those of its kind, save what it says itself.
LinkParams link_parameters(const Cable& cable, const LinkParams& between_chips,
                           const LinkParams& to_hosts);

std::vector<ChipPorts> ports_of_chips(const Topology& topology, const LinkParams& between_chips,
                                      const LinkParams& to_hosts);

/// Gives ports slower than the fastest the headroom and the marking curve of their own rate.
/// `settings_at`: the preset for a rate. What `written` says itself holds for all ports alike.
void set_slower_ports(SwitchParams& params, const ConfigValue& written, const ChipPorts& ports,
                      const std::function<SwitchParams(BitsPerSecond)>& settings_at);

}  // namespace sluice
