// SPDX-License-Identifier: Apache-2.0
// On which host each rank sits, and what a placement file may not say.
// Leaves out: reading `placement:` itself (fabric_spec_test.cpp).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "fabric/fabric_spec.h"
#include "kernel/error.h"

namespace sluice {
namespace {

using Hosts = std::vector<std::uint32_t>;

PlacementParams random_by(std::uint64_t seed) {
  PlacementParams params;
  params.mode = PlacementMode::kRandom;
  params.seed = seed;
  return params;
}

PlacementParams listed_in(const std::string& path) {
  PlacementParams params;
  params.mode = PlacementMode::kFile;
  params.file = path;
  return params;
}

/// A placement file that goes away with the test; a name a process, since tests run side by side.
class PlacementFile : public ::testing::Test {
 protected:
  PlacementParams with(const std::string& text) {
    path_ = ::testing::TempDir() + "sluice_placement_" + std::to_string(::getpid()) + ".txt";
    std::ofstream(path_) << text;
    return listed_in(path_);
  }
  void refused(const std::string& text, const std::string& part, std::uint32_t ranks = 3) {
    try {
      place_ranks(with(text), ranks, 4);
      ADD_FAILURE() << "taken: " << text;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_EQ(error.code(), ExitCode::kUsage);
    }
  }
  ~PlacementFile() override { std::filesystem::remove(path_); }

 private:
  std::string path_;
};

TEST(Placement, LinearPutsRankIOnHostI) { EXPECT_EQ(place_ranks({}, 3, 8), (Hosts{0, 1, 2})); }

TEST(Placement, RandomIsAPermutationThatItsSeedRepeats) {
  const PlacementParams one = random_by(1);
  const PlacementParams two = random_by(2);
  const Hosts hosts = place_ranks(one, 64, 64);
  EXPECT_EQ(std::set<std::uint32_t>(hosts.begin(), hosts.end()).size(), 64u);
  EXPECT_EQ(*std::max_element(hosts.begin(), hosts.end()), 63u);
  EXPECT_EQ(place_ranks(one, 64, 64), hosts);
  EXPECT_NE(place_ranks(two, 64, 64), hosts);
  // Fewer ranks take hosts from the whole fabric, not from its beginning.
  const Hosts few = place_ranks(one, 8, 64);
  EXPECT_GT(*std::max_element(few.begin(), few.end()), 8u);
}

TEST(Placement, RandomPutsARankOnEveryHostEquallyOften) {
  std::vector<int> times(4);
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    ++times[place_ranks(random_by(seed), 1, 4)[0]];
  }
  for (const int count : times) EXPECT_NEAR(count, 1000, 3 * 27.4);  // sqrt(4000 x 1/4 x 3/4)
}

TEST(Placement, MoreRanksThanHostsAreRefusedWithBothNumbers) {
  for (const PlacementParams& params : {PlacementParams{}, random_by(1)}) {
    try {
      place_ranks(params, 5, 4);
      ADD_FAILURE() << "5 ranks fitted onto 4 hosts";
    } catch (const ConfigError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("5 ranks"), std::string::npos) << text;
      EXPECT_NE(text.find("4 hosts"), std::string::npos) << text;
    }
  }
}

TEST_F(PlacementFile, HasAHostALineForEachRank) {
  EXPECT_EQ(place_ranks(with("# rank 0 first\n3\n\n0\n2\n"), 3, 4), (Hosts{3, 0, 2}));
}

TEST_F(PlacementFile, MayHoldMoreHostsThanThereAreRanks) {
  EXPECT_EQ(place_ranks(with("3\n0\n2\n1\n"), 2, 4), (Hosts{3, 0}));
}

TEST_F(PlacementFile, RefusesAHostTwiceWithTheLine) {
  refused("3\n0\n3\n", ":3: host 3 holds a rank already");
}

TEST_F(PlacementFile, RefusesWhatIsNoHostWithTheLine) {
  refused("0\n4\n1\n", ":2: '4', expected a host number below 4");
  refused("0\n-1\n1\n", ":2: '-1'");
  refused("0\n1 2\n3\n", ":2: '1 2'");
  refused("0\nhost1\n", ":2: 'host1'");
  refused("99999999999999999999\n", ":1: '99999999999999999999'");
}

TEST_F(PlacementFile, RefusesTooFewLinesWithBothNumbers) {
  refused("0\n1\n", "2 hosts, but the workload has 3 ranks");
}

TEST(Placement, AFileThatIsNotThereIsNamed) {
  try {
    place_ranks(listed_in("no/such/file"), 1, 4);
    FAIL() << "a missing file was read";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("'no/such/file'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace sluice
