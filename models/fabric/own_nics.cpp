// SPDX-License-Identifier: Apache-2.0
#include "fabric/own_nics.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

/// 5 for "host5".
std::optional<std::uint32_t> host_of_name(std::string_view name) {
  constexpr std::string_view kPrefix = "host";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::uint32_t host = 0;
  const char* const end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(name.data() + kPrefix.size(), end, host);
  if (error != std::errc{} || parsed != end) return std::nullopt;
  return fmt::format("{}{}", kPrefix, host) == name ? std::optional(host) : std::nullopt;
}

}  // namespace

DcqcnParams dcqcn_settings(ConfigNode& nic) {
  return dcqcn_preset(kDcqcnPresets[nic.map("dcqcn").get_choice("preset", kDcqcnPresets, 0)]);
}

void read_own_nics(ConfigNode& root, FabricSpec& spec) {
  const ConfigValue* overrides = root.raw("nics");
  if (overrides == nullptr) return;
  if (overrides->kind != ConfigValue::Kind::kMap) {
    throw ConfigError(fmt::format("{}: nics: {}, expected a map of host names", overrides->origin,
                                  overrides->description()));
  }
  const ConfigValue nothing{};
  const std::vector<std::string> presets = nic_preset_names();
  const std::vector<std::string_view> names(presets.begin(), presets.end());
  const ConfigValue* common = root.raw("nic");
  const std::uint32_t hosts = make_topology(spec.topology).endpoints;
  for (const auto& [name, value] : overrides->entries) {
    const std::optional<std::uint32_t> host = host_of_name(name);
    if (!host || *host >= hosts) {
      throw ConfigError(fmt::format("{}: nics.{}: no such host; the hosts here are host0 to host{}",
                                    value.origin, name, hosts - 1));
    }
    ConfigNode node(merged(common != nullptr ? *common : nothing, value));
    NicParams params = nic_preset(names[node.get_choice("preset", names, 0)]);
    params.dcqcn = dcqcn_settings(node);
    params.port_rate = spec.nic.port_rate;
    node.bind(params);
    node.finish();
    if (params.ports != spec.nic.ports || params.port_rate != spec.nic.port_rate) {
      throw ConfigError(fmt::format("{}: nics.{}: ports and port_rate are those of all NICs",
                                    value.origin, name));
    }
    if (params.ip_version != spec.nic.ip_version) {
      throw ConfigError(
          fmt::format("{}: nics.{}: ip_version is that of all NICs", value.origin, name));
    }
    spec.own_nics.emplace(*host, params);
  }
}

void read_ud(ConfigNode& node, FabricSpec& spec) {
  const std::uint32_t hosts = make_topology(spec.topology).endpoints;
  const ParameterRange host_range{0, static_cast<double>(hosts - 1)};
  for (ConfigNode* stream : node.list_of_maps("streams")) {
    const auto source = static_cast<std::uint32_t>(stream->get_u64("source", host_range));
    stream->get_u64("destination", host_range);
    UdStream& read = spec.ud.streams.emplace_back();
    spec.ud.sources.push_back(source);
    stream->bind(read);
    const NicParams nic = spec.nic_of(source);
    if (read.destination == source) stream->fail("destination", "is the source itself");
    if (read.rate > nic.port_rate) stream->fail("rate", "more than the port's rate");
    if (read.payload_bytes > nic.mtu_bytes) {
      stream->fail("payload_bytes", "more than nic.mtu_bytes; a datagram is one packet");
    }
  }
}

void read_verbs(ConfigNode& node, FabricSpec& spec) {
  const std::uint32_t hosts = make_topology(spec.topology).endpoints;
  const ParameterRange host_range{0, static_cast<double>(hosts - 1)};
  for (ConfigNode* line : node.list_of_maps("operations")) {
    VerbsOperation& read = spec.verbs.emplace_back();
    line->get_u64("from", host_range);
    line->get_u64("to", host_range);
    line->bind(read);
    const NicParams from = spec.nic_of(read.from);
    const NicParams to = spec.nic_of(read.to);
    if (from.loss_recovery != to.loss_recovery) {
      line->fail("to", fmt::format("its nic has another loss_recovery than that of host {}: the "
                                   "NAKs of one mean something else to the other",
                                   read.from));
    }
    if (from.mtu_bytes != to.mtu_bytes) {
      line->fail("to", fmt::format("its nic has an mtu_bytes of {}, that of host {} one of {}",
                                   to.mtu_bytes, read.from, from.mtu_bytes));
    }
  }
}

std::vector<UdStream> UdWorkload::of(std::uint32_t host) const {
  std::vector<UdStream> own;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (sources[i] == host) own.push_back(streams[i]);
  }
  return own;
}

}  // namespace sluice
