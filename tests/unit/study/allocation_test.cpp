// SPDX-License-Identifier: Apache-2.0
// In steady state a whole fabric asks the heap for nothing.
// Leaves out: elaboration and warm-up, when pools and tables grow.
#include <cstdlib>
#include <new>
#include <vector>

#include "unit/study/small_run.h"

namespace {
std::uint64_t g_allocations = 0;
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sluice::test {
namespace {

/// Notes time and allocations whenever the wheel looks up.
class AllocationWatch : public WheelWatcher {
 public:
  AllocationWatch() { samples_.reserve(1 << 20); }
  void watch(Simulation& simulation) { simulation_ = &simulation; }
  void tick() override {
    samples_.push_back({simulation_->now(), simulation_->events(), g_allocations});
  }

  struct Sample {
    Ps at;
    std::uint64_t events;
    std::uint64_t allocations;
  };
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  Simulation* simulation_ = nullptr;
  std::vector<Sample> samples_;
};

/// Between two parts of the run's time, how many allocations and events there were.
void expect_none_between(const std::string& yaml, double from, double to) {
  AllocationWatch watch;
  SmallRun run(yaml, {.watcher = &watch});
  watch.watch(run.simulation());
  const RunOutcome outcome = run.run();
  ASSERT_EQ(outcome.exit, ExitCode::kOk) << outcome.message;
  const double length = static_cast<double>(outcome.summary.simulated.value);
  const AllocationWatch::Sample* first = nullptr;
  const AllocationWatch::Sample* last = nullptr;
  for (const auto& sample : watch.samples()) {
    const double part = static_cast<double>(sample.at.value) / length;
    if (part < from || part > to) continue;
    if (first == nullptr) first = &sample;
    last = &sample;
  }
  ASSERT_NE(first, nullptr);
  EXPECT_GT(last->events, first->events + 20'000) << "too little happened to show anything";
  EXPECT_EQ(last->allocations, first->allocations);
}

TEST(SteadyState, APermutationOverLeavesAndSpinesMakesNoAllocation) {
  expect_none_between(R"(
fabric: {type: leaf_spine, leaves: 4, spines: 4, hosts_per_leaf: 4, link: {rate: 800Gbps, length: 30m}}
workload: {type: permutation, bytes: 8MiB, seed: 1}
)",
                      0.45, 0.95);
}

TEST(SteadyState, AnIncastUnderPfcMakesNoAllocation) {
  expect_none_between(R"(
fabric: {type: single_switch, hosts: 16, link: {rate: 800Gbps, length: 30m}}
switch: {preset: tomahawk5, mmu: {pg_alpha_exp: -7}}
nic: {congestion_control: none}
workload: {type: incast, dst: 0, first: 1, count: 15, bytes: 4MiB}
)",
                      0.3, 0.9);
}

TEST(SteadyState, RingsThatFollowEachOtherMakeNoAllocation) {
  expect_none_between(R"(
fabric: {type: single_switch, hosts: 8, link: {rate: 800Gbps, length: 30m}}
workload: {type: all_reduce, bytes: 1MiB, repeat: 80}
)",
                      0.5, 0.95);
}

}  // namespace
}  // namespace sluice::test
