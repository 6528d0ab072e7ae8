// SPDX-License-Identifier: Apache-2.0
// What the receiver's shortest time between two CNPs applies to.
// Leaves out: the time itself, which the controls have with their parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice {

enum class CnpScope : std::uint8_t {
  kQp,
  kDestination,  ///< the endpoint that is told, over all its QPs
  kPort,         ///< the receiver's port, over all senders
};

inline constexpr std::array<std::string_view, 3> kCnpScopes{"qp", "destination", "port"};

}  // namespace sluice
