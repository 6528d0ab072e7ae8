// SPDX-License-Identifier: Apache-2.0
// See g15_chip.h.
// Leaves out: expected cells, which are in the tests of each chip.
#include "golden/g15_chip.h"

#include <gtest/gtest.h>

namespace sluice::golden {
namespace {

constexpr std::uint32_t kStrictClass = 6;
constexpr std::uint32_t kMost = 400'000;  // packets; more than any pool here has cells

RawStream frame_of(std::uint32_t destination, std::uint32_t dscp) {
  RawStream stream;
  stream.destination = destination;
  stream.frame_bytes = kSmallFrame;
  stream.dscp = dscp;
  stream.priority = dscp;
  return stream;
}

}  // namespace

void map_classes(SwitchParams& chip) {
  for (const std::uint32_t pg : {0, 3, 4, 6}) chip.qos.dscp_to_tc[pg] = pg;
}

std::uint64_t Filler::refused(GroupOfPort group) const {
  const IngressPort& port = fabric_.chip(0).ingress(group.port);
  return port.dropped(ChipDrop::kIngressPg) + port.dropped(ChipDrop::kSharedHeadroom) +
         port.dropped(ChipDrop::kEgressQueue) + port.dropped(ChipDrop::kNoCells);
}

void Filler::send(GroupOfPort group, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    fabric_.raw(group.port).send_now(frame_of(egress_, group.pg));
  }
  fabric_.pass(settle_);
}

std::uint32_t Filler::until_xoff(GroupOfPort group) {
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    send(group, 1);
    if (usage(group).xoff) {
      EXPECT_EQ(usage(group).total(), n) << "every packet up to here is held";
      EXPECT_EQ(fabric_.chip(0).queue(egress_, group.pg).tx_frames, 0u) << "the port is closed";
      return n;
    }
  }
  const IngressPort& port = fabric_.chip(0).ingress(group.port);
  ADD_FAILURE() << "no XOFF: " << port.rx_frames << " frames came in, " << refused(group)
                << " were refused, " << usage(group).total() << " cells are held";
  return 0;
}

std::uint32_t Filler::until_drop(GroupOfPort group) {
  const std::uint64_t before = refused(group);
  for (std::uint32_t n = 1; n <= kMost; ++n) {
    send(group, 1);
    if (refused(group) != before) return usage(group).total() + 1;
  }
  ADD_FAILURE() << "no drop";
  return 0;
}

std::uint32_t Filler::drain_until_xon(GroupOfPort group, std::uint8_t priorities) {
  const SwitchChip& chip = fabric_.chip(0);
  EXPECT_EQ(chip.egress(group.port).tx_pfc_xon_frames, 0u);
  const auto sent = [&] { return chip.egress(group.port).tx_pfc_xon_frames != 0; };
  // The closing host repeats its XOFF now and then; ours must have the last word.
  for (int microseconds = 0; microseconds < 100 && !sent(); ++microseconds) {
    fabric_.raw(egress_).send_pfc(priorities, 0);
    fabric_.pass_until(sent, 200_ps, 1_us);
  }
  EXPECT_TRUE(sent());
  const std::uint32_t held = usage(group).total();
  EXPECT_EQ(fabric_.raw(group.port).counters().xon_received, 0u);
  fabric_.pass(settle_);
  EXPECT_EQ(fabric_.raw(group.port).counters().xon_received, 1u) << "a frame on the wire";
  return held;
}

std::uint32_t lossy_drop(FabricSpec spec, const LossyRun& run) {
  spec.raw.pausing_hosts.clear();
  RawStream blocker = frame_of(run.egress, kStrictClass);
  blocker.frame_bytes = 9216;
  for (const std::uint32_t host : run.blockers) {
    spec.raw.sources.push_back(host);
    spec.raw.streams.push_back(blocker);
  }
  RawStream probe = frame_of(run.egress, kLossyClass);
  probe.frames = run.frames;
  probe.start = 20_us;  // the strict queue and the egress FIFO are full by then
  spec.raw.sources.push_back(run.source);
  spec.raw.streams.push_back(probe);
  const auto fabric = RunningFabric::of(spec);
  const Ps slot{std::uint64_t{84} * 8 * 1'000'000'000'000 / spec.host_link.rate.value};
  fabric->run(probe.start + slot * (run.frames + 100) + 2_us);
  const SwitchChip& chip = fabric->chip(0);
  const IngressPort& port = chip.ingress(run.source);
  EXPECT_EQ(port.rx_frames, run.frames);
  EXPECT_EQ(chip.queue(run.egress, kLossyClass).tx_frames, 0u) << "nothing left meanwhile";
  const std::uint32_t held =
      chip.mmu().queue(static_cast<std::uint16_t>(run.egress), kLossyClass).total();
  // A lossy priority group may have the queue's threshold and refuse first.
  EXPECT_EQ(held + port.dropped(ChipDrop::kEgressQueue) + port.dropped(ChipDrop::kIngressPg),
            run.frames);
  return held + 1;
}

}  // namespace sluice::golden
