// SPDX-License-Identifier: Apache-2.0
// In steady state the NIC, its pools and the wheel make no heap allocation; same seed, same result.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "unit/nic/nic_rig.h"

namespace {
std::uint64_t g_allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

TEST(NicSteadyState, MakesNoAllocation) {
  NicParams params = exact_params(400);
  params.dcqcn.min_rate = {4'000'000'000};
  NicRig rig(params, 4);
  std::uint64_t frames = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    rig[i].look = [&](Packet& packet, Ps) {
      if (packet.kind == PacketKind::kWriteData && ++frames % 64 == 0) packet.ecn = Ecn::kCe;
      return true;
    };
    // Every completed write is followed by another, so that messages are recycled.
    rig[i].acked.reserve(1'000'000);
    rig[i].received.reserve(1'000'000);
    rig[i].when_acked = [&rig, i](std::uint64_t cookie) {
      rig.write(i, static_cast<std::uint32_t>(cookie), 50'000, cookie);
    };
    for (std::uint32_t to = 0; to < 4; ++to) {
      if (to == i) continue;
      for (int k = 0; k < 4; ++k) rig.write(i, to, 50'000, to);
    }
  }
  rig.run_until(1_ms);
  const std::uint64_t before = g_allocations;
  const std::uint64_t frames_before = frames;
  rig.run_until(3_ms);
  EXPECT_EQ(g_allocations, before);
  EXPECT_GT(frames, frames_before + 10'000);
}

std::pair<std::uint64_t, std::uint64_t> hashes(std::uint64_t seed) {
  NicParams params = exact_params(400);
  params.frequency_offset_ppm = 50;
  NicRig rig(params, 3, 150_ns, seed);
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t k = 1; k < 3; ++k) rig.write(i, (i + k) % 3, 100'000, k);
  }
  rig.run();
  StatisticsRegistry registry;
  for (std::uint32_t i = 0; i < 3; ++i) {
    rig[i].nic.register_counters(registry, "nic" + std::to_string(i));
  }
  return {registry.sum("nic", "message_hash"), registry.hash()};
}

TEST(NicSteadyState, SameSeedGivesTheSameHashesAndAnotherSeedOthers) {
  EXPECT_EQ(hashes(1), hashes(1));
  EXPECT_NE(hashes(1).first, hashes(2).first);
  EXPECT_NE(hashes(1).second, hashes(2).second);
}

TEST(NicSteadyState, CountsTheLinksOfAcceptedPackets) {
  NicRig rig(exact_params(400));
  rig[0].look = [](Packet& packet, Ps) {
    packet.hops = 4;  // as three switches would leave it
    return true;
  };
  rig.write(0, 1, 10 * 4096);
  rig.run();
  EXPECT_EQ(rig[1].nic.counters().packet_hops, 40u);
  EXPECT_EQ(rig[1].nic.counters().delivered_packets, 10u);
  EXPECT_EQ(rig[1].nic.counters().messages_received, 1u);
}

}  // namespace
}  // namespace sluice
