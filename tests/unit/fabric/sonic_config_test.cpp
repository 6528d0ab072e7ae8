// SPDX-License-Identifier: Apache-2.0
// What SONiC tables may not say: each contradiction is refused with file, row, field and value.
// Leaves out: forms of files (sonic_reader_test.cpp) and chips (sonic_apply_test.cpp).
#include <gtest/gtest.h>

#include "unit/fabric/sonic_text.h"

namespace sluice::test {
namespace {

/// The small switch with one value changed.
nlohmann::json with(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json tables = small_switch();
  tables[nlohmann::json::json_pointer(pointer)] = value;
  return tables;
}

TEST(SonicConfig, TheSmallSwitchIsTaken) {
  const SonicConfig config = read(small_switch());
  EXPECT_EQ(config.notes, std::vector<std::string>{});
  EXPECT_EQ(config.ports[2].name, "Ethernet8");
  EXPECT_EQ(config.ports[2].lossless, 0x18);
  EXPECT_EQ(config.ports[2].cable, "40m");
}

TEST(SonicConfig, NumbersAreStrictAndOf64Bits) {
  expect_refused(with("/BUFFER_POOL/ingress_lossless_pool/size", "0x100"),
                 {"BUFFER_POOL|ingress_lossless_pool size '0x100'"});
  expect_refused(with("/BUFFER_POOL/ingress_lossless_pool/size", "-1"), {"size '-1'"});
  expect_refused(with("/BUFFER_POOL/ingress_lossless_pool/size", "100 "), {"size '100 '"});
  expect_refused(with("/BUFFER_POOL/ingress_lossless_pool/size", "18446744073709551616"),
                 {"size '18446744073709551616'"});
  const SonicConfig config = read(with("/BUFFER_POOL/ingress_lossless_pool/size", "6441610000"));
  EXPECT_EQ(config.pools[1].size, Bytes{6441610000}) << "more than 32 bits";
}

TEST(SonicConfig, ALaneBelongsToOnePort) {
  expect_refused(with("/PORT/Ethernet8/lanes", "4,9"),
                 {"PORT|Ethernet8", "lane 4 is used by Ethernet0 already"});
}

TEST(SonicConfig, RowsNameProfilesPortsAndPoolsThatAreThere) {
  expect_refused(with("/BUFFER_PG/Ethernet0|6", {{"profile", "gone"}}),
                 {"BUFFER_PG|Ethernet0|6 profile 'gone'"});
  expect_refused(with("/BUFFER_QUEUE/Ethernet0|6", {{"profile", "gone"}}),
                 {"BUFFER_QUEUE|Ethernet0|6 profile 'gone'"});
  expect_refused(with("/BUFFER_PG/Ethernet99|6", {{"profile", "in"}}),
                 {"BUFFER_PG|Ethernet99|6", "no port 'Ethernet99'"});
  expect_refused(with("/BUFFER_PROFILE/in/pool", "gone"), {"BUFFER_PROFILE|in pool 'gone'"});
  expect_refused(with("/QUEUE/Ethernet0|3", {{"scheduler", "gone"}}),
                 {"QUEUE|Ethernet0|3 scheduler 'gone'"});
  expect_refused(with("/QUEUE/Ethernet0|3", {{"wred_profile", "gone"}}), {"wred_profile 'gone'"});
}

TEST(SonicConfig, PoolsHaveDirections) {
  expect_refused(with("/BUFFER_PG/Ethernet0|6", {{"profile", "out"}}),
                 {"BUFFER_PG|Ethernet0|6 profile 'out'", "egress_lossless_pool is an egress pool"});
  expect_refused(with("/BUFFER_QUEUE/Ethernet0|6", {{"profile", "in"}}),
                 {"BUFFER_QUEUE|Ethernet0|6 profile 'in'", "is an ingress pool"});
}

TEST(SonicConfig, ThresholdsAreOneOfTwoAndInRange) {
  expect_refused(with("/BUFFER_PROFILE/in/dynamic_th", "1"), {"static_th and dynamic_th"});
  nlohmann::json tables = small_switch();
  tables["BUFFER_PROFILE"]["out"].erase("dynamic_th");
  expect_refused(tables, {"BUFFER_PROFILE|out", "neither static_th nor dynamic_th"});
  expect_refused(with("/BUFFER_PROFILE/out/dynamic_th", "8"), {"dynamic_th '8'", "-8..7"});
  expect_refused(with("/BUFFER_PROFILE/out/dynamic_th", "-9"), {"dynamic_th '-9'", "-8..7"});
  EXPECT_EQ(read(with("/BUFFER_PROFILE/lossless/dynamic_th", "-8")).profiles[1].dynamic_th, -8);
}

TEST(FieldReport, B07_AByteCountIsNoExponent) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_PROFILE"]["out"] = {
      {"pool", "egress_lossless_pool"}, {"size", "0"}, {"static_th", "9497600"}};
  EXPECT_EQ(read(tables).profiles[2].static_th, Bytes{9497600});
  tables["BUFFER_PROFILE"]["out"] = {
      {"pool", "egress_lossless_pool"}, {"size", "0"}, {"dynamic_th", "9497600"}};
  expect_refused(tables, {"BUFFER_PROFILE|out dynamic_th '9497600'", "-8..7"});
}

TEST(SonicConfig, APoolHoldsItsSharedHeadroom) {
  expect_refused(with("/BUFFER_POOL/ingress_lossless_pool/xoff", "100000001"),
                 {"xoff '100000001'", "100000000"});
}

TEST(SonicConfig, PfcPrioritiesAreBelow8AndKeepTheirNumber) {
  expect_refused(with("/PORT_QOS_MAP/Ethernet0,Ethernet4,Ethernet8,Ethernet12/pfc_enable", "3,8"),
                 {"pfc_enable '3,8'"});
  nlohmann::json tables = small_switch();
  tables["TC_TO_PRIORITY_GROUP_MAP"]["AZURE"] = {{"3", "3"}, {"4", "0"}};
  tables["PORT_QOS_MAP"]["Ethernet0,Ethernet4,Ethernet8,Ethernet12"]["tc_to_pg_map"] = "AZURE";
  expect_refused(tables, {"pfc_enable '4'", "traffic class 4 into priority group 0"});
}

TEST(SonicConfig, PfcIsOffWherePfcEnableIsEmptyOrAbsent) {
  EXPECT_EQ(read(with("/PORT_QOS_MAP/Ethernet0,Ethernet4,Ethernet8,Ethernet12/pfc_enable", ""))
                .ports[0]
                .lossless,
            0);
  nlohmann::json tables = small_switch();
  tables["PORT_QOS_MAP"] = {{"Ethernet0", {{"pfc_enable", "3"}}}, {"Ethernet4", {{"a", "b"}}}};
  const SonicConfig config = read(tables);
  EXPECT_EQ(config.ports[0].lossless, 0x08);
  EXPECT_EQ(config.ports[1].lossless, 0);
  EXPECT_EQ(config.ports[2].lossless, 0);
  EXPECT_TRUE(has_note(config.notes, "headroom of a BUFFER_PG without pfc_enable"));
}

TEST(SonicConfig, ALosslessGroupNeedsHeadroom) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_PROFILE"]["lossless"].erase("xoff");
  expect_refused(tables, {"PORT|Ethernet0", "profile lossless has no xoff"});
}

TEST(SonicConfig, ProfileNullNeedsALookupTable) {
  expect_refused(with("/BUFFER_PG/Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4/profile", "NULL"),
                 {"BUFFER_PG has no profile for Ethernet0|3", "pg_profile_lookup.ini"});
}

TEST(SonicConfig, KeysAreRangesOfOneSwitch) {
  expect_refused(with("/BUFFER_PG/Ethernet0|8", {{"profile", "in"}}), {"Ethernet0|8", "0..7"});
  expect_refused(with("/BUFFER_PG/Ethernet0|2-1", {{"profile", "in"}}), {"Ethernet0|2-1"});
  expect_refused(with("/BUFFER_PG/Ethernet0|x", {{"profile", "in"}}), {"'x' in the key"});
  expect_refused(with("/BUFFER_PG/Ethernet0|4-5", {{"profile", "in"}}),
                 {"4 of Ethernet0 has a row already"});
  expect_refused(with("/BUFFER_QUEUE/host1|asic0|Ethernet0|3-4", {{"profile", "out"}}),
                 {"host1|asic0|Ethernet0|3-4", "VOQ chassis"});
}

TEST(SonicConfig, WredThresholdsAreInOrder) {
  nlohmann::json wred = {{"ecn", "ecn_all"},
                         {"wred_green_enable", "true"},
                         {"green_min_threshold", "262144"},
                         {"green_max_threshold", "131072"},
                         {"green_drop_probability", "5"}};
  expect_refused(with("/WRED_PROFILE/W", wred),
                 {"WRED_PROFILE|W green_min_threshold '262144'", "131072"});
  wred["green_max_threshold"] = "262144";
  EXPECT_EQ(read(with("/WRED_PROFILE/W", wred)).wreds[0].max, Bytes{262144}) << "equal is a step";
  wred["green_drop_probability"] = "101";
  expect_refused(with("/WRED_PROFILE/W", wred), {"green_drop_probability '101'", "0..100"});
}

TEST(SonicConfig, SchedulersMapsAndWatchdogsHaveRanges) {
  expect_refused(with("/SCHEDULER/s", {{"type", "DWRR"}, {"weight", "101"}}), {"weight '101'"});
  expect_refused(with("/SCHEDULER/s", {{"type", "FIFO"}}), {"type 'FIFO'", "DWRR, WRR, STRICT"});
  expect_refused(with("/DSCP_TO_TC_MAP/A", {{"3", "8"}}), {"DSCP_TO_TC_MAP|A 3 '8'"});
  expect_refused(with("/CABLE_LENGTH/AZURE/Ethernet0", "5"), {"Ethernet0 '5'", "metres"});
  nlohmann::json tables =
      with("/PFC_WD/Ethernet0", {{"action", "drop"}, {"detection_time", "100"}});
  tables["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "200";
  expect_refused(tables, {"PFC_WD|Ethernet0 detection_time '100'", "POLL_INTERVAL of 200 ms"});
}

TEST(SonicConfig, MapsAreThoseOfThePortElseTheGlobalOneAndMissingDscpIs0) {
  nlohmann::json tables = small_switch();
  tables["DSCP_TO_TC_MAP"] = {{"A", {{"3", "3"}, {"4", "4"}}}, {"UPLINK", {{"5", "5"}}}};
  tables["PORT_QOS_MAP"] = {{"global", {{"dscp_to_tc_map", "A"}}},
                            {"Ethernet0", {{"dscp_to_tc_map", "UPLINK"}, {"pfc_enable", "3,4"}}},
                            {"Ethernet4", {{"pfc_enable", "3,4"}}}};
  const SonicConfig config = read(tables);
  EXPECT_EQ((*config.ports[0].maps.dscp_to_tc)[5], 5u);
  EXPECT_EQ((*config.ports[0].maps.dscp_to_tc)[3], 0u);
  EXPECT_EQ((*config.ports[1].maps.dscp_to_tc)[3], 3u);
  EXPECT_EQ((*config.ports[2].maps.dscp_to_tc)[4], 4u);
  EXPECT_FALSE(config.ports[0].maps.tc_to_pg.has_value()) << "no file has the table";
}

}  // namespace
}  // namespace sluice::test
