// SPDX-License-Identifier: Apache-2.0
// Published buffer settings of the chips that Sluice knows, and the headroom that goes with a speed
// and a cable. Leaves out: the per-SKU files, which the SONiC importer reads.
#pragma once

#include <cstdint>

#include "switch/mmu/mmu_params.h"

namespace sluice {

/// Inputs of the vendor headroom formula (sonic-swss buffer_headroom_mellanox.lua); the defaults
/// reproduce the published SN5600 profile table.
struct HeadroomInputs {
  BitsPerSecond rate{};
  Millimetres cable{};
  std::uint32_t port_mtu = 9216;
  std::uint32_t lossless_mtu = 1024;
  std::uint32_t cell_bytes = 192;
  std::uint32_t small_packet_percent = 100;
};
/// Headroom after XOFF, rounded up to 1 KiB. Throws ConfigError for a speed without response
/// budget.
Bytes vendor_xoff(const HeadroomInputs& inputs);
/// XON size of Spectrum-4: 19 KiB, doubled on 8-lane (800G) ports.
Bytes vendor_xon(BitsPerSecond rate);
/// Pause quanta within which a peer of that speed stops (IEEE 802.3; 800G as the vendor has it).
std::uint32_t peer_response_quanta(BitsPerSecond rate);

/// Tomahawk 5 headroom by speed and cable: published points, straight lines between and beyond
/// them.
Bytes tomahawk5_xoff(BitsPerSecond rate, Millimetres cable);

/// The figures hold for any port count: what the ports reserve is taken off when the chip is built.
MmuParams spectrum4_mmu(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);
MmuParams tomahawk5_mmu(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);
/// Published for 400G ports only.
MmuParams tomahawk4_mmu(std::uint32_t ports, BitsPerSecond rate, Millimetres cable);

}  // namespace sluice
