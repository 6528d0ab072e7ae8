// SPDX-License-Identifier: Apache-2.0
// Whole frames as they lie in a capture, from destination MAC to FCS: RoCEv2 packets and PFC.
// Leaves out: preamble and gap, and the contents of messages, which the model does not carry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "packet/wire/headers.h"

namespace sluice::wire {

/// What a RoCEv2 packet travels in; IPv6 when `ipv6` is set, IPv4 otherwise.
struct RoceEnvelope {
  Ethernet ethernet;  ///< its ether_type is filled in
  bool ipv6 = false;
  Ipv4 v4;  ///< its length is filled in, as those of the other headers
  Ipv6 v6;
  std::uint16_t udp_source_port = 0;
  /// A checksum of 0 means none over IPv4; IPv6 forbids it, so there it is always computed.
  bool udp_checksum = false;
};

/// Any RoCEv2 packet: `after_bth` is everything between BTH and ICRC.
Buffer roce_frame(const RoceEnvelope& around, const Bth& bth,
                  std::span<const std::uint8_t> after_bth);
/// A packet of an RDMA WRITE. FIRST and ONLY carry the RETH; others may (spray with direct
/// placement). The BTH's pad count follows from the payload.
Buffer write_frame(const RoceEnvelope& around, Bth bth, const std::optional<Reth>& reth,
                   std::span<const std::uint8_t> payload);
/// An unreliable datagram, SEND_ONLY.
Buffer ud_send_frame(const RoceEnvelope& around, Bth bth, const Deth& deth,
                     std::span<const std::uint8_t> payload);
/// ACK or NAK, by the syndrome.
Buffer ack_frame(const RoceEnvelope& around, Bth bth, const Aeth& aeth);
/// Congestion notification to `destination_qp` (annex A17.9.3).
Buffer cnp_frame(const RoceEnvelope& around, std::uint32_t destination_qp);

/// Priority-based flow control (IEEE 802.1Qbb, 802.3 annex 31D): bit i of `enabled` says that
/// quanta[i] is meant for priority i; a time of 0 resumes it.
struct Pfc {
  std::uint8_t enabled = 0;
  std::array<std::uint16_t, 8> quanta{};
  bool operator==(const Pfc&) const = default;
};
Buffer pfc_frame(const Mac& source, const Pfc& pfc);
/// Link-wide PAUSE (IEEE 802.3 annex 31B), which no modelled port sends or obeys.
Buffer pause_frame(const Mac& source, std::uint16_t quanta);
/// Throws TraceError where the bytes are no PFC frame.
Pfc decode_pfc(std::span<const std::uint8_t> frame);

/// Opcode of a WRITE packet by its place in the message.
constexpr Opcode write_opcode(bool first, bool last) {
  if (first) return last ? Opcode::kWriteOnly : Opcode::kWriteFirst;
  return last ? Opcode::kWriteLast : Opcode::kWriteMiddle;
}

/// Pads to 60 B and appends the FCS.
void append_fcs(Buffer& frame);

/// The parts of a RoCEv2 frame; `after_bth` is everything between BTH and ICRC.
struct RoceFrame {
  Ethernet ethernet;
  bool ipv6 = false;
  Ipv4 v4;
  Ipv6 v6;
  Udp udp;
  Bth bth;
  std::span<const std::uint8_t> after_bth;
  std::uint32_t icrc = 0;
  bool icrc_good = false;
  bool fcs_good = false;           ///< never without an FCS
  bool udp_checksum_good = false;  ///< right, or absent where it may be
};
enum class Fcs : std::uint8_t { kPresent, kAbsent };
/// Takes a frame apart, with FCS or as captures on hosts have it. Throws TraceError, naming the
/// byte, where it is no RoCEv2 frame; wrong check sums are reported in the result.
RoceFrame decode_roce(std::span<const std::uint8_t> frame, Fcs fcs = Fcs::kPresent);

}  // namespace sluice::wire
