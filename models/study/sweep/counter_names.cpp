// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/counter_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"
#include "host/raw_source.h"
#include "nic/nic_counters.h"
#include "nic/pcie/host_side.h"
#include "switch/counter_kinds.h"

namespace sluice {

std::vector<CounterKind> known_counter_kinds() {
  std::vector<CounterKind> all{{"nic", nic_counter_fields()},
                               {"nic_port", nic_port_counter_fields()},
                               {"pcie", host_side_counter_fields()},
                               {"raw", raw_counter_fields()}};
  for (const auto kinds : {chip_counter_kinds, watermark_counter_kinds, adaptive_counter_kinds}) {
    for (CounterKind& kind : kinds()) all.push_back(std::move(kind));
  }
  return all;
}

std::string kind_mistake(std::string_view kind) {
  std::vector<std::string_view> names;
  for (const CounterKind& known : known_counter_kinds()) names.push_back(known.kind);
  if (std::find(names.begin(), names.end(), kind) != names.end()) return {};
  return fmt::format("no counters are of kind '{}'{}", kind, did_you_mean(kind, names));
}

std::string counter_mistake(std::string_view kind, std::string_view counter) {
  std::vector<std::string_view> of_kind;
  std::string_view elsewhere;
  for (const CounterKind& known : known_counter_kinds()) {
    for (const CounterField& field : known.fields) {
      if (known.kind == kind) of_kind.push_back(field.name);
      if (field.name == counter) elsewhere = known.kind;
    }
  }
  if (std::find(of_kind.begin(), of_kind.end(), counter) != of_kind.end()) return {};
  std::string text = fmt::format("'{}' has no counter '{}'", kind, counter);
  if (!elsewhere.empty()) return text + fmt::format("; '{}' has", elsewhere);
  return text + did_you_mean(counter, of_kind);
}

}  // namespace sluice
