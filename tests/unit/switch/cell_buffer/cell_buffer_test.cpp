// SPDX-License-Identifier: Apache-2.0
// The cell buffer against plain queues: order, conservation, the order of the free list, misuse.
#include "switch/cell_buffer/cell_buffer.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice::test {
namespace {

constexpr CellWord kOnly{true, true, 0};

std::unique_ptr<CellBuffer> buffer(std::uint32_t cells, std::uint32_t queues) {
  return make_cell_buffer({cells, queues});
}

TEST(CellBuffer, HandsOutCellsThatCameBackInThatOrderBeforeThoseNeverUsed) {
  const auto cells = buffer(8, 1);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(cells->enqueue(0, kOnly), i);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(cells->dequeue(0).cell, i);
  for (const std::uint32_t cell : {2u, 0u, 3u}) cells->release(cell);
  for (const std::uint32_t cell : {2u, 0u, 3u, 4u}) EXPECT_EQ(cells->enqueue(0, kOnly), cell);
}

TEST(CellBuffer, IsFullExactlyWhenEveryCellIsTakenAndNoneReleased) {
  const auto cells = buffer(5, 2);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_FALSE(cells->full());
    cells->enqueue(i % 2, kOnly);
  }
  EXPECT_TRUE(cells->full());
  const std::uint32_t out = cells->dequeue(0).cell;
  EXPECT_TRUE(cells->full()) << "transmission holds the cell";
  cells->release(out);
  EXPECT_FALSE(cells->full());
  EXPECT_EQ(cells->used(), 4u);
}

TEST(CellBuffer, KeepsEveryQueueInOrderAndLosesNoCell) {
  constexpr std::uint32_t kQueues = 7;
  constexpr std::uint32_t kCells = 50;
  const auto cells = buffer(kCells, kQueues);
  RandomStream random(3, 0, RandomPurpose::kTest);
  std::array<std::deque<std::uint32_t>, kQueues> expected;
  std::set<std::uint32_t> taken;
  std::deque<std::uint32_t> held;
  std::uint32_t tag = 0;
  for (int step = 0; step < 100000; ++step) {
    const std::uint32_t queue = random.below(kQueues);
    if (random.below(2) == 0 && !cells->full()) {
      expected[queue].push_back(tag);
      EXPECT_TRUE(taken.insert(cells->enqueue(queue, {true, true, tag++})).second);
    }
    ASSERT_EQ(cells->empty(queue), expected[queue].empty());
    if (random.below(2) == 0 && !expected[queue].empty()) {
      const DequeuedCell out = cells->dequeue(queue);
      ASSERT_EQ(out.word.tag, expected[queue].front());
      expected[queue].pop_front();
      held.push_back(out.cell);
    }
    if (random.below(3) == 0 && !held.empty()) {
      cells->release(held.front());
      taken.erase(held.front());
      held.pop_front();
    }
    ASSERT_EQ(cells->used(), taken.size());
  }
}

TEST(CellBuffer, CarriesFirstLastAndTagOfEachCell) {
  const auto cells = buffer(8, 2);
  cells->enqueue(0, {true, false, 7});
  cells->enqueue(1, {true, false, 9});
  cells->enqueue(0, {false, true, 8});
  cells->enqueue(1, {false, true, 10});
  EXPECT_EQ(cells->dequeue(1).word, (CellWord{true, false, 9}));
  EXPECT_EQ(cells->dequeue(0).word, (CellWord{true, false, 7}));
  EXPECT_EQ(cells->dequeue(0).word, (CellWord{false, true, 8}));
  EXPECT_EQ(cells->dequeue(1).word, (CellWord{false, true, 10}));
}

TEST(CellBuffer, ReportsMisuse) {
  const auto cells = buffer(2, 1);
  EXPECT_THROW(cells->dequeue(0), InvariantError);
  EXPECT_THROW(cells->enqueue(0, {false, true, 0}), InvariantError) << "no packet is open";
  const std::uint32_t cell = cells->enqueue(0, {true, false, 0});
  EXPECT_THROW(cells->enqueue(0, kOnly), InvariantError) << "inside a packet";
  EXPECT_THROW(cells->release(cell), InvariantError) << "still in its queue";
  cells->enqueue(0, {false, true, 0});
  EXPECT_THROW(cells->enqueue(0, kOnly), InvariantError) << "full";
  cells->dequeue(0);
  cells->release(cell);
  EXPECT_THROW(cells->release(cell), InvariantError) << "twice";
  EXPECT_THROW(buffer(0, 1), ConfigError);
  EXPECT_THROW(buffer(1, 0), ConfigError);
}

}  // namespace
}  // namespace sluice::test
