// SPDX-License-Identifier: Apache-2.0
// `sluice presets`: values that are published or follow from a unit, and strict options.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/cli.h"

namespace sluice {
namespace {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

Answer presets(std::vector<std::string> words) {
  std::ostringstream out;
  std::ostringstream err;
  words.insert(words.begin(), "presets");
  const int code = run_command_line(words, {out, err, false});
  return {code, out.str(), err.str()};
}

/// The line of a parameter; empty when it is not there.
std::string line_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + " ")) return line;
  }
  return {};
}

TEST(Presets, ListNamesChipsAndNics) {
  const Answer got = presets({});
  EXPECT_EQ(got.code, 0);
  EXPECT_EQ(got.out,
            "switch  spectrum4\nswitch  tomahawk5\nswitch  tomahawk4\nnic     cx8\nnic     cx7\n");
}

TEST(Presets, Tomahawk4HasHalfTheCapacityOverLanesOf50G) {
  const std::string got = presets({"show", "tomahawk4"}).out;
  EXPECT_NE(got.find("64 ports of 400Gbps"), std::string::npos);
  EXPECT_NE(line_of(got, "switch.capacity").find(" 25.6Tbps "), std::string::npos);
  EXPECT_NE(line_of(got, "switch.mmu.cell_bytes").find(" 254 "), std::string::npos);
  EXPECT_EQ(presets({"show", "tomahawk4", "--rate", "800Gbps"}).code, 2);
  EXPECT_EQ(presets({"show", "spectrum4", "--ports", "257", "--rate", "100Gbps"}).code, 2);
}

TEST(Presets, ChipsHaveTheirPublishedCells) {
  // SONiC buffer constants: 192 B on Spectrum, 254 B on Tomahawk.
  EXPECT_NE(line_of(presets({"show", "spectrum4"}).out, "switch.mmu.cell_bytes").find(" 192 "),
            std::string::npos);
  EXPECT_NE(line_of(presets({"show", "tomahawk5"}).out, "switch.mmu.cell_bytes").find(" 254 "),
            std::string::npos);
}

TEST(Presets, ACableChangesTheHeadroomOfASwitch) {
  const std::string key = "switch.mmu.xoff_bytes";
  const std::string at_100m = line_of(presets({"show", "spectrum4"}).out, key);
  EXPECT_NE(at_100m, "");
  EXPECT_EQ(at_100m, line_of(presets({"show", "spectrum4", "--length", "100m"}).out, key));
  EXPECT_NE(at_100m, line_of(presets({"show", "spectrum4", "--length", "300m"}).out, key));
  EXPECT_NE(at_100m, line_of(presets({"show", "spectrum4", "--rate", "400Gbps"}).out, key));
}

TEST(Presets, NicsDifferInRate) {
  EXPECT_NE(line_of(presets({"show", "cx8"}).out, "nic.port_rate").find("800Gbps"),
            std::string::npos);
  EXPECT_NE(line_of(presets({"show", "cx7"}).out, "nic.port_rate").find("400Gbps"),
            std::string::npos);
}

TEST(Presets, EstimatesAreMarked) {
  const std::string line = line_of(presets({"show", "cx8"}).out, "nic.burst_packets");
  EXPECT_NE(line.find("~8"), std::string::npos) << line;
}

TEST(Presets, MistakesAreNamed) {
  EXPECT_EQ(presets({"show", "spectrum"}).err,
            "sluice: unknown preset 'spectrum'; did you mean 'spectrum4'?\n");
  EXPECT_EQ(presets({"shwo", "cx8"}).code, 2);
  EXPECT_EQ(presets({"show", "cx8", "--ports", "2"}).err,
            "sluice: --ports: the parameters of a NIC do not depend on it\n");
  EXPECT_EQ(presets({"show", "spectrum4", "--ports", "0"}).code, 2);
  // 128 x 800 Gb/s are 102.4 Tb/s.
  EXPECT_EQ(presets({"show", "spectrum4", "--ports", "128"}).code, 2);
  EXPECT_EQ(presets({"show", "spectrum4", "--rate", "fast"}).code, 2);
}

}  // namespace
}  // namespace sluice
