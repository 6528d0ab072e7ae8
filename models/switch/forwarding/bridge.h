// SPDX-License-Identifier: Apache-2.0
// A switch in layer 2 mode: which ports a frame goes to by MAC address and VLAN, learning as it
// goes. Leaves out: spanning tree (a fabric with a loop is refused), tagged VLANs, link
// aggregation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packet/packet.h"
#include "switch/forwarding/forwarding_params.h"
#include "switch/forwarding/mac_table.h"

namespace sluice {

struct BridgeCounters {
  std::uint64_t flooded = 0;         ///< frames sent to all other ports of their VLAN
  std::uint64_t flooded_copies = 0;  ///< frames that this made
};

class Bridge {
 public:
  /// `broadcast` is the destination that stands for ff:ff:ff:ff:ff:ff.
  Bridge(const ForwardingParams& params, std::uint32_t ports, std::uint32_t broadcast);

  /// Learns the source and answers with the ports to send to: one, all others of the VLAN, or none
  /// where the station is behind the port that the frame came from. Valid until the next call.
  std::span<const std::uint16_t> forward(std::uint32_t ingress_port, const Packet& packet, Ps now);

  const MacTable& table() const { return table_; }
  MacTable& table() { return table_; }
  const BridgeCounters& counters() const { return counters_; }

 private:
  MacTable table_;
  std::uint32_t broadcast_;
  std::vector<std::uint32_t> vlan_of_port_;
  std::vector<std::uint16_t> ports_;
  BridgeCounters counters_;
};

}  // namespace sluice
