// SPDX-License-Identifier: Apache-2.0
// The running check of the books finds faults that are placed by hand, one an account, within
// kCheckEvery admissions. Leaves out: what a run does with the error (exit 7).
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/switch/mmu/mmu_testing.h"

namespace sluice {

/// A friend of Mmu: reaches the books.
struct MmuFault {
  static MmuBooks& books(Mmu& mmu) { return mmu.books_; }
};

namespace {

using testing::kLossless;
using testing::kLossy;
using testing::packet;

MmuParams params(std::uint32_t slices) {
  MmuParams p = testing::one_pool(254, 254 * 4000, 0);
  p.num_slices = slices;
  p.xoff_bytes = Bytes{254 * 10};
  p.lossy_pool_bytes = Bytes{254 * 400};
  p.total_cells = 4400;
  return p;
}

/// Light traffic, as a run has it.
void pass(Mmu& mmu, std::uint32_t admissions) {
  for (std::uint32_t i = 0; i < admissions; ++i) {
    const MmuRequest r = packet(i % 3, i % 5 == 0 ? kLossy : kLossless, 3, 4);
    if (mmu.admit(r).drop == DropReason::kNone) mmu.release(r);
  }
}

class MmuFaults : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  template <class Fault>
  void expect_found(Fault fault) {
    const auto mmu = make_mmu(params(GetParam()), {.ports = 4});
    mmu->admit(packet(0, kLossless, 3, 30));
    mmu->admit(packet(1, kLossy, 3, 30));
    pass(*mmu, 2 * Mmu::kCheckEvery);
    fault(MmuFault::books(*mmu));
    EXPECT_THROW(pass(*mmu, Mmu::kCheckEvery), InvariantError);
  }
};

TEST_P(MmuFaults, NoneIsFoundWhereThereIsNone) {
  const auto mmu = make_mmu(params(GetParam()), {.ports = 4});
  EXPECT_NO_THROW(pass(*mmu, 5 * Mmu::kCheckEvery));
}
TEST_P(MmuFaults, ALostFreeCell) {
  expect_found([](MmuBooks& books) { --books.free_cells; });
}
TEST_P(MmuFaults, AGroupThatCountsACellTooMany) {
  expect_found([](MmuBooks& books) { ++books.pgs[kLossless].shared; });
}
TEST_P(MmuFaults, ACellInTheWrongAccountOfAGroup) {
  expect_found([](MmuBooks& books) {
    --books.pgs[kLossless].shared;
    ++books.pgs[kLossless].headroom;
  });
}
TEST_P(MmuFaults, AQueueThatForgetsACell) {
  expect_found(
      [](MmuBooks& books) { --books.queues[3 * books.queues_per_port + kLossless].shared; });
}
TEST_P(MmuFaults, APoolThatLeaksACell) {
  expect_found([](MmuBooks& books) { ++books.slices[0].main.used; });
}
TEST_P(MmuFaults, ALossyPoolThatLeaksACell) {
  expect_found([](MmuBooks& books) { ++books.slices[0].lossy.used; });
}
TEST_P(MmuFaults, AnEgressPoolThatLeaksACell) {
  expect_found([](MmuBooks& books) { ++books.slices[0].egress.used; });
}
/// Both sums agree and only the free list shows it.
TEST_P(MmuFaults, AFrameChargedTwiceButTakenOnce) {
  expect_found([](MmuBooks& books) {
    books.pgs[kLossless].min += 4;
    books.queues[3 * books.queues_per_port + kLossless].min += 4;
  });
}

INSTANTIATE_TEST_SUITE_P(Slices, MmuFaults, ::testing::Values(1u, 2u));

}  // namespace
}  // namespace sluice
