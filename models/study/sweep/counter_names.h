// SPDX-License-Identifier: Apache-2.0
// Every counter that a run may have, by kind: what a column may name. Leaves out: whether the runs
// of a study have such entities, and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel/counter_kind.h"

namespace sluice {

/// A kind comes twice where two blocks count for the same entities.
std::vector<CounterKind> known_counter_kinds();

/// What is wrong with the name of a kind, with the nearest one that exists; empty: nothing.
std::string kind_mistake(std::string_view kind);
/// What is wrong with the name of a counter of `kind`, which exists.
std::string counter_mistake(std::string_view kind, std::string_view counter);

}  // namespace sluice
