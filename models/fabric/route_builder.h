// SPDX-License-Identifier: Apache-2.0
// Fills the adaptive chips' groups from the topology and keeps all chips' groups in step with links
// that fail and return. Leaves out: when they do (link_failures.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fabric/link_failures.h"
#include "fabric/topology.h"
#include "switch/chip.h"

namespace sluice {

class RouteBuilder final : public RouteChanger {
 public:
  /// `by_edge`: a group for the hosts of each chip, so that single destinations can lose a member.
  RouteBuilder(const Topology& topology, std::span<const std::unique_ptr<SwitchChip>> chips,
               bool by_edge);

  /// Routes of a chip whose mode is adaptive.
  void build_adaptive(std::uint32_t chip);
  void apply(const RouteChange& change) override;

 private:
  static constexpr std::uint32_t kNoGroup = UINT32_MAX;

  /// The chip at the other end of a port, or chips() where that is a host.
  std::uint32_t peer(std::uint32_t chip, std::uint32_t port) const;
  void set_up(std::uint32_t chip, std::uint32_t cable, bool up);
  void follow_remote(std::uint32_t chip);
  void follow_remote_edge(std::uint32_t chip, std::uint32_t edge);
  /// Ports of `via` towards `endpoint` that `chip` believes to be up.
  std::uint32_t capacity(std::uint32_t chip, std::uint32_t via, std::uint32_t endpoint) const;

  const Topology& topology_;
  std::span<const std::unique_ptr<SwitchChip>> chips_;
  bool by_edge_;
  std::vector<std::vector<std::uint32_t>> peers_;   ///< [chip][port]
  std::vector<std::vector<std::uint32_t>> cables_;  ///< [chip][port]
  std::vector<std::uint32_t> edge_of_endpoint_;
  std::vector<std::vector<std::uint32_t>> hosts_of_edge_;
  std::vector<std::vector<std::uint32_t>> groups_;  ///< [chip][edge], adaptive
  std::vector<std::vector<bool>> known_down_;       ///< [chip][cable]
};

}  // namespace sluice
