// SPDX-License-Identifier: Apache-2.0
// Byte totals and times of the ring algorithms against their closed forms (golden G10).
#include <gtest/gtest.h>

#include "unit/collective/ideal_members.h"

namespace sluice {
namespace {

constexpr std::uint32_t kSizes[] = {1, 2, 3, 5, 8, 64};

TEST(ChunkBytes, ChunksSumToTheWholeAndDifferByAtMostOne) {
  for (const std::uint64_t bytes : {0ull, 1ull, 7ull, 64ull, 1000ull, (1ull << 33) + 1}) {
    for (const std::uint32_t n : kSizes) {
      std::uint64_t sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        const std::uint64_t chunk = chunk_bytes(bytes, n, i);
        EXPECT_GE(chunk, bytes / n);
        EXPECT_LE(chunk, bytes / n + 1);
        sum += chunk;
      }
      EXPECT_EQ(sum, bytes);
    }
  }
}

TEST(Ring, TimeIsTheClosedForm) {
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 64u}) {
    const std::uint64_t chunk = 4096;
    const IdealMembers::Options options{.latency_ps = 5'000'000, .ps_per_byte = 20};
    for (const OpKind kind : {OpKind::kAllReduce, OpKind::kAllGather, OpKind::kReduceScatter}) {
      IdealMembers members(kind, n, chunk * n, options);
      members.run();
      ASSERT_TRUE(members.all_ended());
      const std::uint64_t steps = (kind == OpKind::kAllReduce ? 2 : 1) * (n - 1);
      // steps x (S/n/B + a), every member at the same instant
      for (std::uint32_t m = 0; m < n; ++m) {
        EXPECT_EQ(members.end(m), steps * (chunk * 20 + 5'000'000)) << n << " " << m;
      }
    }
  }
}

TEST(Ring, EachMemberSendsExactlyItsShare) {
  for (const std::uint32_t n : kSizes) {
    const std::uint64_t size = std::uint64_t{840} * 64 * n;
    for (const OpKind kind : {OpKind::kAllReduce, OpKind::kAllGather, OpKind::kReduceScatter}) {
      IdealMembers members(kind, n, size, {.latency_ps = 1000});
      members.run();
      ASSERT_TRUE(members.all_ended());
      const std::uint64_t factor = kind == OpKind::kAllReduce ? 2 : 1;
      for (std::uint32_t m = 0; m < n; ++m) {
        EXPECT_EQ(members.sent_bytes(m), factor * size / n * (n - 1));
        EXPECT_EQ(members.received_bytes(m), factor * size / n * (n - 1));
      }
    }
  }
}

TEST(Ring, MessagesAbove2To31KeepEveryByte) {
  // Field report B62.
  struct Case {
    OpKind kind;
    std::uint64_t size, sent;
  };
  for (const Case& c : {Case{OpKind::kAllGather, 6'467'616'768, 4'850'712'576},
                        Case{OpKind::kReduceScatter, 12'935'233'536, 9'701'425'152}}) {
    IdealMembers members(c.kind, 4, c.size, {.latency_ps = 1000});
    members.run();
    ASSERT_TRUE(members.all_ended());
    for (std::uint32_t m = 0; m < 4; ++m) EXPECT_EQ(members.sent_bytes(m), c.sent);
  }
}

TEST(Ring, SizesThatDoNotDivideLoseNoByte) {
  for (const std::uint32_t n : {2u, 3u, 5u, 8u, 64u}) {
    for (const std::uint64_t size : {1ull, 2ull, 8ull, 63ull, 65ull, 1000ull, (1ull << 32) + 1}) {
      for (const OpKind kind : {OpKind::kAllReduce, OpKind::kAllGather, OpKind::kReduceScatter}) {
        IdealMembers members(kind, n, size, {.latency_ps = 1000});
        members.run();
        ASSERT_TRUE(members.all_ended()) << n << " " << size;
        EXPECT_EQ(members.refused(), 0u);
        std::uint64_t sent = 0;
        for (std::uint32_t m = 0; m < n; ++m) sent += members.sent_bytes(m);
        // Every chunk crosses n - 1 edges of the ring, twice in an all-reduce.
        EXPECT_EQ(sent, (kind == OpKind::kAllReduce ? 2 : 1) * (n - 1) * size);
      }
    }
  }
}

TEST(Ring, EmptyChunksCostNoMessage) {
  IdealMembers members(OpKind::kAllReduce, 8, 3, {.latency_ps = 1000});
  members.run();
  ASSERT_TRUE(members.all_ended());
  std::uint32_t messages = 0;
  for (std::uint32_t m = 0; m < 8; ++m) messages += members.messages(m);
  EXPECT_EQ(messages, 3u * 2 * 7);
  EXPECT_EQ(members.last_end(), 14u * 1000);

  IdealMembers none(OpKind::kAllReduce, 8, 0, {.latency_ps = 1000});
  none.run();
  EXPECT_TRUE(none.all_ended());
  EXPECT_EQ(none.last_end(), 0u);
  EXPECT_EQ(none.messages(0), 0u);
}

TEST(Ring, FinishesForAnyOrderOfArrivalAndStart) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const IdealMembers::Options options{.latency_ps = 100,
                                        .ps_per_byte = 1,
                                        .start_spread_ps = 100'000,
                                        .jitter_ps = 5000,
                                        .seed = seed};
    for (const OpKind kind : {OpKind::kAllReduce, OpKind::kAllGather, OpKind::kReduceScatter}) {
      IdealMembers members(kind, 13, 1000, options);
      members.run();
      EXPECT_TRUE(members.all_ended()) << seed;
      EXPECT_EQ(members.refused(), 0u);
    }
  }
}

TEST(Ring, NothingLeavesBeforeTheChunkItPassesOnHasArrived) {
  // One member starts late: the chunks that must pass through it wait for it.
  CollectiveLibrary library({});
  const CollectiveAlgorithm& ring = library.algorithm(OpKind::kAllGather);
  CollectiveState state;
  state.bytes = 400;
  state.members = 4;
  state.me = 1;
  state.kind = OpKind::kAllGather;
  ring.prepare(state);
  struct Count final : SendEmitter {
    std::vector<std::uint32_t> steps;
    void send(std::uint32_t to, std::uint64_t bytes, std::uint32_t step) override {
      EXPECT_EQ(to, 2u);
      EXPECT_EQ(bytes, 100u);
      steps.push_back(step);
    }
  } out;
  state.started = true;
  ring.pump(state, out);
  EXPECT_EQ(out.steps, (std::vector<std::uint32_t>{0}));
  ring.pump(state, out);
  EXPECT_EQ(out.steps.size(), 1u);
  ring.arrive(state, 0, 0);
  ring.pump(state, out);
  EXPECT_EQ(out.steps, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(ring.waiting_for(state, 4), (std::vector<std::uint32_t>{0}));
  EXPECT_FALSE(ring.expected_bytes(state, 2, 1).has_value());  // not my predecessor
  EXPECT_FALSE(ring.expected_bytes(state, 0, 2).has_value());  // a step was left out
  EXPECT_EQ(ring.expected_bytes(state, 0, 1), 100u);
}

}  // namespace
}  // namespace sluice
