// SPDX-License-Identifier: Apache-2.0
// Pairs of testers whose receivers stop the switch again and again at random instants, while both
// directions are saturated: many XOFF events of random phase. Leaves out: what is expected of them.
#pragma once

#include <vector>

#include "golden/running_fabric.h"
#include "kernel/random.h"

namespace sluice::golden {

/// A priority group whose headroom is under test, and the tester that closes the way behind it.
struct WatchedGroup {
  std::uint32_t chip = 0;
  std::uint32_t port = 0;
  std::uint32_t sender = 0;    ///< tester whose frames fill the group
  std::uint32_t receiver = 0;  ///< tester that they go to
};

inline constexpr std::uint32_t kLosslessPg = 3;
inline constexpr std::uint32_t kRoceDscp = 26;

/// Gives the group a static limit of `frames` frames and a cell more, so that the frame that leads
/// to XOFF is the first in headroom, and `headroom` cells of its own.
void limit_group(FabricSpec& spec, const WatchedGroup& group, std::uint32_t frames,
                 std::uint32_t frame_bytes, std::uint32_t headroom);

/// Line rate to the receiver in the lossless class; back, in a lossy one, just so much less that
/// pause frames find room between.
void add_streams(FabricSpec& spec, const WatchedGroup& group, std::uint32_t frame_bytes,
                 std::uint32_t reverse_bytes, Ps start);

struct RoundTimes {
  Ps closed{};  ///< long enough to fill the group and to let everything come to rest
  Ps open{};    ///< a random time up to as much again is added
};

struct RoundResult {
  std::uint64_t xoff_events = 0;     ///< PFC frames that paused the groups' peers
  std::uint32_t most_headroom = 0;   ///< cells, of any group
  std::uint64_t lossless_drops = 0;  ///< frames
};

RoundResult run_rounds(const FabricSpec& spec, const std::vector<WatchedGroup>& groups,
                       RoundTimes times, std::uint32_t rounds, std::uint64_t seed = 1);

}  // namespace sluice::golden
