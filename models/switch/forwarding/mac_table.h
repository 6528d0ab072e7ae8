// SPDX-License-Identifier: Apache-2.0
// The MAC table of a bridge: learns where stations are, forgets them after a while (IEEE 802.1Q
// clause 8.7 and 8.8). Leaves out: static entries, spanning tree, multicast groups.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "kernel/time.h"

namespace sluice {

struct MacCounters {
  std::uint64_t learned = 0;      ///< stations new to the table
  std::uint64_t moved = 0;        ///< stations that appeared at another port
  std::uint64_t aged = 0;         ///< stations forgotten
  std::uint64_t not_learned = 0;  ///< frames whose source found the table full
};

class MacTable {
 public:
  MacTable(std::uint32_t entries, Ps ageing) : limit_(entries), ageing_(ageing) {}

  /// A frame of station `mac` came in at `port` of `vlan`.
  void learn(std::uint32_t vlan, std::uint64_t mac, std::uint16_t port, Ps now);
  /// Where the station is, unless it has not been heard of for the ageing time.
  std::optional<std::uint16_t> lookup(std::uint32_t vlan, std::uint64_t mac, Ps now) const;
  /// Forgets the stations of a port whose link went down.
  void flush(std::uint16_t port);

  std::size_t size() const { return stations_.size(); }
  const MacCounters& counters() const { return counters_; }

 private:
  struct Station {
    std::uint16_t port;
    Ps heard;
  };
  static std::uint64_t key(std::uint32_t vlan, std::uint64_t mac) {
    return std::uint64_t{vlan} << 48 | mac;
  }
  bool aged(const Station& station, Ps now) const { return now >= station.heard + ageing_; }
  void forget_aged(Ps now);

  std::uint32_t limit_;
  Ps ageing_;
  Ps search_from_{};  ///< when a full table next has a station to forget, at the earliest
  std::unordered_map<std::uint64_t, Station> stations_;
  MacCounters counters_;
};

}  // namespace sluice
