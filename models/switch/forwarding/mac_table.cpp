// SPDX-License-Identifier: Apache-2.0
#include "switch/forwarding/mac_table.h"

#include <algorithm>

namespace sluice {

void MacTable::learn(std::uint32_t vlan, std::uint64_t mac, std::uint16_t port, Ps now) {
  const auto at = stations_.find(key(vlan, mac));
  if (at != stations_.end()) {
    if (aged(at->second, now)) {
      ++counters_.aged;
      ++counters_.learned;
    } else if (at->second.port != port) {
      ++counters_.moved;
    }
    at->second = {port, now};
    return;
  }
  if (stations_.size() >= limit_) forget_aged(now);
  if (stations_.size() >= limit_) {
    ++counters_.not_learned;
    return;
  }
  stations_.emplace(key(vlan, mac), Station{port, now});
  ++counters_.learned;
}

std::optional<std::uint16_t> MacTable::lookup(std::uint32_t vlan, std::uint64_t mac, Ps now) const {
  const auto at = stations_.find(key(vlan, mac));
  if (at == stations_.end() || aged(at->second, now)) return {};
  return at->second.port;
}

void MacTable::flush(std::uint16_t port) {
  std::erase_if(stations_, [port](const auto& entry) { return entry.second.port == port; });
}

/// Aged stations go when their room is needed: nothing has to run while the table is quiet. A full
/// table is not searched again before its oldest station can have aged.
void MacTable::forget_aged(Ps now) {
  if (now < search_from_) return;
  counters_.aged +=
      std::erase_if(stations_, [this, now](const auto& entry) { return aged(entry.second, now); });
  search_from_ = kNever;
  for (const auto& [key, station] : stations_) {
    search_from_ = std::min(search_from_, station.heard + ageing_);
  }
}

}  // namespace sluice
