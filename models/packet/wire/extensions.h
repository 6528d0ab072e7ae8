// SPDX-License-Identifier: Apache-2.0
// What stands between BTH and ICRC by opcode: extension headers, payload, pad (IBTA volume 1, table
// 38 and 9.3). Leaves out: reliable datagram, XRC, and what only InfiniBand has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "packet/wire/headers.h"

namespace sluice::wire {

/// Which headers an opcode's packets have, and their place in a message.
struct OpcodeForm {
  bool deth = false;
  bool reth = false;
  bool atomic = false;
  bool aeth = false;
  bool atomic_ack = false;
  bool immediate = false;
  bool invalidate = false;
  bool payload = false;
  bool first = false;    ///< begins a message
  bool last = false;     ///< ends one
  bool request = false;  ///< goes from requester to responder
};

/// Nothing for opcodes that are not read here.
std::optional<OpcodeForm> form_of(std::uint8_t opcode);
/// "RC WRITE First", "CNP"; "opcode 0x.." for others.
std::string opcode_name(std::uint8_t opcode);
constexpr bool is_send(std::uint8_t rc_opcode) {
  return (rc_opcode & 0x1f) <= 0x05 || (rc_opcode & 0x1f) == 0x16 || (rc_opcode & 0x1f) == 0x17;
}
constexpr bool is_write(std::uint8_t rc_opcode) {
  return (rc_opcode & 0x1f) >= 0x06 && (rc_opcode & 0x1f) <= 0x0B;
}

/// The headers that are there, in the order of the wire.
struct Extensions {
  std::optional<Deth> deth;
  std::optional<Reth> reth;
  std::optional<AtomicEth> atomic;
  std::optional<Aeth> aeth;
  std::optional<std::uint64_t> atomic_ack;  ///< the value found
  std::optional<std::uint32_t> immediate;
  std::optional<std::uint32_t> invalidate;

  void encode(Buffer& out) const;
  /// Those that the form asks for, in front of the payload. Throws TraceError where bytes lack.
  static Extensions decode(const OpcodeForm& form, Reader& in);
  bool operator==(const Extensions&) const = default;
};

}  // namespace sluice::wire
