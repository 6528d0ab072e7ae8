// SPDX-License-Identifier: Apache-2.0
// The names of all counters that a chip may register, whatever its configuration. Leaves out: where
// they are registered (chip_statistics.cpp, watermarks.cpp, adaptive_routing.cpp).
#pragma once

#include <vector>

#include "kernel/counter_kind.h"

namespace sluice {

std::vector<CounterKind> chip_counter_kinds();
std::vector<CounterKind> watermark_counter_kinds();
std::vector<CounterKind> adaptive_counter_kinds();

}  // namespace sluice
