// SPDX-License-Identifier: Apache-2.0
// The waveform of a difference holds the clocks asked for, also those after the bench has ended.
// Leaves out: what the signals in it are.
#include <Vdivided_flop.h>
#include <gtest/gtest.h>
#include <gtkwave/fstapi.h>

#include <filesystem>

#include "rtl/harness/rtl_model.h"

namespace sluice {
namespace {

struct Clocks {
  std::uint64_t first;
  std::uint64_t last;
};

/// Of a file in which each clock has two times.
Clocks clocks_in(const std::filesystem::path& path) {
  void* reader = fstReaderOpen(path.c_str());
  if (reader == nullptr) throw std::runtime_error("no waveform in " + path.string());
  const Clocks clocks{fstReaderGetStartTime(reader) / 2, fstReaderGetEndTime(reader) / 2};
  fstReaderClose(reader);
  return clocks;
}

/// A bench of one instance that sees a difference in clock `differs`.
Clocks drawn(std::uint64_t differs, const char* name) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / name;
  {
    rtl::RtlOptions options;
    options.fst = path.string();
    options.fst_from = differs > 100 ? differs - 100 : 0;
    options.fst_to = differs + 100;
    rtl::RtlModel<Vdivided_flop> model(options);
    model.pins().data_i = 0;
    model.reset();
    while (model.cycle() < differs) model.tick();
  }
  const Clocks clocks = clocks_in(path);
  std::filesystem::remove(path);
  return clocks;
}

TEST(Waveform, HoldsAHundredClocksBeforeAndAfterTheDifference) {
  const Clocks clocks = drawn(500, "sluice_waveform_500.fst");
  EXPECT_EQ(clocks.first, 400u);
  EXPECT_EQ(clocks.last, 600u);
}

TEST(Waveform, StartsWithTheRunWhereTheDifferenceComesEarly) {
  const Clocks clocks = drawn(30, "sluice_waveform_30.fst");
  EXPECT_EQ(clocks.first, 0u);
  EXPECT_EQ(clocks.last, 130u);
}

}  // namespace
}  // namespace sluice
