// SPDX-License-Identifier: Apache-2.0
// Fills the adaptive chips' groups from the topology and keeps all chips' groups in step with links
// that fail and return. Leaves out: when they do (link_failures.h).
#pragma once

#include <cstdint>
#include <memory>
#include <set>
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
  /// An adaptive group of a chip and whom it leads to.
  struct Group {
    std::uint32_t number;
    std::uint32_t edge;
    std::uint32_t endpoint;  ///< one of those behind `edge`
    std::vector<std::uint16_t> ports;
  };

  /// The chip of `endpoint` in the plane of `chip`.
  std::uint32_t edge_of(std::uint32_t chip, std::uint32_t endpoint) const {
    return edge_of_endpoint_[topology_.plane_of(chip) * topology_.endpoints + endpoint];
  }
  void follow_remote(std::uint32_t chip);
  void follow_remote(std::uint32_t chip, const Group& group);
  void follow_remote_hashed(std::uint32_t chip);
  /// Whether `port` still leads to `endpoint`, as far as `chip` knows of cables that it has not.
  bool leads_to(std::uint32_t chip, std::uint16_t port, std::uint32_t endpoint) const;
  /// Ports of `via` towards `endpoint` that `chip` believes to be up.
  std::uint32_t capacity(std::uint32_t chip, std::uint32_t via, std::uint32_t endpoint) const;

  const Topology& topology_;
  std::span<const std::unique_ptr<SwitchChip>> chips_;
  bool by_edge_;
  std::vector<std::vector<std::uint32_t>> peers_;   ///< [chip][port]: chip, or chips() for a host
  std::vector<std::vector<std::uint32_t>> cables_;  ///< [chip][port]
  /// [plane * endpoints + endpoint]: the chip that its first port there is wired to.
  std::vector<std::uint32_t> edge_of_endpoint_;
  std::vector<std::vector<Group>> groups_;           ///< [chip]
  std::vector<std::vector<bool>> known_down_;        ///< [chip][cable], others' cables
  std::vector<std::set<std::uint16_t>> ports_down_;  ///< [chip], its own
};

}  // namespace sluice
