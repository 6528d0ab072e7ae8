// SPDX-License-Identifier: Apache-2.0
// See pause_rounds.h.
// Leaves out: any expectation of a test.
#include "golden/pause_rounds.h"

#include <algorithm>

#include "packet/serialisation.h"

namespace sluice::golden {

void limit_group(FabricSpec& spec, const WatchedGroup& group, std::uint32_t frames,
                 std::uint32_t frame_bytes, std::uint32_t headroom) {
  MmuParams& mmu = spec.chips[group.chip].mmu;
  const std::uint32_t cells = frames * cells_of_frame(frame_bytes, mmu.cell_bytes) + 1;
  PgOverride own{group.port, kLosslessPg, mmu.pg_default(kLosslessPg)};
  own.profile.static_limit = Bytes{std::uint64_t{cells} * mmu.cell_bytes};
  own.profile.xoff = Bytes{std::uint64_t{headroom} * mmu.cell_bytes};
  mmu.pg_overrides.push_back(own);
}

void add_streams(FabricSpec& spec, const WatchedGroup& group, std::uint32_t frame_bytes,
                 std::uint32_t reverse_bytes, Ps start) {
  RawStream there;
  there.destination = group.receiver;
  there.frame_bytes = frame_bytes;
  there.dscp = kRoceDscp;
  there.priority = kLosslessPg;
  there.start = start;
  RawStream back;
  back.destination = group.sender;
  back.frame_bytes = reverse_bytes;
  back.rate = BitsPerSecond{spec.raw.endpoint.port_rate.value / 400 * 399};
  spec.raw.sources.push_back(group.sender);
  spec.raw.streams.push_back(there);
  spec.raw.sources.push_back(group.receiver);
  spec.raw.streams.push_back(back);
}

RoundResult run_rounds(const FabricSpec& spec, const std::vector<WatchedGroup>& groups,
                       RoundTimes times, std::uint32_t rounds, std::uint64_t seed) {
  RunningFabric fabric(spec, {}, seed);
  RandomStream random(seed, 0, RandomPurpose::kSynthetic);
  constexpr auto kMask = static_cast<std::uint8_t>(1u << kLosslessPg);
  fabric.run_beside([&] {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      fabric.pass(times.open + Ps{random.below(static_cast<std::uint32_t>(times.open.value))});
      for (const WatchedGroup& group : groups) fabric.raw(group.receiver).send_pfc(kMask, 65535);
      fabric.pass(times.closed);
      for (const WatchedGroup& group : groups) fabric.raw(group.receiver).send_pfc(kMask, 0);
    }
  });
  RoundResult result;
  for (const WatchedGroup& group : groups) {
    const SwitchChip& chip = fabric.chip(group.chip);
    result.xoff_events += chip.egress(group.port).tx_pfc_xoff_frames;
    result.most_headroom =
        std::max(result.most_headroom,
                 chip.mmu().pg(static_cast<std::uint16_t>(group.port), kLosslessPg).peak_headroom);
  }
  for (const auto& chip : fabric.fabric().chips()) {
    result.lossless_drops += chip->report().lossless_drops;
  }
  return result;
}

}  // namespace sluice::golden
