// SPDX-License-Identifier: Apache-2.0
#include "kernel/statistics.h"

#include "kernel/random.h"

namespace sluice {

std::uint64_t StatisticsRegistry::sum(std::string_view kind, std::string_view field) const {
  std::uint64_t total = 0;
  for (const CounterTable& table : tables_) {
    if (table.kind != kind) continue;
    for (const CounterField& entry : table.fields) {
      if (entry.name != field) continue;
      for (std::size_t i = 0; i < table.count; ++i) total += table.read(i, entry);
    }
  }
  return total;
}

std::uint64_t StatisticsRegistry::hash() const {
  std::uint64_t total = 0;
  for (const CounterTable& table : tables_) {
    for (std::size_t i = 0; i < table.count; ++i) {
      const std::uint64_t entity = hash_name(table.name_of(i));
      for (const CounterField& entry : table.fields) {
        // A sum, so that neither the order of tables nor a split over processes matters.
        total += mix64(mix64(entity ^ hash_name(entry.name)) + table.read(i, entry));
      }
    }
  }
  return total;
}

}  // namespace sluice
