// SPDX-License-Identifier: Apache-2.0
// Which Verilator this build's RTL was made by. Leaves out: which are taken
// (verilator_version.cmake).
#pragma once

#include <string>

namespace sluice::rtl {

/// As in "5.006": the runtime's, which is that of the program that read the RTL.
std::string verilator_version();

}  // namespace sluice::rtl
