// SPDX-License-Identifier: Apache-2.0
// The counters that entities of one kind have, whether a run has such entities or not. Leaves out:
// the entities of a run (statistics.h).
#pragma once

#include <string_view>
#include <vector>

#include "kernel/statistics.h"

namespace sluice {

struct CounterKind {
  std::string_view kind;
  std::vector<CounterField> fields;
};

}  // namespace sluice
