// SPDX-License-Identifier: Apache-2.0
// Parameters of a NIC and its presets. Units are in the types; sources in describe().
// Leaves out: what each block's own parameters leave out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/parameter.h"
#include "nic/congestion/dcqcn_params.h"
#include "nic/congestion/rttcc_params.h"
#include "nic/pcie/pcie_params.h"
#include "nic/probe/probe_params.h"
#include "nic/requester/plane_choice.h"
#include "nic/verbs_params.h"
#include "packet/serialisation.h"

namespace sluice {

/// What is sent again after a loss.
enum class LossRecovery : std::uint8_t { kGoBackN, kSelectiveRepeat, kGoBack0 };

enum class CongestionControl : std::uint8_t { kNone, kDcqcn, kRttcc };

struct NicParams {
  static constexpr std::uint32_t kMostPacketsOutstanding = 1u << 23;  ///< IBTA 9.7.2

  std::uint32_t ports = 1;
  BitsPerSecond port_rate{800'000'000'000};
  std::uint32_t frequency_offset_ppm = 50;  ///< largest seeded offset of a port's clock
  std::uint32_t mtu_bytes = 4096;           ///< payload of a full packet
  std::uint32_t inter_packet_gap_bytes = 12;
  bool vlan_tag = false;
  std::uint32_t ip_version = 4;  ///< 6: headers 20 B longer, hashes over the longer addresses
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

  // A host that takes data more slowly than the port brings it: frames queue in the NIC, and above
  // XOFF the NIC pauses the network. At 0 and 100 % nothing queues and no PFC is ever sent.
  BitsPerSecond rx_drain_rate{0};        ///< of preamble to gap, a port; 0: no limit
  std::uint32_t rx_drain_percent = 100;  ///< the same in parts of port_rate; 100: no limit
  Bytes rx_buffer_bytes{512 * 1024};
  Bytes rx_xoff_bytes{256 * 1024};
  Bytes rx_xon_bytes{192 * 1024};

  std::uint32_t ack_every = 32;     ///< AckReq on every n-th packet of a message and on its last
  std::uint32_t timeout_code = 14;  ///< T = 4.096 us * 2^code; 0: no timer
  std::uint32_t timeout_spread_percent = 0;  ///< T to T longer by this, seeded
  std::uint32_t retry_count = 7;
  std::uint32_t start_psn = 1u << 24;  ///< 2^24: derived from the seed and the pair
  Bytes window_bytes{0};               ///< most bytes of one QP outstanding; 0: 2^23 packets
  std::uint32_t burst_packets = 8;     ///< of one QP before the next QP's turn

  LossRecovery loss_recovery = LossRecovery::kGoBackN;
  bool out_of_order_placement = false;  ///< overtaking is no loss
  std::uint32_t psn_window = 1024;      ///< packets that a receiver keeps track of
  PlaneChoice plane_choice = PlaneChoice::kPerQp;
  std::uint32_t plane_failure_threshold = 3;   ///< probes without reply in a row; 0: never
  std::uint32_t plane_recovery_threshold = 1;  ///< probes answered

  std::uint32_t reorder_packets = 256;  ///< overtaken by so many: lost

  VerbsParams verbs;
  PcieParams pcie;

  BitsPerSecond qp_rate_limit{0};  ///< of every QP, preamble to gap; 0: none
  Bytes qp_rate_burst_bytes{16384};

  CongestionControl congestion_control = CongestionControl::kDcqcn;
  DcqcnParams dcqcn;
  RttccParams rttcc;
  ProbeParams probe;

  /// Something in the NIC asks for round-trip times.
  bool probing() const {
    return probe.always || congestion_control == CongestionControl::kRttcc || watches_planes();
  }
  /// Whether QPs give up planes whose probes are not answered.
  bool watches_planes() const { return ports > 1 && plane_failure_threshold != 0; }
  bool rx_limited() const { return rx_drain_rate.value != 0 || rx_drain_percent != 100; }
  /// Where rx_limited(): what leaves a port's receive buffer; 0: nothing.
  BitsPerSecond drain_rate() const {
    if (rx_drain_rate.value != 0) return rx_drain_rate;
    return {port_rate.value / 100 * rx_drain_percent};
  }
  /// Whether a receiver keeps packets ahead of the one it expects.
  bool keeps_early() const {
    return out_of_order_placement || loss_recovery == LossRecovery::kSelectiveRepeat;
  }
  /// Packets after a missing one that show it is lost.
  std::uint32_t overtaken_by() const { return out_of_order_placement ? reorder_packets : 1; }
  /// The window in packets of full size, at least one.
  std::uint32_t window_packets() const {
    const std::uint64_t most = keeps_early() ? psn_window : kMostPacketsOutstanding;
    if (window_bytes.value == 0) return static_cast<std::uint32_t>(most);
    return static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(window_bytes.value / mtu_bytes, 1, most));
  }
  /// ack_every, or more often: a window that is full must not wait for an ACK nobody asked for.
  std::uint32_t effective_ack_every() const {
    return std::min(ack_every, std::max(1u, window_packets() / 2));
  }

  Encapsulation encapsulation() const { return {.ipv6 = ip_version == 6, .vlan = vlan_tag}; }
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
