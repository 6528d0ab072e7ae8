// SPDX-License-Identifier: Apache-2.0
// BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE and the profile lists of ports.
// Leaves out: which groups are lossless (sonic_lossless.cpp).
#include <fmt/format.h>

#include "config/config_value.h"
#include "fabric/sonic/sonic_parser.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;
/// What SONiC documents for `dynamic_th`: limit = 2^n of the rest of the pool.
constexpr std::int64_t kLeastExponent = -8;
constexpr std::int64_t kMostExponent = 7;

std::optional<Bytes> bytes_of(const SonicRow& row, std::string_view field) {
  const std::optional<std::uint64_t> value = row.number(field, 0, kMostBytes);
  if (!value) return std::nullopt;
  return Bytes{*value};
}

}  // namespace

void SonicParser::read_pools() {
  for (const SonicRow& row : tables_.rows("BUFFER_POOL")) {
    SonicPool pool;
    pool.name = row.key();
    const std::optional<std::size_t> type = row.choice("type", {"ingress", "egress", "both"});
    if (!type) row.fail("type", "ingress, egress or both");
    pool.ingress = *type != 1;
    pool.egress = *type != 0;
    row.choice("mode", {"dynamic", "static"});  // profiles state their own threshold
    pool.size = bytes_of(row, "size");
    pool.xoff = bytes_of(row, "xoff").value_or(Bytes{0});
    if (pool.size && pool.xoff > *pool.size) {
      row.fail("xoff", fmt::format("a shared headroom pool of at most the pool's size {}",
                                   pool.size->value));
    }
    pool_index_[pool.name] = config_.pools.size();
    config_.pools.push_back(std::move(pool));
  }
  config_.has_buffers = !config_.pools.empty();
}

void SonicParser::read_profiles() {
  for (const SonicRow& row : tables_.rows("BUFFER_PROFILE")) {
    SonicProfile profile;
    profile.name = row.key();
    profile.where = row.name();
    const std::optional<std::string> pool = row.reference("pool");
    if (!pool) row.fail("pool", "the name of a BUFFER_POOL");
    const auto at = pool_index_.find(*pool);
    if (at == pool_index_.end()) row.fail("pool", "the name of a BUFFER_POOL that a file has");
    profile.pool = at->second;
    profile.size = bytes_of(row, "size");
    profile.static_th = bytes_of(row, "static_th");
    const auto exponent = row.signed_number("dynamic_th", kLeastExponent, kMostExponent);
    if (exponent) profile.dynamic_th = static_cast<std::int32_t>(*exponent);
    if (profile.static_th.has_value() == profile.dynamic_th.has_value()) {
      row.fail(profile.static_th ? "static_th and dynamic_th, expected one of them"
                                 : "neither static_th nor dynamic_th, expected one of them");
    }
    profile.xoff = bytes_of(row, "xoff");
    profile.xon = bytes_of(row, "xon").value_or(Bytes{0});
    profile.xon_offset = bytes_of(row, "xon_offset").value_or(Bytes{0});
    profile_index_[profile.name] = config_.profiles.size();
    config_.profiles.push_back(std::move(profile));
  }
}

std::size_t SonicParser::profile_of(const SonicRow& row, const std::string& name) const {
  const auto at = profile_index_.find(name);
  if (at == profile_index_.end()) {
    row.fail("profile", "the name of a BUFFER_PROFILE that a file has");
  }
  return at->second;
}

void SonicParser::assign(const SonicRow& row, SonicIndices SonicPort::*slots, std::size_t profile) {
  const Target target = this->target(row, true);
  if (target.last >= kSonicClasses) {
    if (slots == &SonicPort::pg) row.fail("priority groups in the key, expected 0..7");
    tables_.note(fmt::format("{}: queues above 7 are not used", row.name()));
  }
  for (const std::size_t port : target.ports) {
    for (std::uint32_t i = target.first; i <= target.last && i < kSonicClasses; ++i) {
      std::optional<std::size_t>& slot = (config_.ports[port].*slots)[i];
      if (slot) {
        row.fail(fmt::format("{} of {} has a row already", i, one_line(config_.ports[port].name)));
      }
      slot = profile;
    }
  }
}

void SonicParser::read_groups() {
  for (const SonicRow& row : tables_.rows("BUFFER_PG")) {
    const std::optional<std::string> name = row.reference("profile");
    if (!name) row.fail("profile", "the name of a BUFFER_PROFILE");
    if (*name == "NULL") {
      // The switch computes it: from the lookup table if there is one, see make_lossless().
      target(row, true);
      if (computed_ == nullptr) computed_ = &row;
      continue;
    }
    const std::size_t profile = profile_of(row, *name);
    if (!config_.pools[config_.profiles[profile].pool].ingress) {
      row.fail("profile", fmt::format("a profile of an ingress pool; {} is an egress pool",
                                      config_.pools[config_.profiles[profile].pool].name));
    }
    assign(row, &SonicPort::pg, profile);
  }
}

void SonicParser::read_queues() {
  for (const SonicRow& row : tables_.rows("BUFFER_QUEUE")) {
    const std::optional<std::string> name = row.reference("profile");
    if (!name) row.fail("profile", "the name of a BUFFER_PROFILE");
    const std::size_t profile = profile_of(row, *name);
    if (!config_.pools[config_.profiles[profile].pool].egress) {
      row.fail("profile", fmt::format("a profile of an egress pool; {} is an ingress pool",
                                      config_.pools[config_.profiles[profile].pool].name));
    }
    assign(row, &SonicPort::queue, profile);
  }
}

void SonicParser::read_profile_lists() {
  for (const bool ingress : {true, false}) {
    const std::string_view table =
        ingress ? "BUFFER_PORT_INGRESS_PROFILE_LIST" : "BUFFER_PORT_EGRESS_PROFILE_LIST";
    for (const SonicRow& row : tables_.rows(table)) {
      std::vector<std::size_t> profiles;
      for (const std::string& name : row.references("profile_list")) {
        const auto at = profile_index_.find(name);
        if (at == profile_index_.end()) row.fail("profile_list", "names of BUFFER_PROFILEs");
        const SonicPool& pool = config_.pools[config_.profiles[at->second].pool];
        if (!(ingress ? pool.ingress : pool.egress)) {
          row.fail("profile_list", fmt::format("profiles of {} pools; {} is of {}",
                                               ingress ? "ingress" : "egress", name, pool.name));
        }
        profiles.push_back(at->second);
      }
      for (const std::size_t port : ports_of(row, row.key(), false)) {
        if (ingress) config_.ports[port].ingress_profiles = profiles;
      }
    }
  }
  if (!tables_.rows("BUFFER_PORT_EGRESS_PROFILE_LIST").empty()) {
    tables_.note(
        "BUFFER_PORT_EGRESS_PROFILE_LIST: checked, but the model has no egress limit of a "
        "port");
  }
}

}  // namespace sluice
