// SPDX-License-Identifier: Apache-2.0
// SONiC files in all their forms give the same tables; what is not one is refused in one line.
// Leaves out: what the tables mean (sonic_config_test.cpp).
#include <gtest/gtest.h>

#include "unit/fabric/sonic_text.h"

namespace sluice::test {
namespace {

constexpr const char* kLookup =
    "# PG lossless profiles.\n"
    "# speed cable size xon xoff threshold xon_offset\n"
    "400000 5m 18796 0 445770 0 3556\n"
    "400000 40m 18796 0 612140 -2 3556\n";

/// {TABLE: {key: row}} as {"TABLE|key": row}.
nlohmann::json flat(const nlohmann::json& tables) {
  nlohmann::json result;
  for (const auto& [table, rows] : tables.items()) {
    for (const auto& [key, row] : rows.items()) result[table + "|" + key] = row;
  }
  return result;
}

TEST(SonicReader, NestedAndFlatFilesAreTheSameConfiguration) {
  const SonicConfig nested = read(small_switch());
  EXPECT_EQ(nested.digest, read(flat(small_switch())).digest);
  EXPECT_EQ(nested.ports.size(), 4u);
}

TEST(SonicReader, ApplDbKeysAndBracketsAreTheSameConfiguration) {
  const Scratch scratch;
  const SonicConfig config = read_sonic({scratch.write("appl.json", R"({
    "BUFFER_POOL_TABLE:ingress_lossless_pool": {"type": "ingress", "size": "1000000"},
    "BUFFER_PROFILE_TABLE:lossless": {"pool": "[BUFFER_POOL_TABLE:ingress_lossless_pool]",
                                      "size": "56320", "xon": "19456", "xoff": "36864",
                                      "dynamic_th": "0"},
    "BUFFER_PG_TABLE:Ethernet4:3-4": {"profile": "[BUFFER_PROFILE_TABLE:lossless]"},
    "BUFFER_PG_TABLE:Ethernet12:3": {"profile": "[BUFFER_PROFILE|lossless]"}})")});
  ASSERT_EQ(config.ports.size(), 2u);
  EXPECT_EQ(config.ports[0].name, "Ethernet4") << "natural order";
  EXPECT_EQ(config.ports[0].lossless, 0x18);
  EXPECT_EQ(config.ports[1].lossless, 0x08);
  EXPECT_TRUE(has_note(config.notes, "no PORT table"));
}

TEST(SonicReader, LaterPathsReplaceFieldsAndSaySo) {
  const Scratch scratch;
  const auto first = scratch.write("a.json", small_switch().dump());
  const auto second = scratch.write(
      "b.json", R"({"BUFFER_POOL": {"ingress_lossless_pool": {"size": "90000000"}}})");
  const SonicConfig config = read_sonic({first, second});
  EXPECT_EQ(config.pools[1].size, Bytes{90000000});
  EXPECT_TRUE(has_note(config.notes, "size '90000000' replaces '100000000'"));
  EXPECT_EQ(read_sonic({scratch.path()}).digest, config.digest) << "a directory is its files";
}

TEST(SonicReader, MissingLosslessRowsComeFromTheLookupTableBySpeedAndCable) {
  const Scratch scratch;
  nlohmann::json tables = small_switch();
  tables["BUFFER_PG"].erase("Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4");
  const auto config_db = scratch.write("config_db.json", tables.dump());
  const auto lookup = scratch.write("pg_profile_lookup.ini", kLookup);
  const SonicConfig config = read_sonic({config_db, lookup});
  const SonicProfile& near = config.profiles[*config.ports[0].pg[3]];
  EXPECT_EQ(near.xoff, Bytes{445770});
  const SonicProfile& far = config.profiles[*config.ports[3].pg[4]];
  EXPECT_EQ(far.name, "pg_lossless_400000_40m_profile");
  EXPECT_EQ(far.xoff, Bytes{612140});
  EXPECT_EQ(far.dynamic_th, -2);
  EXPECT_EQ(far.xon_offset, Bytes{3556});

  expect_files_refused({config_db}, {"PORT|Ethernet0", "pfc_enable '3'", "pg_profile_lookup.ini"});
  tables["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "300m";
  expect_files_refused({scratch.write("config_db.json", tables.dump()), lookup},
                       {"PORT|Ethernet8", "speed 400000", "cable 300m"});
  tables["CABLE_LENGTH"]["AZURE"].erase("Ethernet8");
  expect_files_refused({scratch.write("config_db.json", tables.dump()), lookup},
                       {"Ethernet8", "CABLE_LENGTH"});
}

TEST(SonicReader, BuffersAloneAreNotTakenForALossySwitch) {
  nlohmann::json tables = small_switch();
  tables["BUFFER_PG"].erase("Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4");
  tables.erase("PORT_QOS_MAP");
  expect_refused(tables, {"PORT_QOS_MAP", "which priority groups are lossless?"});
}

TEST(SonicReader, PortConfigGivesLanesAndSpeeds) {
  const Scratch scratch;
  const SonicConfig config =
      read_sonic({scratch.write("port_config.ini",
                                "# name lanes alias index speed\nEthernet8 3,4 b 2 200000\n"
                                "Ethernet0 1,2 a 1 200000\n")});
  ASSERT_EQ(config.ports.size(), 2u);
  EXPECT_EQ(config.ports[0].name, "Ethernet0") << "by index";
  EXPECT_EQ(config.ports[1].lanes, (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(config.ports[1].speed_mbps, 200000u);
}

TEST(SonicReader, SaiProfileSaysWhetherThePortLevelIsOn) {
  const Scratch scratch;
  const auto config_db = scratch.write("config_db.json", small_switch().dump());
  EXPECT_FALSE(read_sonic({config_db}).port_alpha.has_value());
  scratch.write("sai.profile", "SAI_INIT_CONFIG_FILE=/a/b\nSAI_KEY_DISABLE_PORT_ALPHA=1\n");
  const SonicConfig config = read_sonic({scratch.path()});
  EXPECT_EQ(config.port_alpha, false);
  EXPECT_TRUE(has_note(config.notes, "SAI_INIT_CONFIG_FILE"));
}

TEST(SonicReader, WhatIsNoSonicFileIsRefusedInOneLine) {
  const Scratch scratch;
  expect_files_refused({scratch.path() / "none.json"}, {"none.json", "no such file"});
  expect_files_refused({scratch.path()}, {"directory without files"});
  expect_files_refused({scratch.write("qos.json.j2", "{% macro x %}")},
                       {"qos.json.j2", "template"});
  expect_files_refused({scratch.write("cut.json", "{\"PORT\": {")},
                       {"cut.json", "not JSON at byte"});
  expect_files_refused({scratch.write("twice.json", R"({"PORT": {}, "PORT": {}})")},
                       {"key 'PORT' twice"});
  expect_files_refused({scratch.write("other.json", R"({"a": 1})")}, {"holds no SONiC table"});
  expect_files_refused({scratch.write("list.json", R"({"PORT": 3})")},
                       {"PORT: 3", "table of rows"});
  expect_files_refused({scratch.write("deep.json", R"({"PORT": {"a": {"b": {"c": "d"}}}})")},
                       {"PORT|a b", "expected a string"});
  expect_files_refused({scratch.write("short.ini", "# speed cable size xon xoff threshold\n1 2\n")},
                       {"short.ini", "line 2", "2 words, expected 6"});
  expect_files_refused({scratch.write("twice.ini", std::string(kLookup) + "400000 5m 1 1 1 1 1\n")},
                       {"twice.ini", "line 5", "'400000|5m' has a line already"});
}

TEST(SonicReader, OtherFilesOfADirectoryAreNotedNotRead) {
  const Scratch scratch;
  scratch.write("config_db.json", small_switch().dump());
  scratch.write("README", "text");
  scratch.write("expected.json", R"({"sku": "x"})");
  const SonicConfig config = read_sonic({scratch.path()});
  EXPECT_TRUE(has_note(config.notes, "README: not read"));
  EXPECT_TRUE(has_note(config.notes, "expected.json: not read"));
}

TEST(SonicReader, EveryTableAndFieldThatIsNotUsedIsListed) {
  nlohmann::json tables = small_switch();
  tables["VERSIONS"]["DATABASE"]["VERSION"] = "1";
  tables["PORT"]["Ethernet4"]["fec"] = "rs";
  tables["BUFFER_PROFILE"]["in"]["packet_discard_action"] = "drop";
  const SonicConfig config = read(tables);
  EXPECT_EQ(
      config.notes,
      (std::vector<std::string>{
          "BUFFER_PROFILE.packet_discard_action: not used (1 rows, such as in 'drop')",
          "PORT.fec: not used (1 rows, such as Ethernet4 'rs')", "VERSIONS: not used (1 rows)"}));
}

}  // namespace
}  // namespace sluice::test
