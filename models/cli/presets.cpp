// SPDX-License-Identifier: Apache-2.0
// `sluice presets` and `sluice presets show NAME`: every parameter of a chip or NIC with its
// source. Leaves out: changing them, which fabric files do.
#include <algorithm>

#include "cli/cli.h"
#include "cli/command_parser.h"
#include "cli/option_value.h"
#include "cli/words.h"
#include "config/parameter_printer.h"
#include "fabric/fabric_spec.h"

namespace sluice {
namespace {

constexpr std::string_view kExample = "build/release/sluice presets show spectrum4 --length 300m";

struct PortOptions {
  std::uint32_t ports = 64;
  BitsPerSecond rate{};  ///< 0: what 64 ports share the chip at
  Millimetres length{100'000};
};

std::uint32_t parse_ports(const std::string& text) {
  const std::uint64_t ports = parse_option("--ports", text, parse_unsigned);
  if (ports == 0 || ports > 512) {
    throw ConfigError(fmt::format("--ports {}: expected 1..512", text));
  }
  return static_cast<std::uint32_t>(ports);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Pads up to a width that most cells keep; a longer cell moves its own line alone.
std::string cell(const std::string& text, std::size_t width) {
  return fmt::format("{:<{}}  ", text, width);
}

std::string parameter_table(std::string_view heading, const ParameterPrinter& parameters) {
  constexpr std::size_t kValueWidth = 14;
  constexpr std::size_t kUnitWidth = 7;
  constexpr std::size_t kRangeWidth = 26;
  std::size_t name_width = 0;
  for (const ParameterRow& row : parameters.rows()) {
    name_width = std::max(name_width, row.path.size());
  }
  std::string text =
      fmt::format("{}\n~ marks an estimate: nobody published the value\n\n", heading);
  text += cell("name", name_width) + cell("value", kValueWidth) + cell("unit", kUnitWidth) +
          cell("range", kRangeWidth) + "meaning [source]\n";
  for (const ParameterRow& row : parameters.rows()) {
    text += cell(row.path, name_width) + cell((row.estimate ? "~" : "") + row.value, kValueWidth) +
            cell(row.unit.empty() ? "-" : row.unit, kUnitWidth) + cell(row.range, kRangeWidth) +
            fmt::format("{} [{}]\n", row.meaning, row.source);
  }
  return text;
}

void show_switch(const std::string& name, PortOptions options, std::ostream& out) {
  if (options.rate.value == 0) options.rate = fastest_port(name);
  const SwitchParams params = switch_preset(name, options.ports, options.rate, options.length);
  if (options.ports * options.rate.value > params.capacity.value) {
    throw ConfigError(fmt::format("--ports {} --rate {}: more than the {} that {} can wire",
                                  options.ports, format_rate(options.rate),
                                  format_rate(params.capacity), name));
  }
  if (options.ports > params.max_ports) {
    throw ConfigError(
        fmt::format("--ports {}: {} has at most {} ports", options.ports, name, params.max_ports));
  }
  const std::string heading =
      fmt::format("switch preset {}, thresholds for {} ports of {} over {}", name, options.ports,
                  format_rate(options.rate), format_length(options.length));
  out << parameter_table(heading, print_parameters(params, "switch"));
}

int list(const std::vector<std::string>& words, const Terminal& terminal) {
  CommandParser parser(
      {"presets", "list the presets; 'presets show NAME' shows one", std::string(kExample)});
  if (!parser.parse(words, terminal.out)) return 0;
  for (const std::string& name : switch_preset_names()) terminal.out << "switch  " << name << "\n";
  for (const std::string& name : nic_preset_names()) terminal.out << "nic     " << name << "\n";
  return 0;
}

int show(const std::vector<std::string>& words, const Terminal& terminal) {
  CommandParser parser({"presets show", "every parameter of a preset, with range and source",
                        std::string(kExample)});
  TCLAP::UnlabeledValueArg<std::string> name("NAME", "a name that 'sluice presets' lists", true, "",
                                             "NAME", parser.line());
  TCLAP::ValueArg<std::string> ports("", "ports", "switches: wired ports (64)", false, "64", "N",
                                     parser.line());
  TCLAP::ValueArg<std::string> rate("", "rate", "switches: rate of a port (the chip's fastest)",
                                    false, "", "RATE", parser.line());
  TCLAP::ValueArg<std::string> length("", "length", "switches: cable length (100m)", false, "100m",
                                      "LENGTH", parser.line());
  if (!parser.parse(words, terminal.out)) return 0;
  const std::vector<std::string> switches = switch_preset_names();
  const std::vector<std::string> nics = nic_preset_names();
  if (contains(switches, name.getValue())) {
    show_switch(
        name.getValue(),
        {parse_ports(ports.getValue()),
         rate.isSet() ? parse_option("--rate", rate.getValue(), parse_rate) : BitsPerSecond{},
         parse_option("--length", length.getValue(), parse_length)},
        terminal.out);
    return 0;
  }
  if (!contains(nics, name.getValue())) {
    std::vector<std::string_view> names(switches.begin(), switches.end());
    names.insert(names.end(), nics.begin(), nics.end());
    refuse_word("preset", name.getValue(), names);
  }
  for (const TCLAP::Arg* arg : {static_cast<TCLAP::Arg*>(&ports), static_cast<TCLAP::Arg*>(&rate),
                                static_cast<TCLAP::Arg*>(&length)}) {
    if (arg->isSet()) {
      throw ConfigError(
          fmt::format("--{}: the parameters of a NIC do not depend on it", arg->getName()));
    }
  }
  terminal.out << parameter_table(fmt::format("NIC preset {}", name.getValue()),
                                  print_parameters(nic_preset(name.getValue()), "nic"));
  return 0;
}

}  // namespace

int presets_command(const std::vector<std::string>& words, const Terminal& terminal) {
  if (words.empty() || words.front().starts_with('-')) return list(words, terminal);
  if (words.front() != "show") refuse_word("word after presets", words.front(), {"show"});
  return show({words.begin() + 1, words.end()}, terminal);
}

}  // namespace sluice
