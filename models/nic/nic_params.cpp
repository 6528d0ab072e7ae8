// SPDX-License-Identifier: Apache-2.0
#include "nic/nic_params.h"

#include <array>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr ParameterRange kLatency{0, 1e9};
constexpr std::string_view kLatencySource =
    "estimate: PCIe and NIC stages that sum to 400 ns each way";

void describe_latencies(NicParams& params, ParameterVisitor& visitor) {
  const auto visit = [&visitor](std::string_view name, Ps& value, std::string_view meaning) {
    visitor.visit(name, value, kLatency, {meaning, kLatencySource});
  };
  visit("pcie_doorbell_latency", params.pcie_doorbell_latency, "host post to the NIC's send queue");
  visit("tx_processing_latency", params.tx_processing_latency, "send queue to the MAC");
  visit("tx_phy_latency", params.tx_phy_latency, "MAC to the first bit on the wire");
  visit("rx_phy_latency", params.rx_phy_latency, "last bit in to the MAC");
  visit("rx_processing_latency", params.rx_processing_latency, "MAC to the DMA engine");
  visit("pcie_write_latency", params.pcie_write_latency, "DMA engine to visible at the host");
  visit("ack_generation_latency", params.ack_generation_latency,
        "data packet received to its ACK or NAK at the MAC");
  visit("cnp_generation_latency", params.cnp_generation_latency,
        "marked packet received to its CNP at the MAC (the CNP delay)");
  visit("pfc_response", params.pfc_response, "PFC frame received to the class stopped");
}

void describe_classes(NicParams& params, ParameterVisitor& visitor) {
  constexpr ParameterRange kDscp{0, 63};
  constexpr ParameterRange kPriority{0, 7};
  visitor.visit("data_dscp", params.data_dscp, kDscp,
                {"DSCP of data", "SONiC QoS maps: 26 is RoCE"});
  visitor.visit("data_priority", params.data_priority, kPriority,
                {"PFC priority that stops data", "SONiC QoS maps"});
  visitor.visit("ack_dscp", params.ack_dscp, kDscp,
                {"DSCP of ACK and NAK", "that of the QP's data"});
  visitor.visit("ack_priority", params.ack_priority, kPriority,
                {"PFC priority that stops ACK and NAK", "that of the QP's data"});
  visitor.visit("cnp_dscp", params.cnp_dscp, kDscp, {"DSCP of CNPs", "mlxconfig CNP_DSCP"});
  visitor.visit("cnp_priority", params.cnp_priority, kPriority,
                {"PFC priority that stops CNPs", "mlxconfig CNP_802P_PRIO"});
  visitor.visit("ecn_capable", params.ecn_capable, {"data is sent as ECT(0)", "RFC 3168"});
  visitor.visit(
      "ip_version", params.ip_version, {4, 6},
      {"4 or 6: the IP header that RoCEv2 packets travel in, 20 or 40 B", "IBTA annex A17.3.1"});
  visitor.visit("vlan_tag", params.vlan_tag, {"802.1Q tag on every frame, 4 B", "IEEE 802.1Q"});
}

void describe_transport(NicParams& params, ParameterVisitor& visitor) {
  visitor.visit("mtu_bytes", params.mtu_bytes, {256, 4096},
                {"payload of a full packet: 256, 512, 1024, 2048 or 4096", "IBTA 9.7", "B"});
  visitor.visit(
      "reth_every_packet", params.reth_every_packet,
      {"16-byte RETH in every packet, not the first alone", "estimate: for direct placement"});
  visitor.visit("ack_every", params.ack_every, {1, 256},
                {"AckReq on every n-th packet of a message and on its last", "estimate"});
  visitor.visit("timeout_code", params.timeout_code, {0, 31},
                {"acknowledgement timeout 4.096 us * 2^code; 0: none", "IBTA 9.7.6.1.3"});
  visitor.visit(
      "timeout_spread_percent", params.timeout_spread_percent, {0, 300},
      {"each timeout is longer by a seeded part of this, so that QPs do not repeat in step",
       "IBTA 9.7.6.1.3: up to 4 times", "%"});
  visitor.visit("retry_count", params.retry_count, {0, 7},
                {"timeouts without progress before the QP fails", "IBTA 9.9.2.4.1"});
  visitor.visit("start_psn", params.start_psn, {0, 16777216},
                {"first PSN of every QP; 2^24: derived from the seed and the pair", "IBTA 9.7.2"});
  visitor.visit("window_bytes", params.window_bytes, {0, 3.5e10},
                {"most payload of one QP unacknowledged, in whole packets; 0: 2^23 packets",
                 "choice; IBTA 9.7.2 for 0"});
  visitor.visit("burst_packets", params.burst_packets, {1, 65536},
                {"packets of one QP before the next QP's turn", "estimate", "packets"});
}

void describe_loss_recovery(NicParams& params, ParameterVisitor& visitor) {
  static constexpr std::array<std::string_view, 3> kLossRecovery{"go_back_n", "selective_repeat",
                                                                 "go_back_0"};
  visitor.visit(
      "loss_recovery", params.loss_recovery, kLossRecovery,
      {"what is sent again: everything from the lost packet on, that packet alone, or its "
       "whole message",
       "IBTA 9.7.5.2.8; Spectrum-X profile: adaptive retransmission"});
  visitor.visit("out_of_order_placement", params.out_of_order_placement,
                {"packets are placed as they come; being overtaken is no loss",
                 "NVIDIA: out-of-order data placement, ConnectX-5 on"});
  visitor.visit("psn_window", params.psn_window, {64, 65536},
                {"packets from the expected one on that selective repeat and out-of-order "
                 "placement keep track of; a power of two",
                 "estimate: a bitmap of 1024", "packets"});
  visitor.visit("reorder_packets", params.reorder_packets, {1, 65535},
                {"with out_of_order_placement: a packet is lost when one so many later has come",
                 "estimate: 10 us of skew at 800G", "packets"});
}

void describe_planes(NicParams& params, ParameterVisitor& visitor) {
  static constexpr std::array<std::string_view, 3> kChoices{"per_packet", "per_message", "per_qp"};
  visitor.visit("plane_choice", params.plane_choice, kChoices,
                {"what may leave by which of several ports: every packet by any, a message or a QP "
                 "by one",
                 "Spectrum-X RA 2.1: hwplb sprays packets, swplb splits QPs"});
  visitor.visit("plane_failure_threshold", params.plane_failure_threshold, {0, 1000},
                {"probes in a row without reply before a QP gives up a plane; 0: it never does",
                 "Spectrum-X RA 2.1", "probes"});
  visitor.visit("plane_recovery_threshold", params.plane_recovery_threshold, {1, 255},
                {"probes answered before it uses that plane again", "Spectrum-X RA 2.1", "probes"});
}

void describe_receive_buffer(NicParams& params, ParameterVisitor& visitor) {
  constexpr std::string_view kSlow = "choice of the experiment: a slow receiver";
  constexpr std::string_view kBuffer = "estimate: mlnx_qos shows 0.25 to 2 MB a port";
  constexpr ParameterRange kSize{1024, 1e9};
  visitor.visit("rx_drain_rate", params.rx_drain_rate, {0, 1.6e12},
                {"data that the host takes from a port, preamble to gap; 0: all", kSlow});
  visitor.visit("rx_drain_percent", params.rx_drain_percent, {0, 100},
                {"the same in % of port_rate; 100: all", kSlow, "%"});
  visitor.visit("rx_buffer_bytes", params.rx_buffer_bytes, kSize,
                {"receive buffer of a port whose host is slow", kBuffer});
  visitor.visit("rx_xoff_bytes", params.rx_xoff_bytes, kSize,
                {"more than this in it: PFC for data_priority", kBuffer});
  visitor.visit("rx_xon_bytes", params.rx_xon_bytes, kSize,
                {"this or less in it again: the pause ends", kBuffer});
}

void check_receive_buffer(const NicParams& params) {
  const auto fail = [](std::string_view key, std::uint64_t value, std::string_view expected) {
    throw ConfigError(fmt::format("{}: {}, expected {}", key, value, expected));
  };
  if (params.rx_drain_percent > 100) {
    fail("rx_drain_percent", params.rx_drain_percent, "0..100");
  }
  if (params.rx_drain_rate.value != 0 && params.rx_drain_percent != 100) {
    fail("rx_drain_rate", params.rx_drain_rate.value, "0 beside rx_drain_percent: one of the two");
  }
  if (params.rx_drain_rate > params.port_rate) {
    fail("rx_drain_rate", params.rx_drain_rate.value, "at most port_rate");
  }
  if (params.rx_drain_rate.value != 0 && params.rx_drain_rate.value < 100'000'000) {
    fail("rx_drain_rate", params.rx_drain_rate.value, "0 or at least 100 Mb/s");
  }
  if (params.rx_xoff_bytes >= params.rx_buffer_bytes) {
    fail("rx_xoff_bytes", params.rx_xoff_bytes.value, "less than rx_buffer_bytes");
  }
  if (params.rx_xon_bytes > params.rx_xoff_bytes) {
    fail("rx_xon_bytes", params.rx_xon_bytes.value, "at most rx_xoff_bytes");
  }
}

constexpr BitsPerSecond kLeastRateLimit{1'000'000};
constexpr std::array<std::string_view, 3> kCongestionControls{"none", "dcqcn", "rttcc"};

void describe_congestion(NicParams& params, ParameterVisitor& visitor) {
  visitor.visit(
      "qp_rate_limit", params.qp_rate_limit, {0, 1.6e12},
      {"highest rate of each QP on each plane, preamble to gap; with congestion control the slower "
       "of both; 0: none",
       "choice of the experiment"});
  visitor.visit("qp_rate_burst_bytes", params.qp_rate_burst_bytes, {0, 1e9},
                {"what a QP that was slower may send above that rate at once", "estimate"});
  visitor.visit("congestion_control", params.congestion_control, kCongestionControls,
                {"dcqcn: by ECN marks; rttcc: by round-trip time", "mlxconfig ROCE_CC"});
}

void check_range(const char* key, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value < min || value > max) {
    throw ConfigError(fmt::format("{}: {}, expected {}..{}", key, value, min, max));
  }
}

}  // namespace

void NicParams::describe(ParameterVisitor& visitor) {
  visitor.visit("ports", ports, {1, 4}, {"network ports, planes to the QPs", "ConnectX-8: 1 or 2"});
  visitor.visit("port_rate", port_rate, {1e10, 1.6e12}, {"MAC rate of a port", "ConnectX-8 brief"});
  visitor.visit("frequency_offset_ppm", frequency_offset_ppm, {0, 100},
                {"largest offset of a port's clock, seeded", "IEEE 802.3: +-100 ppm", "ppm"});
  visitor.visit("inter_packet_gap_bytes", inter_packet_gap_bytes, {8, 64},
                {"gap between frames", "IEEE 802.3 4.4.2: 12; Spectrum-X profile: 25 or 33", "B"});
  describe_latencies(*this, visitor);
  describe_classes(*this, visitor);
  describe_transport(*this, visitor);
  describe_loss_recovery(*this, visitor);
  describe_planes(*this, visitor);
  describe_receive_buffer(*this, visitor);
  visitor.begin("verbs", "SEND, READ, atomics and receive requests");
  verbs.describe(visitor);
  visitor.end();
  visitor.begin("pcie", "the host side: PCI Express, caches, message rate");
  pcie.describe(visitor);
  visitor.end();
  describe_congestion(*this, visitor);
  visitor.begin("dcqcn", "congestion control by ECN marks");
  dcqcn.describe(visitor);
  visitor.end();
  visitor.begin("rttcc", "congestion control by round-trip time");
  rttcc.describe(visitor);
  visitor.end();
  visitor.begin("probe", "round-trip probes");
  probe.describe(visitor);
  visitor.end();
}

void NicParams::validate() const {
  check_range("ports", ports, 1, 4);
  check_range("port_rate", port_rate.value, 10'000'000'000, 1'600'000'000'000);
  check_range("frequency_offset_ppm", frequency_offset_ppm, 0, 100);
  check_range("inter_packet_gap_bytes", inter_packet_gap_bytes, 8, 64);
  if (mtu_bytes < 256 || mtu_bytes > 4096 || (mtu_bytes & (mtu_bytes - 1)) != 0) {
    throw ConfigError(
        fmt::format("mtu_bytes: {}, expected 256, 512, 1024, 2048 or 4096", mtu_bytes));
  }
  check_range("data_dscp", data_dscp, 0, 63);
  check_range("ack_dscp", ack_dscp, 0, 63);
  check_range("cnp_dscp", cnp_dscp, 0, 63);
  check_range("data_priority", data_priority, 0, 7);
  check_range("ack_priority", ack_priority, 0, 7);
  check_range("cnp_priority", cnp_priority, 0, 7);
  check_range("ack_every", ack_every, 1, 256);
  check_range("timeout_code", timeout_code, 0, 31);
  check_range("timeout_spread_percent", timeout_spread_percent, 0, 300);
  check_range("retry_count", retry_count, 0, 7);
  check_range("start_psn", start_psn, 0, 1u << 24);
  check_range("burst_packets", burst_packets, 1, 65536);
  check_range("plane_failure_threshold", plane_failure_threshold, 0, 1000);
  check_range("plane_recovery_threshold", plane_recovery_threshold, 1, 255);
  check_range("psn_window", psn_window, 64, 65536);
  if ((psn_window & (psn_window - 1)) != 0) {
    throw ConfigError(fmt::format("psn_window: {}, expected a power of two", psn_window));
  }
  check_range("reorder_packets", reorder_packets, 1, psn_window - 1);
  if (loss_recovery == LossRecovery::kGoBack0 && out_of_order_placement) {
    throw ConfigError("out_of_order_placement: true, expected false with loss_recovery go_back_0");
  }
  if (loss_recovery == LossRecovery::kGoBack0 && ports > 1 && plane_choice != PlaneChoice::kPerQp) {
    throw ConfigError(
        "plane_choice: per_packet or per_message, expected per_qp with loss_recovery go_back_0: a "
        "packet that is overtaken would begin its message again, for ever");
  }
  check_receive_buffer(*this);
  if (ip_version != 4 && ip_version != 6) {
    throw ConfigError(fmt::format("ip_version: {}, expected 4 or 6", ip_version));
  }
  verbs.validate();
  if (qp_rate_limit.value != 0 && qp_rate_limit < kLeastRateLimit) {
    throw ConfigError(
        fmt::format("qp_rate_limit: {} bit/s, expected 0 or at least 1 Mb/s", qp_rate_limit.value));
  }
  pcie.validate();
  dcqcn.validate();
  rttcc.validate();
  probe.validate();
}

NicParams cx8() { return NicParams{}; }

NicParams cx7() {
  NicParams params;
  params.port_rate = {400'000'000'000};
  return params;
}

}  // namespace sluice
