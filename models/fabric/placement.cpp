// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <numeric>

#include "fabric/fabric_spec.h"
#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {
namespace {

std::vector<std::uint32_t> read_placement_file(const std::string& path, std::uint32_t ranks,
                                               std::uint32_t hosts) {
  std::ifstream file(path);
  if (!file) {
    throw ConfigError(fmt::format(
        "placement.ranks: '{}' is neither linear, packed, random nor a file that can be read",
        path));
  }
  std::vector<std::uint32_t> endpoint_of_rank;
  std::vector<bool> taken(hosts, false);
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::size_t used = 0;
    unsigned long host = hosts;
    try {
      host = std::stoul(line, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != line.size() || host >= hosts) {
      throw ConfigError(
          fmt::format("{}:{}: '{}', expected a host number below {}", path, number, line, hosts));
    }
    if (taken[host]) {
      throw ConfigError(fmt::format("{}:{}: host {} holds a rank already", path, number, host));
    }
    taken[host] = true;
    endpoint_of_rank.push_back(static_cast<std::uint32_t>(host));
  }
  if (endpoint_of_rank.size() < ranks) {
    throw ConfigError(fmt::format("{}: {} hosts, but the workload has {} ranks", path,
                                  endpoint_of_rank.size(), ranks));
  }
  endpoint_of_rank.resize(ranks);
  return endpoint_of_rank;
}

}  // namespace

std::vector<std::uint32_t> place_ranks(const PlacementParams& placement, std::uint32_t ranks,
                                       std::uint32_t hosts) {
  if (ranks > hosts) {
    throw ConfigError(
        fmt::format("the workload has {} ranks, the fabric only {} hosts", ranks, hosts));
  }
  if (placement.mode == PlacementMode::kFile) {
    return read_placement_file(placement.file, ranks, hosts);
  }
  std::vector<std::uint32_t> endpoint_of_rank(hosts);
  std::iota(endpoint_of_rank.begin(), endpoint_of_rank.end(), 0U);
  if (placement.mode == PlacementMode::kRandom) {
    RandomStream random(placement.seed, 0, RandomPurpose::kPlacement);
    for (std::uint32_t i = hosts; i > 1; --i) {
      std::swap(endpoint_of_rank[i - 1], endpoint_of_rank[random.below(i)]);
    }
  }
  endpoint_of_rank.resize(ranks);
  return endpoint_of_rank;
}

}  // namespace sluice
