// SPDX-License-Identifier: Apache-2.0
// Golden rows G4-05, 06, 33..60, 65, 66: response budgets, the standard's headroom form, and the
// loop budget's arithmetic with all other stages 0. Leaves out: running chips
// (golden/g4_worst_phase).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "packet/serialisation.h"
#include "packet/wire/frames.h"
#include "study/check/headroom_forms.h"
#include "study/check/loop_budget.h"
#include "switch/mmu/mmu_presets.h"

namespace sluice {
namespace {

constexpr BitsPerSecond gbit(std::uint64_t n) { return BitsPerSecond{n * 1'000'000'000}; }

TEST(GoldenG4, G4_05_ResponseBudgetAt400GIs905Quanta) {
  EXPECT_EQ(192 + 625 + 72 + 16, 905);
  ASSERT_EQ(ieee_response_quanta(gbit(400)), 905u);
  EXPECT_EQ(pause_duration(905, gbit(400)), Ps{1'158'400});
  EXPECT_EQ(905 * kPauseQuantumBits, 463'360u);
  EXPECT_EQ(peer_response_quanta(gbit(400)) * 64, 57'920u);
}

TEST(GoldenG4, G4_06_ResponseBudgetAt800GHasTwoReadings) {
  EXPECT_EQ(peer_response_quanta(gbit(800)) * 64, 57'920u);
  EXPECT_EQ(pause_duration(peer_response_quanta(gbit(800)), gbit(800)), Ps{579'200});
  ASSERT_EQ(ieee_response_quanta(gbit(800)), 1810u);
  EXPECT_EQ(pause_duration(1810, gbit(800)), Ps{1'158'400});
}

TEST(GoldenG4, ResponseBudgetsOfOtherSpeeds) {
  EXPECT_EQ(ieee_response_quanta(gbit(200)), 453u);
  EXPECT_EQ(ieee_response_quanta(gbit(100)), 394u);
  EXPECT_FALSE(ieee_response_quanta(gbit(53)).has_value());
}

struct Row {
  int id;
  std::uint64_t gigabits;
  std::uint64_t cable_ps;  ///< one way
  std::uint32_t frame;
  std::uint32_t quanta;
  std::uint64_t bytes;
  std::uint64_t cells192;
  std::uint64_t cells254;
};

constexpr std::array<Row, 24> kRows{{
    {33, 400, 22'500, 4174, 905, 68622, 361, 279},
    {34, 400, 22'500, 9216, 905, 78706, 414, 320},
    {35, 400, 150'000, 4174, 905, 81372, 428, 331},
    {36, 400, 150'000, 9216, 905, 91456, 482, 372},
    {37, 400, 500'000, 4174, 905, 116372, 613, 474},
    {38, 400, 500'000, 9216, 905, 126456, 666, 515},
    {39, 400, 2'500'000, 4174, 905, 316372, 1666, 1287},
    {40, 400, 2'500'000, 9216, 905, 326456, 1719, 1328},
    {41, 800, 22'500, 4174, 905, 70872, 373, 288},
    {42, 800, 22'500, 4174, 1810, 128792, 678, 524},
    {43, 800, 22'500, 9216, 905, 80956, 426, 329},
    {44, 800, 22'500, 9216, 1810, 138876, 731, 565},
    {45, 800, 150'000, 4174, 905, 96372, 507, 392},
    {46, 800, 150'000, 4174, 1810, 154292, 812, 628},
    {47, 800, 150'000, 9216, 905, 106456, 561, 433},
    {48, 800, 150'000, 9216, 1810, 164376, 866, 669},
    {49, 800, 500'000, 4174, 905, 166372, 876, 677},
    {50, 800, 500'000, 4174, 1810, 224292, 1181, 913},
    {51, 800, 500'000, 9216, 905, 176456, 929, 718},
    {52, 800, 500'000, 9216, 1810, 234376, 1234, 954},
    {53, 800, 2'500'000, 4174, 905, 566372, 2982, 2305},
    {54, 800, 2'500'000, 4174, 1810, 624292, 3287, 2540},
    {55, 800, 2'500'000, 9216, 905, 576456, 3035, 2346},
    {56, 800, 2'500'000, 9216, 1810, 634376, 3340, 2581},
}};

TEST(GoldenG4, G4_33_to_56_TheStandardsFormInBytesAndCells) {
  for (const Row& row : kRows) {
    const std::uint64_t bytes =
        ieee_headroom({gbit(row.gigabits), Ps{row.cable_ps},
                       pause_duration(row.quanta, gbit(row.gigabits)), row.frame, row.frame});
    EXPECT_EQ(bytes, row.bytes) << "G4-" << row.id;
    // The table rounds to the nearest cell; headroom has to round up.
    for (const auto& [cell, cells] : {std::pair{192u, row.cells192}, {254u, row.cells254}}) {
      const double exact = static_cast<double>(bytes) * cells_of_frame(4158, cell) / 4178;
      EXPECT_EQ(static_cast<std::uint64_t>(std::llround(exact)), cells) << "G4-" << row.id;
      EXPECT_EQ(cells_of_wire_bytes(bytes, 4158, cell),
                static_cast<std::uint64_t>(std::ceil(exact)))
          << "G4-" << row.id;
    }
  }
}

/// Only a cable and a response time; cells of one byte, frames of one size.
PauseLoop bare_loop(std::uint64_t gigabits, Ps cable, Ps response) {
  PauseLoop loop;
  loop.cable = {gbit(gigabits), 0, cable, Ps{0}};
  loop.peer.kind = "peer";
  loop.peer.until_stopped = {{"response", response}};
  loop.frames = {4174, 4174, 4174};
  return loop;
}

TEST(GoldenG4, G4_57_to_60_TheLoopBudgetWithoutStagesIsThePhysicalMinimum) {
  struct Minimum {
    int id;
    std::uint64_t gigabits;
    Ps cable;
    std::array<std::uint64_t, 4> bytes;
  };
  constexpr std::array<Ps, 4> kResponses{50_ns, 200_ns, Ps{579'200}, Ps{1'158'400}};
  constexpr std::array<Minimum, 4> kMinima{{
      {57, 400, Ps{22'500}, {13202, 20702, 39662, 68622}},
      {58, 400, 500_ns, {60952, 68452, 87412, 116372}},
      {59, 800, Ps{22'500}, {17952, 32952, 70872, 128792}},
      {60, 800, 500_ns, {113452, 128452, 166372, 224292}},
  }};
  for (const Minimum& row : kMinima) {
    for (std::size_t i = 0; i < kResponses.size(); ++i) {
      const LoopBudget budget = loop_budget(bare_loop(row.gigabits, row.cable, kResponses[i]));
      EXPECT_EQ(ieee_headroom({gbit(row.gigabits), row.cable, kResponses[i], 4174, 4174}),
                row.bytes[i])
          << "G4-" << row.id;
      // The loop ends the PFC frame with its last byte, not with the gap behind it (-12), and
      // counts the peer's frame with preamble and gap (+20).
      EXPECT_EQ(budget.wire_bytes, row.bytes[i] - 12 + 20) << "G4-" << row.id;
    }
  }
}

TEST(GoldenG4, G4_66_APauseFrameIsPaddedToTheSmallestFrame) {
  static_assert(6 + 6 + 2 + 2 + 2 + 16 + 26 == 60);
  static_assert(kPfcFrameBytes == 60 + kFcsBytes);
  EXPECT_EQ(wire_bytes(kPfcFrameBytes), 84u);
}

TEST(LoopBudget, CountsFramesWhoseHeadComesInTime) {
  // 8 bytes a nanosecond; frames of 980 B are 1000 on the wire, a line time of 125 ns.
  PauseLoop loop;
  loop.cable = {BitsPerSecond{64'000'000'000}, 0, Ps{0}, Ps{0}};
  loop.peer.until_stopped = {{"response", 500_ns}};
  loop.frames = {0, 980, 980};
  loop.receiver.cell_bytes = 100;
  // Open for 500 + 9 ns (the PFC frame's 72 B): the decision's frame and four behind it.
  EXPECT_EQ(loop_budget(loop).cells, 5u * 10);
  loop.peer.until_stopped[0].time = Ps{615'999};
  EXPECT_EQ(loop_budget(loop).cells, 5u * 10);
  loop.peer.until_stopped[0].time = 616_ns;  // 625 ns: a fifth fits exactly
  EXPECT_EQ(loop_budget(loop).cells, 6u * 10);
}

TEST(LoopBudget, ThePeersFifoComesWholeAndALargeFrameAlwaysEntersIt) {
  PauseLoop loop = bare_loop(400, 0_ns, 0_ns);
  loop.receiver.cell_bytes = 254;
  loop.peer.fifo_cell_bytes = 254;
  const std::uint32_t without = loop_budget(loop).cells;
  loop.peer.fifo_cells = 50;  // two frames of 17 cells
  EXPECT_EQ(loop_budget(loop).cells, without + 2 * 17);
  loop.peer.fifo_cells = 5;
  EXPECT_EQ(loop_budget(loop).cells, without + 17);
  loop.frames.uniform = 0;  // any mix: all cells of the FIFO, or its one frame
  const std::uint32_t mixed = loop_budget(loop).cells;
  loop.peer.fifo_cells = 50;
  EXPECT_EQ(loop_budget(loop).cells, mixed - 17 + 50);
}

TEST(LoopBudget, AFasterPortWaitsForAFrameFromASlowOne) {
  PauseLoop loop = bare_loop(400, 0_ns, 0_ns);
  loop.receiver.slowest_port = gbit(100);
  // 4182 B take 334.56 ns at 100G and 83.64 ns at 400G: held for the difference, not for 83.88 ns.
  EXPECT_EQ(loop_budget(loop).terms[1].time, Ps{334'560 - 83'640});
  loop.receiver.slowest_port = gbit(400);
  EXPECT_EQ(loop_budget(loop).terms[1].time, Ps{83'880});
}

TEST(LoopBudget, EachTermIsInNanosecondsAndBytesAndTheySumUp) {
  PauseLoop loop = bare_loop(800, 500_ns, 200_ns);
  loop.receiver.to_admission = {{"a", 10_ns}, {"b", 20_ns}};
  const LoopBudget budget = loop_budget(loop);
  Ps time{};
  double bytes = 0;
  for (const LoopTerm& term : budget.terms) {
    EXPECT_NEAR(term.wire_bytes, static_cast<double>(term.time.value) / 10, 0.2) << term.name;
    time += term.time;
    bytes += term.wire_bytes;
  }
  EXPECT_EQ(budget.time, time);
  EXPECT_NEAR(static_cast<double>(budget.wire_bytes), bytes, 1);
}

TEST(FieldReport, B02_FramesJustOverACellBoundaryNeedTwiceTheCells) {
  PauseLoop loop = bare_loop(400, 750_ns, 200_ns);
  loop.receiver.cell_bytes = 254;
  const auto cells = [&loop](std::uint32_t frame) {
    loop.frames.uniform = frame;
    return loop_budget(loop).cells;
  };
  // 274 and 275 B on the wire: nearly as many frames, but two cells each.
  EXPECT_NEAR(static_cast<double>(cells(255)) / cells(254), 2 * 274.0 / 275, 0.02);
  // Without a frame size the worst is assumed: 64 B, 84 on the wire, 254/84 = 3.02.
  EXPECT_EQ(worst_frame(9216, 254), 64u);
  loop.frames = {4174, 4174, 0};
  const LoopBudget worst = loop_budget(loop);
  EXPECT_NEAR(worst.inflation, 3.024, 0.001);
  EXPECT_GT(worst.cells, cells(255));
  EXPECT_EQ(worst.cell_bytes % 254, 0u);
  // In cells a little above 64 B, such frames are worse than the smallest.
  EXPECT_EQ(worst_frame(1000, 80), 81u);
}

TEST(FieldReport, B03_ACableHoldsDecimalBytes) {
  EXPECT_NEAR(round_trip_bytes(gbit(800), 300, 1.98e8), 303'030, 1);
  EXPECT_NEAR(round_trip_bytes(gbit(400), 150, 1.98e8), 75'758, 1);
  // The budget's two cable terms at 5.05 ns/m: 1515 ns each way.
  PauseLoop loop = bare_loop(800, Ps{1'515'000}, 0_ns);
  double cable = 0;
  for (const LoopTerm& term : loop_budget(loop).terms) {
    if (term.name.starts_with("cable")) cable += term.wire_bytes;
  }
  EXPECT_NEAR(cable, 303'000, 1);
}

}  // namespace
}  // namespace sluice
