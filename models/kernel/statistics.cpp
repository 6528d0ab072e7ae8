// SPDX-License-Identifier: Apache-2.0
#include "kernel/statistics.h"

#include <vector>

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
  std::vector<std::uint64_t> fields;  // hashes of their names
  for (const CounterTable& table : tables_) {
    fields.clear();
    for (const CounterField& entry : table.fields) fields.push_back(hash_name(entry.name));
    for (std::size_t i = 0; i < table.count; ++i) {
      const std::uint64_t entity = hash_name(table.name_of(i));
      for (std::size_t field = 0; field < fields.size(); ++field) {
        // A sum, so that neither the order of tables nor a split over processes matters.
        total += mix64(mix64(entity ^ fields[field]) + table.read(i, table.fields[field]));
      }
    }
  }
  return total;
}

}  // namespace sluice
