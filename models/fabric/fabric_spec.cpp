// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric_spec.h"

#include <algorithm>
#include <array>

#include "config/parameter_printer.h"
#include "kernel/random.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kTypes{"single_switch", "leaf_spine"};
constexpr std::array<std::string_view, 2> kSwitchPresets{"spectrum4", "tomahawk5"};
constexpr std::array<std::string_view, 2> kNicPresets{"cx8", "cx7"};
constexpr ParameterRange kCountRange{1, 65536};

void read_topology(ConfigNode& node, FabricSpec& spec) {
  TopologyParams& topology = spec.topology;
  topology.type = static_cast<FabricType>(node.get_choice("type", kTypes));
  const auto count = [&node](std::string_view key) {
    return static_cast<std::uint32_t>(node.get_u64(key, kCountRange));
  };
  if (topology.type == FabricType::kSingleSwitch) {
    topology.hosts = count("hosts");
  } else {
    topology.leaves = count("leaves");
    topology.spines = count("spines");
    topology.hosts_per_leaf = count("hosts_per_leaf");
    topology.links_per_spine =
        static_cast<std::uint32_t>(node.get_u64("links_per_spine", {1, 64}, 1));
  }
  node.map("link").bind(spec.link);
}

void read_nic(ConfigNode& root, FabricSpec& spec) {
  ConfigNode& node = root.map("nic");
  spec.nic = nic_preset(kNicPresets[node.get_choice("preset", kNicPresets, 0)]);
  // A NIC runs at its link's rate unless the file says otherwise; several ports share it.
  if (!node.has("port_rate")) {
    const std::uint64_t ports = node.has("ports") ? node.get_u64("ports", {1, 4}) : spec.nic.ports;
    spec.nic.port_rate = BitsPerSecond{spec.link.rate.value / ports};
  }
  node.bind(spec.nic);
  spec.topology.nic_ports = spec.nic.ports;
  spec.host_link = spec.link;
  spec.host_link.rate = spec.nic.port_rate;
  ConfigNode& host_link = root.map("fabric").map("host_link");
  host_link.bind(spec.host_link);
  if (spec.host_link.rate != spec.nic.port_rate) {
    host_link.fail("rate", "differs from nic.port_rate; a cable has one rate");
  }
}

/// Sections that presets and files may both hold, for one chip.
SwitchParams read_chip(const ConfigValue& value, std::uint32_t ports, BitsPerSecond rate,
                       Millimetres cable) {
  ConfigNode node(value);
  const std::string_view preset = kSwitchPresets[node.get_choice("preset", kSwitchPresets, 0)];
  SwitchParams params = switch_preset(preset, ports, rate, cable);
  node.bind(params);
  node.finish();
  return params;
}

/// Presets size headroom by the cable; a slower or longer path is as good as a longer cable. The
/// published figures are for 5 ns/m.
Millimetres headroom_length(const LinkParams& link) {
  constexpr std::uint64_t kPsPerMillimetre = 5;
  const std::uint64_t delay =
      link.length.value * link.propagation_per_metre.value / 1000 + link.extra_latency.value;
  return Millimetres{(delay + kPsPerMillimetre - 1) / kPsPerMillimetre};
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
  const Millimetres cable = std::max(headroom_length(spec.link), headroom_length(spec.host_link));
  const ConfigValue& base = common != nullptr ? *common : kNothing;
  std::optional<SwitchParams> previous;
  std::uint32_t previous_ports = 0;
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    const ConfigValue* own =
        overrides != nullptr ? overrides->find(topology.chip_names[chip]) : nullptr;
    const std::uint32_t ports = topology.chip_ports[chip];
    const BitsPerSecond rate = spec.topology.type == FabricType::kSingleSwitch
                                   ? spec.host_link.rate
                                   : std::max(spec.link.rate, spec.host_link.rate);
    if (own != nullptr) {
      spec.chips.push_back(read_chip(merged(base, *own), ports, rate, cable));
      continue;
    }
    if (!previous || previous_ports != ports) {
      previous = read_chip(base, ports, rate, cable);
      previous_ports = ports;
    }
    spec.chips.push_back(*previous);
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
  raw.endpoint.frequency_offset_ppm = spec.nic.frequency_offset_ppm;
  node.bind(raw.endpoint);
  for (const std::uint64_t host : node.get_list_u64("pause_hosts", host_range, {{}})) {
    raw.pausing_hosts.push_back(static_cast<std::uint32_t>(host));
  }
  for (ConfigNode* stream : node.list_of_maps("streams")) {
    const auto source = static_cast<std::uint32_t>(stream->get_u64("source", host_range));
    stream->get_u64("destination", host_range);
    const auto copies =
        static_cast<std::uint32_t>(stream->get_u64("copies", {1, static_cast<double>(hosts)}, 1));
    if (copies > hosts - source) stream->fail("copies", "more than the hosts from source on");
    RawStream read;
    stream->bind(read);
    if (read.rate > raw.endpoint.port_rate) stream->fail("rate", "more than the port's rate");
    for (std::uint32_t copy = 0; copy < copies; ++copy) {
      raw.sources.push_back(source + copy);
      raw.streams.push_back(read);
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

/// Of every effective parameter, wherever it was written and in whatever unit. Raw streams, which
/// are lists, count as they were written.
std::uint64_t hash_of(const FabricSpec& spec, const ConfigTree& tree) {
  std::uint64_t hash = print_parameters(spec.link, "link").hash();
  const auto fold = [&hash](std::uint64_t part) { hash = mix64(hash ^ part); };
  const TopologyParams& t = spec.topology;
  for (const std::uint32_t number : {static_cast<std::uint32_t>(t.type), t.hosts, t.leaves,
                                     t.spines, t.hosts_per_leaf, t.links_per_spine}) {
    fold(number + 1);
  }
  fold(print_parameters(spec.host_link, "host_link").hash());
  fold(print_parameters(spec.nic, "nic").hash());
  fold(print_parameters(spec.host, "host").hash());
  fold(print_parameters(spec.workload, "workload").hash());
  for (const SwitchParams& chip : spec.chips) fold(print_parameters(chip, "switch").hash());
  fold(hash_name(spec.placement.file) + spec.placement.seed +
       static_cast<std::uint64_t>(spec.placement.mode));
  if (spec.is_raw()) fold(hash_name(tree.canonical()));
  return hash;
}

}  // namespace

RawParams RawWorkload::of(std::uint32_t host) const {
  RawParams params = endpoint;
  if (std::find(pausing_hosts.begin(), pausing_hosts.end(), host) == pausing_hosts.end()) {
    params.pause_priorities = 0;
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (sources[i] == host) params.streams.push_back(streams[i]);
  }
  return params;
}

std::vector<std::string> switch_preset_names() {
  return {kSwitchPresets.begin(), kSwitchPresets.end()};
}
std::vector<std::string> nic_preset_names() { return {kNicPresets.begin(), kNicPresets.end()}; }

SwitchParams switch_preset(std::string_view name, std::uint32_t ports, BitsPerSecond rate,
                           Millimetres cable) {
  return name == "tomahawk5" ? tomahawk5(ports, rate, cable) : spectrum4(ports, rate, cable);
}

NicParams nic_preset(std::string_view name) { return name == "cx7" ? cx7() : cx8(); }

FabricSpec read_fabric(const ConfigTree& tree) {
  FabricSpec spec;
  ConfigNode root = tree.open();
  read_topology(root.require_map("fabric"), spec);
  read_nic(root, spec);
  read_chips(root, make_topology(spec.topology), spec);
  root.map("host").bind(spec.host);
  read_placement(root.map("placement"), spec.placement);
  ConfigNode& workload = root.map("workload");
  workload.bind(spec.workload);
  if (spec.is_raw()) read_raw(workload, spec);
  root.finish();
  if (!spec.is_raw()) refuse_idle_keys(workload, spec.workload.type);
  spec.config_hash = hash_of(spec, tree);
  return spec;
}

}  // namespace sluice
