// SPDX-License-Identifier: Apache-2.0
#include "kernel/bridge/systemc_version.h"

#include <systemc>

namespace sluice {

std::string systemc_version() {
  const std::string text = sc_core::sc_release();  // "2.3.4-Accellera"
  return text.substr(0, text.find_first_of("-_"));
}

}  // namespace sluice
