// SPDX-License-Identifier: Apache-2.0
// The counters that a column may name are those that runs have. Leaves out: what a column that
// names another says (sweep_parts_test.cpp).
#include "study/sweep/counter_names.h"

#include <gtest/gtest.h>

#include <set>

#include "unit/study/small_run.h"

namespace sluice::test {
namespace {

using Names = std::set<std::pair<std::string, std::string>>;

TEST(CounterNames, AreThoseOfRunsInWhichEveryBlockIsPresent) {
  Names known;
  for (const CounterKind& kind : known_counter_kinds()) {
    for (const CounterField& field : kind.fields) {
      EXPECT_TRUE(known.emplace(kind.kind, field.name).second) << kind.kind << " " << field.name;
    }
  }
  Names registered;
  for (const char* yaml :
       {"fabric: {type: single_switch, hosts: 2}\n"
        "switch: {watchdog: {enabled: true}, routing: {mode: dlb}}\n"
        "nic: {pcie: {model: transactions}}\n"
        "workload: {type: incast, dst: 0, first: 1, count: 1, bytes: 1KiB}\n",
        "fabric: {type: single_switch, hosts: 2}\n"
        "switch: {forwarding: {mode: l2}}\n"
        "workload: {type: raw, streams: [{source: 0, destination: 1, frames: 1}]}\n"}) {
    const SmallRun run(yaml);
    for (const CounterTable& table : run.statistics().tables()) {
      for (const CounterField& field : table.fields) registered.emplace(table.kind, field.name);
    }
  }
  EXPECT_EQ(known, registered);
}

}  // namespace
}  // namespace sluice::test
