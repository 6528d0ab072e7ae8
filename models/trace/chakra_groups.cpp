// SPDX-License-Identifier: Apache-2.0
// Process groups of a Chakra trace: pg_name of a node, members from comm_group.json.
// Leaves out: groups that no node uses.
#include "trace/chakra_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "kernel/error.h"

namespace sluice {
namespace {

using nlohmann::json;

/// A side file names each rank of each group once: even 10^5 ranks in 10^3 groups stay below this.
constexpr std::uint64_t kMaxSideFile = std::uint64_t{256} << 20;

std::vector<std::uint32_t> all_ranks(const Workload& workload) {
  std::vector<std::uint32_t> ranks(workload.rank_count());
  std::iota(ranks.begin(), ranks.end(), 0U);
  return ranks;
}

}  // namespace

ChakraGroups::ChakraGroups(Workload& workload, const std::vector<TraceSource>& side_files)
    : workload_(workload), have_side_file_(!side_files.empty()) {
  add_group("world", all_ranks(workload));
  for (const TraceSource& source : side_files) read_side_file(source);
}

void ChakraGroups::read_side_file(const TraceSource& source) {
  ByteReader reader(source);
  if (reader.size() > kMaxSideFile)
    throw TraceError(fmt::format("{}: {} B; a group file has at most {} B", source.name,
                                 reader.size(), kMaxSideFile));
  std::string text;
  reader.read(text, static_cast<std::size_t>(reader.size()));
  json parsed;
  try {
    parsed = json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const json::parse_error& error) {
    throw TraceError(fmt::format("{}: byte {}: not JSON: {}", source.name,
                                 error.byte == 0 ? 0 : error.byte - 1, error.what()));
  }
  if (!parsed.is_object())
    throw TraceError(fmt::format("{}: expected an object of \"name\": [ranks]", source.name));
  for (const auto& [name, list] : parsed.items()) {
    Known known{{}, source.name, kNoGroup};
    if (!list.is_array())
      throw TraceError(fmt::format("{}: group '{}' is not a list of ranks", source.name, name));
    for (const json& rank : list) {
      if (!rank.is_number_integer() || rank < 0 || rank > UINT32_MAX)
        throw TraceError(fmt::format("{}: group '{}' holds {}, expected a rank", source.name, name,
                                     rank.dump(-1, ' ', false, json::error_handler_t::replace)));
      known.ranks.push_back(rank.get<std::uint32_t>());
    }
    const auto [at, is_new] = known_.try_emplace(name, known);
    if (!is_new && at->second.ranks != known.ranks)
      throw TraceError(fmt::format("{}: group '{}' has other members than in {}", source.name, name,
                                   at->second.file));
  }
}

std::uint32_t ChakraGroups::add_group(const std::string& name, std::vector<std::uint32_t> ranks) {
  workload_.groups.push_back({name, std::move(ranks)});
  return static_cast<std::uint32_t>(workload_.groups.size() - 1);
}

std::uint32_t ChakraGroups::assume_all(const std::string& name, std::uint32_t rank) {
  const auto [at, is_new] = assumed_.try_emplace(name);
  Assumed& assumed = at->second;
  if (is_new) assumed.index = add_group(name, all_ranks(workload_));
  if (assumed.users.empty() || assumed.users.back() != rank) assumed.users.push_back(rank);
  return assumed.index;
}

std::uint32_t ChakraGroups::find(const std::string& name, std::uint32_t rank,
                                 const std::string& where) {
  if (name.empty()) return 0;
  if (!have_side_file_) return assume_all(name, rank);
  const auto at = known_.find(name);
  if (at == known_.end())
    throw TraceError(fmt::format("{}: process group '{}' is not in comm_group.json", where, name));
  Known& known = at->second;
  if (known.index == kNoGroup) {
    // PyTorch writes an empty list for the group of all ranks.
    std::vector<std::uint32_t> ranks = known.ranks.empty() ? all_ranks(workload_) : known.ranks;
    const std::uint32_t highest = *std::max_element(ranks.begin(), ranks.end());
    if (highest >= workload_.rank_count())
      throw TraceError(
          fmt::format("{}: group '{}' names rank {}, but the trace has {} ranks: the "
                      "file of rank {} is missing",
                      known.file, name, highest, workload_.rank_count(), workload_.rank_count()));
    known.index = add_group(name, std::move(ranks));
  }
  const auto& ranks = workload_.groups[known.index].ranks;
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end())
    throw TraceError(fmt::format("{}: rank {} is not in process group '{}' ({})", where, rank, name,
                                 known.file));
  return known.index;
}

void ChakraGroups::finish(std::vector<std::string>& notes) const {
  for (const auto& [name, assumed] : assumed_) {
    if (assumed.users.size() != workload_.rank_count())
      throw TraceError(
          fmt::format("{}: process group '{}' is used by {} of {} ranks and there is no "
                      "comm_group.json that says who is in it",
                      workload_.source, name, assumed.users.size(), workload_.rank_count()));
    notes.push_back(
        fmt::format("process group '{}' taken as all {} ranks: all of them use it and "
                    "there is no comm_group.json",
                    name, workload_.rank_count()));
  }
}

}  // namespace sluice
