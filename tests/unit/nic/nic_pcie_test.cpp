// SPDX-License-Identifier: Apache-2.0
// NICs whose host side is modelled: PCIe bounds what leaves and what is taken, a first packet waits
// for its context, page and payload, completions cost writes. Leaves out: the blocks (pcie/).
#include <gtest/gtest.h>

#include "packet/serialisation.h"
#include "unit/nic/nic_rig.h"

namespace sluice::test {
namespace {

NicParams with_pcie(std::uint32_t generation, std::uint64_t gbps = 800) {
  NicParams params = exact_params(gbps);
  params.pcie.model = PcieModel::kTransactions;
  params.pcie.generation = generation;
  return params;
}

/// Payload in Gb/s of one write of 8 MiB, from its first packet's departure to its arrival.
double goodput_gbps(const NicParams& sender, const NicParams& receiver) {
  NicRig rig({sender, receiver});
  rig[1].look = [&rig](Packet& packet, Ps now) {
    if (packet.kind != PacketKind::kPfc) return true;
    rig.pause(0, now + rig.propagation, packet.pcp,
              static_cast<std::uint32_t>(packet.offset_bytes));
    return false;
  };
  Ps first = kNever;
  rig[0].look = [&first](Packet&, Ps now) {
    first = std::min(first, now);
    return true;
  };
  constexpr std::uint64_t kBytes = 8 << 20;
  rig.write(0, 1, kBytes);
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[1].nic.port_counters(0).rx_overflow_drops, 0u);
  return static_cast<double>(kBytes) * 8e3 /
         static_cast<double>((rig[1].received.at(0).time - first).value);
}

TEST(NicPcie, Gen5FeedsAnEightHundredGigabitPortAtItsOwnRate) {
  EXPECT_NEAR(goodput_gbps(with_pcie(5), exact_params(800)), 460.9, 5);  // golden G1-41
}

TEST(NicPcie, Gen6FeedsItAtLineRate) {
  EXPECT_NEAR(goodput_gbps(with_pcie(6), exact_params(800)), 800 * 4096. / 4178, 8);
}

TEST(NicPcie, FewReadsAtOnceFeedItSlowly) {
  NicParams params = with_pcie(6);
  params.pcie.outstanding_reads = 32;  // 32 x 512 B in 600 ns: 218.5 Gb/s
  EXPECT_NEAR(goodput_gbps(params, exact_params(800)), 32 * 512 * 8 / 600., 3);
}

TEST(NicPcie, AGen5ReceiverPausesWhoSendsFaster) {
  const NicParams receiver = with_pcie(5);
  EXPECT_NEAR(goodput_gbps(exact_params(800), receiver), 460.9, 8);
  NicRig rig({exact_params(800), receiver});
  rig.write(0, 1, 8 << 20);
  std::uint64_t pauses = 0;
  rig[1].look = [&pauses](Packet& packet, Ps) {
    pauses += packet.kind == PacketKind::kPfc;
    return packet.kind != PacketKind::kPfc;
  };
  rig.run();
  EXPECT_GT(pauses, 0u);
}

TEST(NicPcie, FewPostedCreditsTakeItSlowly) {
  NicParams receiver = with_pcie(6);
  receiver.pcie.posted_credits = 64;  // 64 x 256 B in 500 ns: 262.1 Gb/s
  EXPECT_NEAR(goodput_gbps(exact_params(800), receiver), 64 * 256 * 8 / 500., 4);
}

/// From post to the receiver's host, of one write.
Ps latency(const NicParams& sender, const NicParams& receiver, std::uint64_t bytes,
           int repeat = 0) {
  NicRig rig({sender, receiver});
  Ps posted{};
  for (int i = 0; i <= repeat; ++i) {
    posted = rig.wheel.now();
    rig.write(0, 1, bytes);
    rig.run();
  }
  return rig[1].received.back().time - posted;
}

TEST(NicPcie, AFirstPacketWaitsForContextPageAndPayload) {
  const NicParams plain = exact_params(800);
  NicParams params = with_pcie(6);
  params.pcie.context_miss = 500_ns;
  params.pcie.translation_miss = 400_ns;
  EXPECT_EQ(latency(params, plain, 64), latency(plain, plain, 64) + 500_ns + 400_ns + 600_ns);
  EXPECT_EQ(latency(params, plain, 64, 1), latency(plain, plain, 64) + 600_ns);
  EXPECT_EQ(latency(params, plain, 0, 1), latency(plain, plain, 0));
  params.pcie.inline_wqe = false;
  const Ps with_fetch = latency(params, plain, 64, 1) - latency(plain, plain, 64);
  EXPECT_GE(with_fetch, 1200_ns);
  EXPECT_LE(with_fetch, 1205_ns);
}

TEST(NicPcie, AReceivedFrameGoesToTheHostInTlps) {
  const NicParams plain = exact_params(800);
  NicParams params = with_pcie(6);
  params.pcie.context_miss = params.pcie.translation_miss = Ps{0};
  // 4096 B and 16 headers of 16 B at 118 GB/s.
  const Ps dma{36882};
  const Ps more = latency(plain, params, 4096) - latency(plain, plain, 4096);
  EXPECT_NEAR(static_cast<double>(more.value), static_cast<double>(dma.value), 2);
}

TEST(NicPcie, MessagesBeginAtTheMessageRate) {
  NicParams params = with_pcie(6);
  params.pcie.messages_per_second = 1'000'000;  // one a microsecond, to as many QPs
  NicRig rig({params, exact_params(800), exact_params(800), exact_params(800)});
  for (std::uint32_t to = 1; to < 4; ++to) rig.write(0, to, 0);
  rig.run();
  const Ps first = rig[1].received.at(0).time;
  EXPECT_NEAR(static_cast<double>((rig[2].received.at(0).time - first).value), 1e6, 1000);
  EXPECT_NEAR(static_cast<double>((rig[3].received.at(0).time - first).value), 2e6, 1000);
}

TEST(NicPcie, CountsItsReadsWritesAndMisses) {
  StatisticsRegistry registry;
  NicRig rig({with_pcie(6), with_pcie(6)});
  rig[0].nic.register_counters(registry, "a");
  rig[1].nic.register_counters(registry, "b");
  rig.write(0, 1, 10'000);
  rig.run();
  EXPECT_EQ(registry.sum("pcie", "read_bytes"), 10'000u);
  EXPECT_EQ(registry.sum("pcie", "written_bytes"), 10'000u + 64 + 64);  // a CQE at either end
  EXPECT_EQ(registry.sum("pcie", "context_misses"), 2u);
  EXPECT_EQ(registry.sum("pcie", "translation_misses"), 2u);
}

}  // namespace
}  // namespace sluice::test
