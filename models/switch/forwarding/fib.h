// SPDX-License-Identifier: Apache-2.0
// Routes by IP prefix: longest match for IPv4 and IPv6 in tables of limited size, and the way from
// them to one entry an endpoint, so that a packet costs one look-up. Leaves out: routing protocols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "packet/wire/headers.h"

namespace sluice {

/// An IPv4 address lies in the low 32 bits.
struct IpPrefix {
  unsigned __int128 address = 0;  ///< bits behind `length` are 0
  std::uint8_t length = 0;
  bool ipv6 = false;

  static IpPrefix v4(std::uint32_t address, unsigned length);
  static IpPrefix v6(const wire::Ipv6Address& address, unsigned length);

  unsigned bits() const { return ipv6 ? 128 : 32; }
  bool host() const { return length == bits(); }
  unsigned __int128 last() const;  ///< highest address inside
  bool operator==(const IpPrefix&) const = default;
};
std::string to_string(const IpPrefix& prefix);

struct FibLimits {
  std::uint32_t lpm_entries = 131'072;
  std::uint32_t host_entries = 65'536;
};

class Fib {
 public:
  /// A port or a group, as the route table writes it.
  using NextHop = std::uint32_t;

  explicit Fib(const FibLimits& limits) : limits_(limits) {}

  /// Installs a route or gives an old one another next hop. Throws ConfigError with the numbers
  /// where its table is full.
  void add(const IpPrefix& prefix, NextHop hop);
  /// Whether it was there.
  bool remove(const IpPrefix& prefix);

  std::optional<NextHop> lookup_v4(std::uint32_t address) const;
  std::optional<NextHop> lookup_v6(const wire::Ipv6Address& address) const;

  std::size_t lpm_used() const { return lpm_used_; }
  std::size_t host_used() const { return host_used_; }

  /// Calls paint(first, last, hop) over the addresses of `range`, later calls over earlier ones, so
  /// that each address ends with the next hop of its longest match, or with `none`.
  template <class Paint>
  void resolve(const IpPrefix& range, NextHop none, const Paint& paint) const {
    paint(range.address, range.last(), covering(range).value_or(none));
    const Routes& routes = range.ipv6 ? v6_ : v4_;
    // In order of address, then length: what contains comes before what is contained.
    for (auto at = routes.lower_bound({range.address, range.length});
         at != routes.end() && at->first.first <= range.last(); ++at) {
      const IpPrefix inside{at->first.first, at->first.second, range.ipv6};
      paint(inside.address, inside.last(), at->second);
    }
  }

 private:
  using Key = std::pair<unsigned __int128, std::uint8_t>;
  using Routes = std::map<Key, NextHop>;

  /// The longest prefix that holds all of `range`.
  std::optional<NextHop> covering(const IpPrefix& range) const;
  std::size_t& used_by(const IpPrefix& prefix) { return prefix.host() ? host_used_ : lpm_used_; }

  FibLimits limits_;
  Routes v4_;
  Routes v6_;
  std::size_t lpm_used_ = 0;
  std::size_t host_used_ = 0;
};

}  // namespace sluice
