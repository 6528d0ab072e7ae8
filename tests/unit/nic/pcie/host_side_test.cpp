// SPDX-License-Identifier: Apache-2.0
// The host side of a NIC: what a message waits for before its first packet, caches, message rate.
#include "nic/pcie/host_side.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice {
namespace {

PcieParams with_transactions() {
  PcieParams params;
  params.model = PcieModel::kTransactions;
  params.context_miss = 500_ns;
  params.translation_miss = 400_ns;
  params.read_latency = 600_ns;
  return params;
}

TEST(RecentSet, ForgetsTheLeastRecentlyUsed) {
  RecentSet set(2);
  EXPECT_FALSE(set.use(1));
  EXPECT_FALSE(set.use(2));
  EXPECT_TRUE(set.use(1));
  EXPECT_FALSE(set.use(3));  // 2 goes
  EXPECT_TRUE(set.use(1));
  EXPECT_FALSE(set.use(2));
  EXPECT_EQ(set.size(), 2u);
}

TEST(HostSide, TheFirstMessageWaitsForContextTranslationAndPayload) {
  HostSide side(with_transactions());
  EXPECT_EQ(side.message_ready(7, 4096, true, 1_us), 1_us + 500_ns + 400_ns + 600_ns);
  EXPECT_EQ(side.message_ready(7, 4096, true, 2_us), 2_us + 600_ns);
  EXPECT_EQ(side.counters().context_misses, 1u);
  EXPECT_EQ(side.counters().translation_misses, 1u);
}

TEST(HostSide, AMessageWithoutPayloadReadsNone) {
  HostSide side(with_transactions());
  EXPECT_EQ(side.message_ready(7, 0, true, 1_us), 1_us + 500_ns);
  EXPECT_EQ(side.message_ready(7, 0, true, 2_us), 2_us);
  EXPECT_EQ(side.counters().translation_misses, 0u);
}

TEST(HostSide, AWqeThatTheDoorbellDoesNotCarryIsReadFirst) {
  PcieParams params = with_transactions();
  params.inline_wqe = false;
  params.prefetch_bytes = Bytes{0};
  HostSide side(params);
  side.message_ready(7, 0, true, 1_us);
  // 64 B and a header of 16 B at 118 GB/s: 678 ps.
  EXPECT_EQ(side.message_ready(7, 0, true, 10_us), 10_us + 600_ns + Ps{678});
  params.wqe_bytes = 1024;
  HostSide long_wqe(params);
  long_wqe.message_ready(7, 0, true, 1_us);
  EXPECT_EQ(long_wqe.message_ready(7, 0, true, 10_us), 10_us + 600_ns + Ps{9221});
}

TEST(HostSide, PagesAreFetchedOnceWhileThereIsRoom) {
  PcieParams params = with_transactions();
  params.page_bytes = Bytes{4096};
  params.translation_entries = 16;
  HostSide side(params);
  side.message_ready(1, 8 * 4096, true, 1_us);
  EXPECT_EQ(side.counters().translation_misses, 8u);
  EXPECT_EQ(side.message_ready(1, 8 * 4096, true, 2_us), 2_us + 600_ns);
  side.message_ready(1, 8 * 4096 + 1, true, 3_us);
  EXPECT_EQ(side.counters().translation_misses, 9u);
  side.message_ready(2, 8 * 4096, true, 4_us);  // 9 + 8 pages of 16: the oldest goes
  EXPECT_EQ(side.counters().translation_misses, 17u);
  EXPECT_GT(side.message_ready(1, 4096, true, 5_us), 5_us + 600_ns);
}

TEST(HostSide, OneQpMoreThanContextsInTurnMissesAlways) {
  PcieParams params = with_transactions();
  params.context_entries = 100;
  HostSide fits(params);
  HostSide one_more(params);
  for (int round = 0; round < 10; ++round) {
    for (std::uint32_t qp = 0; qp < 101; ++qp) {
      if (qp < 100) fits.message_ready(qp, 0, true, 1_us);
      one_more.message_ready(qp, 0, true, 1_us);
    }
  }
  EXPECT_EQ(fits.counters().context_misses, 100u);
  EXPECT_EQ(one_more.counters().context_misses, 1010u);
}

TEST(HostSide, MessagesBeginAtTheNicsRate) {
  PcieParams params = with_transactions();
  params.context_miss = Ps{0};
  params.messages_per_second = 400'000'000;
  HostSide side(params);
  EXPECT_EQ(side.message_ready(1, 0, true, 1_us), 1_us);
  EXPECT_EQ(side.message_ready(1, 0, true, 1_us), 1_us + Ps{2500});
  EXPECT_EQ(side.message_ready(1, 0, true, 1_us), 1_us + Ps{5000});
  EXPECT_EQ(side.message_ready(1, 0, true, 2_us), 2_us);
  params.messages_per_second = 0;
  HostSide any(params);
  any.message_ready(1, 0, true, 1_us);
  EXPECT_EQ(any.message_ready(1, 0, true, 1_us), 1_us);
}

TEST(HostSide, AReceiverWaitsForOneMissInSoMany) {
  PcieParams params = with_transactions();
  params.parallel_misses = 10;
  HostSide side(params);
  const Ps first = side.payload_received(5, 0, 256, 1_us);
  HostSide warm(params);
  warm.payload_received(5, 0, 256, 1_us);
  const Ps second = warm.payload_received(5, 0, 256, 2_us);
  EXPECT_EQ((first - 1_us) - (second - 2_us), 90_ns);
}

TEST(HostSide, CountsWhatItMoves) {
  PcieParams params = with_transactions();
  params.cqe_bytes = 128;
  HostSide side(params);
  side.payload_sent(4096, 1_us);
  side.payload_received(5, 0, 1000, 1_us);
  side.complete(2_us);
  EXPECT_EQ(side.counters().read_bytes, 4096u);
  EXPECT_EQ(side.counters().written_bytes, 1128u);
}

TEST(PcieParams, RefuseWhatNoLinkHas) {
  const auto refused = [](auto change, const char* key) {
    PcieParams params = with_transactions();
    change(params);
    try {
      params.validate();
      ADD_FAILURE() << key;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  refused([](PcieParams& p) { p.generation = 4; }, "pcie.generation: 4");
  refused([](PcieParams& p) { p.lanes = 0; }, "pcie.lanes: 0");
  refused([](PcieParams& p) { p.max_payload_bytes = 384; }, "pcie.max_payload_bytes: 384");
  refused([](PcieParams& p) { p.read_request_bytes = 64; }, "pcie.read_request_bytes: 64");
  refused([](PcieParams& p) { p.outstanding_reads = 0; }, "pcie.outstanding_reads");
  refused([](PcieParams& p) { p.posted_credits = 0; }, "pcie.posted_credits");
  refused([](PcieParams& p) { p.wqe_bytes = 32; }, "pcie.wqe_bytes");
  refused([](PcieParams& p) { p.context_entries = 0; }, "pcie.context_entries");
  refused([](PcieParams& p) { p.translation_entries = 0; }, "pcie.translation_entries");
  refused([](PcieParams& p) { p.page_bytes = Bytes{512}; }, "pcie.page_bytes");
  refused([](PcieParams& p) { p.parallel_misses = 0; }, "pcie.parallel_misses");
  refused([](PcieParams& p) { p = {.generation = 5}; }, "pcie.model: latency");
}

}  // namespace
}  // namespace sluice
