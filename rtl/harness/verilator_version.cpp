// SPDX-License-Identifier: Apache-2.0
#include "rtl/harness/verilator_version.h"

#include <verilated.h>

namespace sluice::rtl {

std::string verilator_version() {
  const std::string text = Verilated::productVersion();  // "5.006 2023-01-22 rev …"
  return text.substr(0, text.find(' '));
}

}  // namespace sluice::rtl
