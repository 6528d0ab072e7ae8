// SPDX-License-Identifier: Apache-2.0
// The four words that travel with each write and tell the receiving rank what it belongs to.
// Leaves out: the wire form; IBTA's immediate is 4 bytes, the rest stands for the address written
// to.
#pragma once

#include <array>
#include <cstdint>

#include "workload/workload.h"

namespace sluice {

using Immediate = std::array<std::uint32_t, 4>;

/// What `scope` is when the write belongs to no group.
inline constexpr std::uint32_t kScopePointToPoint = UINT32_MAX - 1;
inline constexpr std::uint32_t kScopeOneSided = UINT32_MAX;
inline constexpr std::uint32_t kMaxSender = (1u << 24) - 1;

struct MessageTag {
  std::uint32_t scope = 0;    ///< group, or one of the kScope values
  std::uint32_t ordinal = 0;  ///< of the op in its group; of the message in its (peer, tag)
  std::uint32_t step = 0;     ///< of the collective; point to point: the tag
  std::uint32_t sender = 0;   ///< member index in the group; otherwise the rank; up to kMaxSender
  OpKind kind = OpKind::kWrite;
};

constexpr Immediate pack(const MessageTag& tag) {
  return {tag.scope, tag.ordinal, tag.step,
          (static_cast<std::uint32_t>(tag.kind) << 24) | tag.sender};
}
constexpr MessageTag unpack(const Immediate& words) {
  return {words[0], words[1], words[2], words[3] & kMaxSender, static_cast<OpKind>(words[3] >> 24)};
}

}  // namespace sluice
