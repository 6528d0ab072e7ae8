// SPDX-License-Identifier: Apache-2.0
// The registry's sums and its hash, which must not depend on the order or the split of tables.
#include "kernel/statistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <string>

namespace sluice {
namespace {

struct PortRecord {
  std::uint32_t unrelated = 99;
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

std::vector<CounterField> port_fields() {
  return {{"tx_frames", "frames", "frames sent", offsetof(PortRecord, frames)},
          {"tx_bytes", "B", "bytes sent", offsetof(PortRecord, bytes)}};
}

/// Records [first, first + count) of `records`, named by their place in the whole array.
CounterTable table_of(const PortRecord* records, std::size_t first, std::size_t count) {
  return {"port",
          [first](std::size_t i) { return "fabric.leaf0.port" + std::to_string(first + i); },
          records + first,
          count,
          sizeof(PortRecord),
          port_fields()};
}

class Statistics : public testing::Test {
 protected:
  Statistics() {
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      ports_[i].frames = 10 + i;
      ports_[i].bytes = 1000 * (i + 1);
    }
  }
  std::array<PortRecord, 4> ports_{};
};

TEST_F(Statistics, SumAddsAFieldOverAllEntitiesOfItsKind) {
  StatisticsRegistry registry;
  registry.add(table_of(ports_.data(), 0, 4));
  CounterTable other = table_of(ports_.data(), 0, 4);
  other.kind = "queue";
  registry.add(other);
  EXPECT_EQ(registry.sum("port", "tx_frames"), 10U + 11 + 12 + 13);
  EXPECT_EQ(registry.sum("port", "tx_bytes"), 10000U);
}

TEST_F(Statistics, SumOfAnUnknownKindOrFieldIsZero) {
  StatisticsRegistry registry;
  registry.add(table_of(ports_.data(), 0, 4));
  EXPECT_EQ(registry.sum("qp", "tx_frames"), 0U);
  EXPECT_EQ(registry.sum("port", "rx_frames"), 0U);
}

TEST_F(Statistics, ReadsCountersWhereTheyAreNow) {
  StatisticsRegistry registry;
  registry.add(table_of(ports_.data(), 0, 4));
  ports_[2].frames += 5;
  EXPECT_EQ(registry.sum("port", "tx_frames"), 51U);
}

TEST_F(Statistics, HashIsTheSameForAnyOrderAndSplitOfTables) {
  StatisticsRegistry whole, halves, swapped;
  whole.add(table_of(ports_.data(), 0, 4));
  halves.add(table_of(ports_.data(), 0, 2));
  halves.add(table_of(ports_.data(), 2, 2));
  swapped.add(table_of(ports_.data(), 2, 2));
  swapped.add(table_of(ports_.data(), 0, 2));
  EXPECT_EQ(whole.hash(), halves.hash());
  EXPECT_EQ(whole.hash(), swapped.hash());
}

TEST_F(Statistics, HashIsTheSameForAnyOrderOfFields) {
  StatisticsRegistry forward, backward;
  CounterTable table = table_of(ports_.data(), 0, 4);
  forward.add(table);
  std::swap(table.fields[0], table.fields[1]);
  backward.add(table);
  EXPECT_EQ(forward.hash(), backward.hash());
}

TEST_F(Statistics, HashSeesEveryCounter) {
  StatisticsRegistry registry;
  registry.add(table_of(ports_.data(), 0, 4));
  const std::uint64_t before = registry.hash();
  for (PortRecord& port : ports_) {
    for (std::uint64_t PortRecord::*counter : {&PortRecord::frames, &PortRecord::bytes}) {
      ++(port.*counter);
      EXPECT_NE(registry.hash(), before);
      --(port.*counter);
    }
  }
  EXPECT_EQ(registry.hash(), before);
}

TEST_F(Statistics, HashSeesCountersThatSwapTheirEntities) {
  StatisticsRegistry registry;
  registry.add(table_of(ports_.data(), 0, 4));
  const std::uint64_t before = registry.hash();
  std::swap(ports_[0], ports_[1]);
  EXPECT_NE(registry.hash(), before);
  std::swap(ports_[0], ports_[1]);
  std::swap(ports_[0].frames, ports_[0].bytes);
  EXPECT_NE(registry.hash(), before);
}

}  // namespace
}  // namespace sluice
