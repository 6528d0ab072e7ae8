// SPDX-License-Identifier: Apache-2.0
// Counters stay plain integers in their block; the registry holds where they are, with name, unit
// and a one-line meaning. Derived values are computed when read. Leaves out: histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// One counter of an entity type: where it lies inside the entity's record.
struct CounterField {
  std::string_view name;     ///< snake_case, with the unit where it has one ("tx_bytes")
  std::string_view unit;     ///< "B", "frames", "ps", "cells", …
  std::string_view meaning;  ///< one line
  std::size_t offset;        ///< of a std::uint64_t inside the record
};

/// `count` records of `stride` bytes from `base`, one an entity, all with the same fields.
struct CounterTable {
  std::string kind;  ///< "port", "queue", "qp", …
  std::function<std::string(std::size_t)>
      name_of;  ///< entity name of record i ("fabric.leaf3.port5")
  const void* base;
  std::size_t count;
  std::size_t stride;
  std::vector<CounterField> fields;

  std::uint64_t read(std::size_t record, const CounterField& field) const {
    const char* at = static_cast<const char*>(base) + record * stride + field.offset;
    return *reinterpret_cast<const std::uint64_t*>(at);
  }
};

class StatisticsRegistry {
 public:
  void add(CounterTable table) { tables_.push_back(std::move(table)); }
  const std::vector<CounterTable>& tables() const { return tables_; }

  /// Sum of a counter over all entities of a kind; 0 when there is none.
  std::uint64_t sum(std::string_view kind, std::string_view field) const;
  /// Order-independent hash of every counter, keyed by entity and counter name.
  std::uint64_t hash() const;

 private:
  std::vector<CounterTable> tables_;
};

}  // namespace sluice
