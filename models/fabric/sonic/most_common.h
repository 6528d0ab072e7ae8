// SPDX-License-Identifier: Apache-2.0
// Of many values, the one that most have; and lists without repetition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice {

/// The first of those that occur most often; `values` is not empty.
template <class Value>
Value most_common(const std::vector<Value>& values) {
  std::vector<Value> seen;
  std::vector<std::size_t> count;
  for (const Value& value : values) {
    const auto at = std::find(seen.begin(), seen.end(), value);
    if (at == seen.end()) {
      seen.push_back(value);
      count.push_back(1);
    } else {
      ++count[static_cast<std::size_t>(at - seen.begin())];
    }
  }
  return seen[static_cast<std::size_t>(std::max_element(count.begin(), count.end()) -
                                       count.begin())];
}

/// Place of `value` in `list`, to which it is added if it is not there.
template <class Value>
std::size_t place_of(std::vector<Value>& list, const Value& value) {
  const auto at = std::find(list.begin(), list.end(), value);
  if (at != list.end()) return static_cast<std::size_t>(at - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

}  // namespace sluice
