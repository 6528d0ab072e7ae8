// SPDX-License-Identifier: Apache-2.0
// The banked cell memory: where writes land, what they give back, and its packet rate.
#include "switch/cell_memory/cell_memory_banks.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice::test {
namespace {

CellPlace written(CellMemoryBanks& memory, std::uint64_t data, std::optional<CellPlace> read = {}) {
  const CellPlace place =
      memory.place(read ? std::optional<std::uint32_t>(read->bank) : std::nullopt).value();
  memory.clock({data, read, {}});
  return place;
}

TEST(CellMemoryBanks, WritesTheBanksInTurn) {
  CellMemoryBanks memory({3, 2});
  for (const CellPlace place :
       {CellPlace{0, 0}, CellPlace{1, 0}, CellPlace{2, 0}, CellPlace{0, 1}}) {
    EXPECT_EQ(written(memory, 1), place);
  }
}

TEST(CellMemoryBanks, WritesTheNextBankWhenItsTurnIsWithTheOneThatIsRead) {
  CellMemoryBanks memory({3, 4});
  for (std::uint64_t i = 0; i < 3; ++i) written(memory, i);
  EXPECT_EQ(written(memory, 3, CellPlace{0, 0}), (CellPlace{1, 1}));
  EXPECT_EQ(written(memory, 4), (CellPlace{2, 1}));
  EXPECT_EQ(written(memory, 5), (CellPlace{0, 1}));
}

TEST(CellMemoryBanks, GivesBackWhatWasWritten) {
  CellMemoryBanks memory({4, 8});
  std::vector<CellPlace> places;
  for (std::uint64_t i = 0; i < 32; ++i) places.push_back(written(memory, i * i));
  EXPECT_FALSE(memory.place({}).has_value());
  for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(memory.clock({{}, places[i], {}}), i * i);
}

TEST(CellMemoryBanks, AWriteWaitsWhenTheOnlyFreeRowIsInTheBankThatIsRead) {
  CellMemoryBanks memory({2, 2});
  for (std::uint64_t i = 0; i < 4; ++i) written(memory, i);
  memory.clock({{}, {}, CellPlace{1, 0}});
  EXPECT_FALSE(memory.place(1).has_value());
  EXPECT_EQ(memory.place(0), (CellPlace{1, 0}));
}

/// A read and a write every clock for ever: the bank that is not read always has a row.
TEST(CellMemoryBanks, KeepUpWithOneReadAndOneWriteAClock) {
  CellMemoryBanks memory({2, 8});
  std::deque<CellPlace> held;
  for (std::uint64_t i = 0; i < 4; ++i) held.push_back(written(memory, i));
  for (std::uint64_t i = 4; i < 10000; ++i) {
    const CellPlace oldest = held.front();
    held.pop_front();
    const auto place = memory.place(oldest.bank);
    ASSERT_TRUE(place.has_value()) << i;
    EXPECT_NE(place->bank, oldest.bank);
    held.push_back(*place);
    EXPECT_EQ(memory.clock({i, oldest, oldest}), i - 4);
  }
  EXPECT_EQ(memory.used(), 4u);
}

TEST(CellMemoryBanks, ReportsMisuse) {
  CellMemoryBanks memory({2, 1});
  EXPECT_THROW(memory.clock({{}, CellPlace{0, 0}, {}}), InvariantError);
  EXPECT_THROW(memory.clock({{}, {}, CellPlace{0, 0}}), InvariantError);
  written(memory, 1);
  written(memory, 2);
  EXPECT_THROW(memory.clock({3, {}, {}}), InvariantError);
  EXPECT_THROW(CellMemoryBanks({1, 1}), ConfigError);
  EXPECT_THROW(CellMemoryBanks({2, 0}), ConfigError);
}

}  // namespace
}  // namespace sluice::test
