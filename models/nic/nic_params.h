// SPDX-License-Identifier: Apache-2.0
// Parameters of a NIC and its presets. Units are in the types; sources in describe().
// Leaves out: PCIe bandwidth and context caches, which the named latencies stand for.
#pragma once

#include <cstdint>

#include "kernel/parameter.h"
#include "nic/congestion/dcqcn_params.h"

namespace sluice {

struct NicParams {
  std::uint32_t ports = 1;
  BitsPerSecond port_rate{800'000'000'000};
  std::uint32_t frequency_offset_ppm = 50;  ///< largest seeded offset of a port's clock
  std::uint32_t mtu_bytes = 4096;           ///< payload of a full packet
  std::uint32_t inter_packet_gap_bytes = 12;
  bool vlan_tag = false;
  bool reth_every_packet = false;

  // Host post to first bit on the wire is the sum of the first three; last bit in to the host told
  // is the sum of the next three. Only tx_phy lies between the MAC, where PFC stops a class, and
  // the wire.
  Ps pcie_doorbell_latency = 150_ns;
  Ps tx_processing_latency = 200_ns;
  Ps tx_phy_latency = 50_ns;
  Ps rx_phy_latency = 50_ns;
  Ps rx_processing_latency = 200_ns;
  Ps pcie_write_latency = 150_ns;
  Ps ack_generation_latency = 350_ns;  ///< data packet received to its ACK or NAK ready for the MAC
  Ps cnp_generation_latency = 350_ns;  ///< the same for a CNP
  Ps pfc_response = 200_ns;            ///< PFC frame received to the class stopped

  std::uint32_t data_dscp = 26;
  std::uint32_t data_priority = 3;
  std::uint32_t ack_dscp = 26;
  std::uint32_t ack_priority = 3;
  std::uint32_t cnp_dscp = 48;
  std::uint32_t cnp_priority = 6;
  bool ecn_capable = true;  ///< data is sent as ECT(0)

  std::uint32_t ack_every = 32;     ///< AckReq on every n-th packet of a message and on its last
  std::uint32_t timeout_code = 14;  ///< T = 4.096 us * 2^code; 0: no timer
  std::uint32_t retry_count = 7;
  std::uint32_t start_psn = 1u << 24;       ///< 2^24: derived from the seed and the pair
  std::uint32_t window_packets = 1u << 23;  ///< most packets of one QP outstanding
  std::uint32_t burst_packets = 8;          ///< of one QP before the next QP's turn

  DcqcnParams dcqcn;

  Ps t_tx() const { return pcie_doorbell_latency + tx_processing_latency + tx_phy_latency; }
  Ps t_rx() const { return rx_phy_latency + rx_processing_latency + pcie_write_latency; }

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// ConnectX-8 class: 1 x 800G, DCQCN with the paper's set scaled by rate / 40G.
NicParams cx8();
/// ConnectX-7 class: 1 x 400G.
NicParams cx7();

}  // namespace sluice
