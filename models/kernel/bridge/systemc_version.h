// SPDX-License-Identifier: Apache-2.0
// Which SystemC runs. Leaves out: Sluice's own version (study/simulation.h).
#pragma once

#include <string>

namespace sluice {

/// As in "2.3.4".
std::string systemc_version();

}  // namespace sluice
