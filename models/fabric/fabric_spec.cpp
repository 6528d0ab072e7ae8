// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric_spec.h"

#include <algorithm>
#include <array>
#include <bit>

#include "config/parameter_printer.h"
#include "fabric/install_routes.h"
#include "fabric/mixed_speeds.h"
#include "fabric/own_nics.h"
#include "fabric/sonic/sonic_import.h"
#include "fabric/topology_reader.h"
#include "kernel/random.h"
#include "packet/addressing.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 3> kSwitchPresets{"spectrum4", "tomahawk5", "tomahawk4"};
constexpr std::array<std::string_view, 2> kNicPresets{"cx8", "cx7"};

void read_nic(ConfigNode& root, FabricSpec& spec) {
  ConfigNode& node = root.map("nic");
  spec.nic = nic_preset(kNicPresets[node.get_choice("preset", kNicPresets, 0)]);
  spec.nic.dcqcn = dcqcn_settings(node);
  if (!spec.topology.cage_ports.empty() && node.has("port_rate")) {
    node.fail("port_rate", "has no effect with cages, which say the rate of each port");
  }
  const std::uint32_t planes = spec.topology.planes;
  if (planes > 1) spec.nic.ports = planes;
  // A NIC runs at its link's rate unless the file says otherwise; several ports of a plane share
  // it.
  if (!node.has("port_rate")) {
    const std::uint64_t ports = node.has("ports") ? node.get_u64("ports", {1, 4}) : spec.nic.ports;
    spec.nic.port_rate = BitsPerSecond{spec.link.rate.value * planes / ports};
  }
  node.bind(spec.nic);
  spec.topology.nic_ports = spec.nic.ports;
  if (planes > 1 && spec.nic.ports != planes) {
    node.fail("ports", fmt::format("the fabric has {} planes, a port each", planes));
  }
  if (!spec.topology.cage_ports.empty() && spec.nic.ports != 1) {
    node.fail("ports", "with cages a host has one port");
  }
  spec.host_link = spec.link;
  spec.host_link.rate = spec.nic.port_rate;
  ConfigNode& host_link = root.map("fabric").map("host_link");
  host_link.bind(spec.host_link);
  if (spec.host_link.rate != spec.nic.port_rate) {
    host_link.fail("rate", "differs from nic.port_rate; a cable has one rate");
  }
}

/// Sections that presets and files may both hold, for one chip.
SwitchParams read_chip(const ConfigValue& value, const ChipPorts& ports, SonicReport& sonic) {
  ConfigNode node(value);
  const std::string_view preset = kSwitchPresets[node.get_choice("preset", kSwitchPresets, 0)];
  const auto count = static_cast<std::uint32_t>(ports.rates.size());
  const auto settings_at = [preset, count, &ports](BitsPerSecond rate) {
    return switch_preset(preset, count, rate, ports.cable);
  };
  SwitchParams params = settings_at(ports.fastest());
  const bool from_sonic = lay_sonic(node, ports.rates, params, sonic);
  node.bind(params);
  if (from_sonic) overrule_sonic(node, params);
  node.finish();
  if (!from_sonic) set_slower_ports(params, value, ports, settings_at);
  return params;
}

/// The nearest chip's name, or else what the chips of this fabric are called.
std::string chip_hint(std::string_view name, const std::vector<std::string_view>& chips) {
  const std::string near = did_you_mean(name, chips);
  return near.empty() ? fmt::format("; the chips here are {} to {}", chips.front(), chips.back())
                      : near;
}

void read_chips(ConfigNode& root, const Topology& topology, FabricSpec& spec) {
  static const ConfigValue kNothing{};
  const ConfigValue* common = root.raw("switch");
  const ConfigValue* overrides = root.raw("chips");
  if (overrides != nullptr && overrides->kind != ConfigValue::Kind::kMap) {
    throw ConfigError(fmt::format("{}: chips: {}, expected a map of chip names", overrides->origin,
                                  overrides->description()));
  }
  if (overrides != nullptr) {
    for (const auto& [name, value] : overrides->entries) {
      if (std::find(topology.chip_names.begin(), topology.chip_names.end(), name) ==
          topology.chip_names.end()) {
        const std::vector<std::string_view> names(topology.chip_names.begin(),
                                                  topology.chip_names.end());
        throw ConfigError(fmt::format("{}: chips.{}: no such chip{}", value.origin, name,
                                      chip_hint(name, names)));
      }
    }
  }
  const ConfigValue& base = common != nullptr ? *common : kNothing;
  const std::vector<ChipPorts> ports = ports_of_chips(topology, spec.link, spec.host_link);
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    const ConfigValue* own =
        overrides != nullptr ? overrides->find(topology.chip_names[chip]) : nullptr;
    if (own != nullptr) {
      spec.chips.push_back(read_chip(merged(base, *own), ports[chip], spec.sonic));
      continue;
    }
    // Chips alike are read once.
    std::uint32_t same = 0;
    while (same < chip && (ports[same] != ports[chip] ||
                           (overrides != nullptr && overrides->find(topology.chip_names[same])))) {
      ++same;
    }
    spec.chips.push_back(same < chip ? spec.chips[same] : read_chip(base, ports[chip], spec.sonic));
  }
}

/// Lanes are the chip's: known once its parameters are.
void wire_cages(ConfigNode& fabric, const std::vector<Breakout>& cages, FabricSpec& spec) {
  if (cages.empty()) return;
  SwitchParams& chip = spec.chips.front();
  try {
    spec.topology.cage_ports = ports_of_cages(
        cages, {BitsPerSecond{chip.capacity.value / chip.lanes}, chip.lanes, chip.max_ports});
  } catch (const ConfigError& error) {
    fabric.fail("cages", std::string_view(error.what()).substr(std::string_view("cages: ").size()));
  }
  const bool own_lanes = chip.ports.first_lane.empty();  // not those of SONiC files
  for (const CagePort& port : spec.topology.cage_ports) {
    if (own_lanes) chip.ports.first_lane.push_back(port.first_lane);
    spec.host_rates.push_back(port.rate);
  }
}

void read_placement(ConfigNode& node, PlacementParams& placement) {
  const std::string mode = node.get_string("ranks", "linear");
  placement.seed = node.get_u64("seed", {}, 1);
  constexpr std::array<std::string_view, 3> kModes{"linear", "packed", "random"};
  const auto at = std::find(kModes.begin(), kModes.end(), mode);
  placement.mode = static_cast<PlacementMode>(at - kModes.begin());
  if (at == kModes.end()) placement.file = mode;
}

void read_raw(ConfigNode& node, FabricSpec& spec) {
  RawWorkload& raw = spec.raw;
  const std::uint32_t hosts = make_topology(spec.topology).endpoints;
  const ParameterRange host_range{0, static_cast<double>(hosts - 1)};
  raw.endpoint.port_rate = spec.host_link.rate;
  raw.port_rates = spec.host_rates;
  raw.endpoint.frequency_offset_ppm = spec.nic.frequency_offset_ppm;
  node.bind(raw.endpoint);
  for (const std::uint64_t host : node.get_list_u64("pause_hosts", host_range, {{}})) {
    raw.pausing_hosts.push_back(static_cast<std::uint32_t>(host));
  }
  for (ConfigNode* stream : node.list_of_maps("streams")) {
    const auto source = static_cast<std::uint32_t>(stream->get_u64("source", host_range));
    const bool broadcast = stream->get_bool("broadcast", false);
    if (!broadcast) stream->get_u64("destination", host_range);
    const auto copies =
        static_cast<std::uint32_t>(stream->get_u64("copies", {1, static_cast<double>(hosts)}, 1));
    if (copies > hosts - source) stream->fail("copies", "more than the hosts from source on");
    const auto step =
        static_cast<std::uint32_t>(stream->get_u64("destination_step", host_range, 0));
    if (step != 0 && (copies == 1 || broadcast)) {
      stream->fail("destination_step", "nothing to step for; it needs copies and a destination");
    }
    RawStream read;
    stream->bind(read);
    if (broadcast) read.destination = broadcast_of(hosts);
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      if (read.rate > spec.nic_of(source + copy).port_rate) {
        stream->fail("rate", "more than the port's rate");
      }
      raw.sources.push_back(source + copy);
      raw.streams.push_back(read);
      if (step != 0) read.destination = (read.destination + step) % hosts;
    }
  }
  if (spec.nic.ports != 1) node.fail("type", "raw sources have one port; set nic.ports to 1");
}

/// Keys that the workload's type does not look at are refused: a knob must not change nothing.
void refuse_idle_keys(ConfigNode& node, SyntheticType type) {
  std::vector<std::string_view> used{"type"};
  const auto add = [&used](std::initializer_list<std::string_view> keys) {
    used.insert(used.end(), keys);
  };
  switch (type) {
    case SyntheticType::kPermutation:
      add({"bytes", "seed", "repeat"});
      break;
    case SyntheticType::kIncast:
      add({"bytes", "dst", "first", "count", "repeat"});
      break;
    case SyntheticType::kAllReduce:
    case SyntheticType::kAllToAll:
      add({"bytes", "seed", "ranks", "ring_order", "repeat"});
      break;
    case SyntheticType::kUd:
      add({"streams"});
      break;
    case SyntheticType::kVerbs:
      add({"operations"});
      break;
    case SyntheticType::kNone:
    case SyntheticType::kRaw:
      break;
  }
  for (const std::string& key : node.keys()) {
    if (std::find(used.begin(), used.end(), key) != used.end()) continue;
    node.fail(key, fmt::format("has no effect with type {}",
                               kSyntheticTypeNames[static_cast<std::size_t>(type)]));
  }
}

template <class Fold>
void fold_graph(const TopologyParams& t, const Fold& fold) {
  for (const CagePort& port : t.cage_ports) fold(port.rate.value + port.first_lane);
  for (const std::string& name : t.chip_names) fold(hash_name(name));
  for (const std::uint32_t hosts : t.hosts_of_chip) fold(hosts + 1);
  for (const GraphLink& link : t.links) {
    for (const std::uint64_t number :
         {std::uint64_t{link.a}, std::uint64_t{link.b}, std::uint64_t{link.count}, link.rate.value,
          link.length ? link.length->value + 1 : 0}) {
      fold(number + 1);
    }
  }
  for (const StaticRoute& route : t.routes) {
    fold(std::uint64_t{route.chip} << 32 | route.host);
    for (const std::uint32_t next : route.next) fold(next + 1);
  }
}

/// Of every effective parameter, wherever it was written and in whatever unit. Streams, which are
/// lists, count as they were written.
std::uint64_t hash_of(const FabricSpec& spec, const ConfigTree& tree) {
  std::uint64_t hash = print_parameters(spec.link, "link").hash();
  const auto fold = [&hash](std::uint64_t part) { hash = mix64(hash ^ part); };
  const TopologyParams& t = spec.topology;
  for (const std::uint32_t number : {static_cast<std::uint32_t>(t.type), t.hosts, t.leaves,
                                     t.spines, t.hosts_per_leaf, t.links_per_spine}) {
    fold(number + 1);
  }
  if (t.planes > 1) fold(t.planes);
  fold_graph(t, fold);
  if (spec.sonic.used()) fold(spec.sonic.digest);
  fold(print_parameters(spec.host_link, "host_link").hash());
  fold(print_parameters(spec.nic, "nic").hash());
  for (const auto& [host, nic] : spec.own_nics) {
    fold(host + 1);
    fold(print_parameters(nic, "nic").hash());
  }
  fold(print_parameters(spec.host, "host").hash());
  fold(print_parameters(spec.workload, "workload").hash());
  fold(print_parameters(spec.deadlock, "deadlock").hash());
  for (const SwitchParams& chip : spec.chips) fold(print_parameters(chip, "switch").hash());
  fold(hash_name(spec.placement.file) + spec.placement.seed +
       static_cast<std::uint64_t>(spec.placement.mode));
  for (const LinkFailure& failure : spec.failures) {
    fold(failure.cable + 1);
    fold(failure.at.value);
    fold(failure.until.value);
  }
  for (const CableLoss& loss : spec.losses) {
    fold(loss.cable + 1);
    fold(std::bit_cast<std::uint64_t>(loss.probability) + (loss.forward ? 1 : 0));
    fold(loss.at.value);
    fold(loss.until.value);
  }
  if (spec.is_open_loop() || spec.is_verbs()) fold(hash_name(tree.canonical()));
  return hash;
}

}  // namespace

RawParams RawWorkload::of(std::uint32_t host) const {
  RawParams params = endpoint;
  if (!port_rates.empty()) params.port_rate = port_rates[host];
  if (std::find(pausing_hosts.begin(), pausing_hosts.end(), host) == pausing_hosts.end()) {
    params.pause_priorities = 0;
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (sources[i] == host) params.streams.push_back(streams[i]);
  }
  return params;
}

NicParams FabricSpec::nic_of(std::uint32_t endpoint) const {
  const auto own = own_nics.find(endpoint);
  NicParams params = own == own_nics.end() ? nic : own->second;
  if (!host_rates.empty()) params.port_rate = host_rates[endpoint];
  return params;
}

LinkParams FabricSpec::link_of(const Cable& cable) const {
  return link_parameters(cable, link, host_link);
}

std::vector<std::string> switch_preset_names() {
  return {kSwitchPresets.begin(), kSwitchPresets.end()};
}
std::vector<std::string> nic_preset_names() { return {kNicPresets.begin(), kNicPresets.end()}; }

SwitchParams switch_preset(std::string_view name, std::uint32_t ports, BitsPerSecond rate,
                           Millimetres cable) {
  if (name == "tomahawk5") return tomahawk5(ports, rate, cable);
  if (name == "tomahawk4") return tomahawk4(ports, rate, cable);
  return spectrum4(ports, rate, cable);
}

BitsPerSecond fastest_port(std::string_view preset) {
  return BitsPerSecond{preset == "tomahawk4" ? 400'000'000'000U : 800'000'000'000U};
}

NicParams nic_preset(std::string_view name) { return name == "cx7" ? cx7() : cx8(); }

FabricSpec read_fabric(const ConfigTree& tree) {
  FabricSpec spec;
  ConfigNode root = tree.open();
  ConfigNode& fabric = root.require_map("fabric");
  std::vector<Breakout> cages;
  read_topology(fabric, spec.topology, spec.link, cages);
  read_nic(root, spec);
  read_chips(root, make_topology(spec.topology), spec);
  wire_cages(fabric, cages, spec);
  read_own_nics(root, spec);
  note_lossy_data(spec.nic, spec.chips.front(), spec.sonic);
  refuse_bridge_loops(make_topology(spec.topology), spec.chips);
  spec.failures = read_failures(root, make_topology(spec.topology));
  spec.losses = read_losses(root, make_topology(spec.topology));
  root.map("host").bind(spec.host);
  root.map("deadlock").bind(spec.deadlock);
  read_placement(root.map("placement"), spec.placement);
  ConfigNode& workload = root.map("workload");
  workload.bind(spec.workload);
  if (spec.is_raw()) read_raw(workload, spec);
  if (spec.is_ud()) read_ud(workload, spec);
  if (spec.is_verbs()) read_verbs(workload, spec);
  root.finish();
  if (!spec.is_raw()) refuse_idle_keys(workload, spec.workload.type);
  spec.config_hash = hash_of(spec, tree);
  return spec;
}

}  // namespace sluice
