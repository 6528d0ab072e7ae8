// SPDX-License-Identifier: Apache-2.0
// Communicator names from member lists, and the side file that lists them.
// Leaves out: process topologies (they do not change who takes part).
#include "recorder/groups.h"

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace sluice::recorder {
namespace {

constexpr std::size_t kLongestMemberText = 60;

std::uint64_t fnv1a(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

std::vector<std::int32_t> world_ranks(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> local(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) local[static_cast<std::size_t>(i)] = i;
  std::vector<int> world(local.size());
  MPI_Group world_group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  PMPI_Group_translate_ranks(group, size, local.data(), world_group, world.data());
  PMPI_Group_free(&world_group);
  for (const int rank : world) {
    if (rank == MPI_UNDEFINED)
      throw std::runtime_error("a communicator has a member outside MPI_COMM_WORLD");
  }
  return world;
}

std::string conflict_text(const std::string& name, const std::string& one,
                          const std::string& other) {
  return std::string("group ")
      .append(name)
      .append(" is ")
      .append(one)
      .append(" on one rank and ")
      .append(other)
      .append(" on another");
}

}  // namespace

std::string member_text(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(ranks[i]);
    if (last > i) text += '-' + std::to_string(ranks[last]);
    i = last + 1;
  }
  if (text.size() <= kLongestMemberText) return text;
  char hashed[64];
  std::snprintf(hashed, sizeof hashed, "n%zu-%016llx", ranks.size(),
                static_cast<unsigned long long>(fnv1a(text)));
  return hashed;
}

CommunicatorPtr Groups::describe(MPI_Comm comm) const {
  auto result = std::make_shared<Communicator>();
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  result->inter = inter != 0;
  PMPI_Comm_rank(comm, &result->self);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  result->ranks = world_ranks(group);
  PMPI_Group_free(&group);
  result->peers = result->ranks;
  if (result->inter) {
    PMPI_Comm_remote_group(comm, &group);
    result->peers = world_ranks(group);
    PMPI_Group_free(&group);
  }
  return result;
}

CommunicatorPtr Groups::add(MPI_Comm comm, bool count_as_new) {
  const CommunicatorPtr described = describe(comm);
  auto result = std::make_shared<Communicator>(*described);
  std::string members = member_text(result->ranks);
  if (result->inter) {
    // Both sides must find the same name: the side that holds the lower rank comes first.
    const std::string others = member_text(result->peers);
    const bool mine_first = result->ranks.front() < result->peers.front();
    members = mine_first ? members + '|' + others : others + '|' + members;
  }
  result->name = members;
  if (count_as_new) {
    const unsigned before = made_with_members_[members]++;
    if (before > 0) result->name += '#' + std::to_string(before);
  }
  if (comm != MPI_COMM_WORLD) result->tag_salt = static_cast<std::uint32_t>(fnv1a(result->name));
  if (!result->inter) named_[result->name] = result->ranks;
  known_[comm] = result;
  return result;
}

void Groups::created(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) add(comm, true);
}

void Groups::freed(MPI_Comm comm) { known_.erase(comm); }

CommunicatorPtr Groups::find(MPI_Comm comm) {
  const auto found = known_.find(comm);
  return found != known_.end() ? found->second : add(comm, false);
}

std::string Groups::lines() const {
  std::string out;
  for (const auto& [name, ranks] : named_) {
    out += name + '\t';
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (i > 0) out += ',';
      out += std::to_string(ranks[i]);
    }
    out += '\n';
  }
  return out;
}

std::string comm_group_json(const std::string& lines) {
  std::map<std::string, std::string> groups;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    const std::string name = line.substr(0, tab);
    const std::string members = line.substr(tab + 1);
    const auto [known, is_new] = groups.emplace(name, members);
    if (!is_new && known->second != members)
      throw std::runtime_error(conflict_text(name, known->second, members));
  }
  std::string json = "{\n";
  for (const auto& [name, members] : groups) {
    if (json.size() > 2) json += ",\n";
    json.append("  \"").append(name).append("\": [").append(members).append("]");
  }
  return json + "\n}\n";
}

}  // namespace sluice::recorder
