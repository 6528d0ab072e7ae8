// SPDX-License-Identifier: Apache-2.0
// Synthetic workloads: who sends what to whom, and what is refused.
#include "workload/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernel/error.h"

namespace sluice {
namespace {

SyntheticParams of(SyntheticType type, std::uint64_t bytes) {
  SyntheticParams params;
  params.type = type;
  params.bytes = Bytes{bytes};
  return params;
}

std::vector<std::uint32_t> destinations(const Workload& workload) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const auto& ops = workload.ranks[rank].ops;
    list.push_back(ops.empty() ? rank : ops[0].peer);
  }
  return list;
}

TEST(Synthetic, PermutationReachesEachHostOnce) {
  SyntheticParams params = of(SyntheticType::kPermutation, 32u << 20);
  const Workload workload = make_synthetic(params, 128);
  validate(workload);
  auto to = destinations(workload);
  EXPECT_EQ(workload.ledger.bytes_in, std::uint64_t{128} * (32u << 20));
  EXPECT_EQ(workload.ledger.bytes_skipped, 0U);
  EXPECT_EQ(destinations(make_synthetic(params, 128)), to);
  params.seed = 2;
  EXPECT_NE(destinations(make_synthetic(params, 128)), to);
  std::sort(to.begin(), to.end());
  for (std::uint32_t host = 0; host < 128; ++host) EXPECT_EQ(to[host], host);
}

TEST(Synthetic, PermutationSendsNobodyToItselfAndDrawsTheOthersEvenly) {
  // Of 16 hosts each of the other 15 is drawn for host 0 with probability 1/15.
  std::array<std::uint32_t, 16> drawn{};
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SyntheticParams params = of(SyntheticType::kPermutation, 1);
    params.seed = seed;
    const auto to = destinations(make_synthetic(params, 16));
    for (std::uint32_t host = 0; host < 16; ++host) EXPECT_NE(to[host], host);
    ++drawn[to[0]];
  }
  EXPECT_EQ(drawn[0], 0U);
  for (std::uint32_t host = 1; host < 16; ++host) EXPECT_NEAR(drawn[host], 200, 5 * 14);
}

TEST(Synthetic, PermutationNeedsTwoHosts) {
  EXPECT_THROW(make_synthetic(of(SyntheticType::kPermutation, 1), 1), ConfigError);
}

TEST(Synthetic, IncastLeavesOutItsReceiver) {
  SyntheticParams params = of(SyntheticType::kIncast, 256u << 20);
  params.dst = 14;
  params.first = 12;
  params.count = 32;
  const Workload workload = make_synthetic(params, 128);
  validate(workload);
  std::uint32_t senders = 0;
  for (std::uint32_t host = 0; host < 128; ++host) {
    for (const Op& op : workload.ranks[host].ops) {
      EXPECT_TRUE(host >= 12 && host < 44 && host != 14);
      EXPECT_EQ(op.kind, OpKind::kWrite);
      EXPECT_EQ(op.peer, 14u);
      ++senders;
    }
  }
  EXPECT_EQ(senders, 31u);
  EXPECT_EQ(workload.ledger.bytes_in, std::uint64_t{31} * (256u << 20));
}

TEST(Synthetic, CollectivesTakeTheirRanksAndRepeat) {
  SyntheticParams params = of(SyntheticType::kAllReduce, 8u << 20);
  params.ranks = 6;
  params.repeat = 3;
  params.ring_order = RingOrder::kRandom;
  const Workload workload = make_synthetic(params, 8);
  validate(workload);
  EXPECT_EQ(workload.rank_count(), 8u);
  EXPECT_TRUE(workload.ranks[6].ops.empty());
  ASSERT_EQ(workload.ranks[0].ops.size(), 3u);
  EXPECT_EQ(workload.ranks[0].ops[0].dep_count, 0u);
  EXPECT_EQ(workload.ranks[0].ops[2].dep_count, 1u);
  EXPECT_EQ(workload.ranks[0].deps[workload.ranks[0].ops[2].first_dep], 1u);
  EXPECT_EQ(workload.ledger.bytes_in, std::uint64_t{6} * 3 * (8u << 20));
  auto ring = workload.groups.at(0).ranks;
  std::sort(ring.begin(), ring.end());
  std::vector<std::uint32_t> all(6);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(ring, all);
  EXPECT_EQ(make_synthetic(of(SyntheticType::kAllToAll, 64), 4).ranks[0].ops[0].kind,
            OpKind::kAllToAll);
}

TEST(Synthetic, NoneAndRawHaveNoOps) {
  for (const SyntheticType type : {SyntheticType::kNone, SyntheticType::kRaw}) {
    const Workload workload = make_synthetic(of(type, 1), 4);
    EXPECT_EQ(workload.rank_count(), 4u);
    for (const RankStream& stream : workload.ranks) EXPECT_TRUE(stream.ops.empty());
  }
}

TEST(Synthetic, RefusesHostsThatAreNotThere) {
  SyntheticParams incast = of(SyntheticType::kIncast, 1);
  incast.dst = 8;
  EXPECT_THROW(make_synthetic(incast, 8), ConfigError);
  incast.dst = 0;
  incast.first = 7;
  incast.count = 2;
  EXPECT_THROW(make_synthetic(incast, 8), ConfigError);
  SyntheticParams all_reduce = of(SyntheticType::kAllReduce, 1);
  all_reduce.ranks = 9;
  EXPECT_THROW(make_synthetic(all_reduce, 8), ConfigError);
}

}  // namespace
}  // namespace sluice
