// SPDX-License-Identifier: Apache-2.0
// `sluice check`: what a fabric can absorb, without running it.
// Leaves out: working it out (study/check).
#include "study/check/check.h"

#include "cli/cli.h"
#include "cli/command_parser.h"
#include "cli/option_value.h"
#include "cli/report.h"
#include "config/config_tree.h"
#include "fabric/sonic/sonic_import.h"
#include "study/check/check_report.h"

namespace sluice {
namespace {

std::uint32_t parse_frame(const std::string& text) {
  const std::uint64_t bytes = parse_unsigned(text);
  if (bytes < 64 || bytes > 9216) throw ConfigError("expected 64..9216");
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

int check_command(const std::vector<std::string>& words, const Terminal& terminal) {
  CommandParser parser({"check",
                        "hold a fabric's buffers against its pause loops, without simulating",
                        "build/release/sluice check testbenches/fabrics/incast16.yaml"});
  TCLAP::CmdLine& line = parser.line();
  TCLAP::UnlabeledValueArg<std::string> fabric("FABRIC", "fabric file", true, "", "FABRIC.yaml",
                                               line);
  TCLAP::MultiArg<std::string> sonic(
      "", "sonic",
      "SONiC configuration (file or directory) for all switches, in place of switch.sonic", false,
      "PATH", line);
  TCLAP::MultiArg<std::string> sets(
      "", "set", "override one value of the fabric file, by dotted path", false, "key=value", line);
  TCLAP::ValueArg<std::string> frame("", "frame",
                                     "size of all frames, MAC to FCS, instead of the worst mix",
                                     false, "", "BYTES", line);
  TCLAP::SwitchArg json("", "json", "print JSON and nothing else", line);
  if (!parser.parse(words, terminal.out)) return 0;

  ConfigTree tree = ConfigTree::load(fabric.getValue());
  set_sonic(tree, sonic.getValue());
  for (const std::string& assignment : sets.getValue()) tree.apply(assignment);
  resolve_sonic_paths(tree);
  const FabricSpec spec = read_fabric(tree);
  CheckOptions options;
  if (frame.isSet()) options.frame_bytes = parse_option("--frame", frame.getValue(), parse_frame);
  const CheckReport report = check_fabric(spec, options);
  if (!json.getValue()) terminal.out << sonic_text(spec.sonic);
  terminal.out << (json.getValue() ? check_json(report) : check_text(report));
  if (report.exit() != ExitCode::kOk) {
    terminal.out.flush();
    throw Error(report.exit(), report.verdict());
  }
  return 0;
}

}  // namespace sluice
