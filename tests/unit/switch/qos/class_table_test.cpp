// SPDX-License-Identifier: Apache-2.0
// Maps flattened: what DSCP, PCP and PFC priority mean on a port.
#include "switch/qos/class_table.h"

#include <gtest/gtest.h>

#include "kernel/error.h"

namespace sluice::test {
namespace {

TEST(ClassTable, ComposesDscpToTcWithTcToPgAndTcToQueue) {
  QosMaps maps;
  maps.dscp_to_tc[11] = 5;
  maps.pcp_to_tc[6] = 2;
  maps.tc_to_pg[5] = 4;
  maps.tc_to_queue[5] = 1;
  maps.tc_to_queue[2] = 7;
  const ClassTable table(maps);
  EXPECT_EQ(table.of_dscp(11).tc, 5);
  EXPECT_EQ(table.of_dscp(11).pg, 4);
  EXPECT_EQ(table.of_dscp(11).queue, 1);
  EXPECT_EQ(table.of_dscp(26).pg, 3) << "RoCE data";
  EXPECT_EQ(table.of_dscp(1).pg, 0) << "what no map names is TC 0";
  EXPECT_EQ(table.of_pcp(6).pg, 2);
  EXPECT_EQ(table.of_pcp(6).queue, 7);
}

TEST(ClassTable, StopsTheQueuesThatThePausedPrioritiesFeed) {
  QosMaps maps;
  EXPECT_EQ(ClassTable(maps).queues_of(0b1010'0001), 0b1010'0001);
  maps.pfc_to_queue = {0, 1, 2, 4, 4, 5, 6, 7};
  const ClassTable table(maps);
  EXPECT_EQ(table.queues_of(1u << 3), 1u << 4);
  EXPECT_EQ(table.queues_of(0b0001'1001), 0b0001'0001);
}

TEST(ClassTable, RefusesMapsThatLeaveTheChip) {
  const auto refused = [](auto&& change) {
    QosMaps maps;
    change(maps);
    EXPECT_THROW(ClassTable{maps}, ConfigError);
  };
  refused([](QosMaps& m) { m.tc_to_pg[7] = 8; });
  refused([](QosMaps& m) { m.tc_to_queue.resize(7); });
  refused([](QosMaps& m) { m.pfc_to_queue[0] = 9; });
  refused([](QosMaps& m) { m.dscp_to_tc.push_back(0); });
}

}  // namespace
}  // namespace sluice::test
