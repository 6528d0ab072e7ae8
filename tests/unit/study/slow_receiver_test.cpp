// SPDX-License-Identifier: Apache-2.0
// Field report B31: one host of 16 drains at half its rate or not at all; pauses spread towards the
// senders, and who shares no paused link does not notice.
// Leaves out: naming the root of a pause tree, which no report does yet.
#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

struct Received {
  double at_slow = 0;    ///< Gb/s of wire at host 5
  double elsewhere = 0;  ///< at host 11, whose flow stays on the senders' leaf
  std::uint64_t xoff_of_the_senders_leaf = 0;
  std::uint64_t drops = 0;
};

/// Hosts 0-7 on leaf0, 8-15 on leaf1. 8 -> 5 meets the slow host, 10 -> 11 shares nothing with it.
Received run_with(const std::string& pauses) {
  constexpr double kMicroseconds = 400;
  SmallRun run(fmt::format(R"(
fabric: {{type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 8, link: {{rate: 800Gbps, length: 30m}}}}
switch: {{preset: spectrum4, freq_offset_ppm: 0, ecn: {{enabled: false}},
         mmu: {{port_alpha_enabled: false, pg_alpha_exp: -7}}}}
nic: {{frequency_offset_ppm: 0}}
workload:
  type: raw
  pause_hosts: [5]
  pause_priorities: 8
  {}
  streams:
    - {{source: 8, destination: 5, dscp: 26, priority: 3}}
    - {{source: 10, destination: 11, dscp: 26, priority: 3}}
)",
                           pauses),
               {.until = Ps{static_cast<std::uint64_t>(kMicroseconds) * 1'000'000}});
  const RunOutcome outcome = run.run();
  const auto gbps = [&run](std::size_t host) {
    const auto frames = run.fabric().raw_endpoints()[host]->core().received(26).frames;
    return static_cast<double>(frames) * 1044 * 8 / (kMicroseconds * 1000);
  };
  return {gbps(5), gbps(11), run.fabric().chips()[1]->report().pfc_xoff_frames,
          outcome.summary.drops_total()};
}

TEST(SlowReceiver, B31_AtHalfItsRateGetsHalfAndSlowsItsSender) {
  // XOFF of 1000 quanta, 640 ns, every 1280 ns.
  const Received got = run_with("pause_quanta: 1000\n  pause_refresh: 1280ns");
  EXPECT_NEAR(got.at_slow / 800, 0.5, 0.02);
  EXPECT_GT(got.xoff_of_the_senders_leaf, 0u);
  EXPECT_EQ(got.drops, 0u);
}

TEST(SlowReceiver, B31_ThatDrainsNothingStopsItsSenderAndNobodyElse) {
  const Received free = run_with("pause_start: 1ms");
  const Received got = run_with("pause_quanta: 65535");
  EXPECT_LT(got.at_slow, 1.0);
  EXPECT_GT(got.xoff_of_the_senders_leaf, 0u);
  EXPECT_EQ(got.drops, 0u);
  EXPECT_EQ(free.xoff_of_the_senders_leaf, 0u);
  EXPECT_GT(free.at_slow, 790.0);
  EXPECT_EQ(got.elsewhere, free.elsewhere);
}

}  // namespace
}  // namespace sluice::test
