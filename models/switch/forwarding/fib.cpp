// SPDX-License-Identifier: Apache-2.0
#include "switch/forwarding/fib.h"

#include "kernel/error.h"

namespace sluice {
namespace {

unsigned __int128 number_of(const wire::Ipv6Address& address) {
  unsigned __int128 number = 0;
  for (const std::uint8_t byte : address) number = number << 8 | byte;
  return number;
}

/// Ones behind the first `length` of `bits` bits.
unsigned __int128 host_mask(unsigned length, unsigned bits) {
  const unsigned host_bits = bits - length;
  if (host_bits == 128) return ~static_cast<unsigned __int128>(0);
  return (static_cast<unsigned __int128>(1) << host_bits) - 1;
}

/// IPv6 keys are wider than an entry.
std::size_t entries_of(const IpPrefix& prefix) { return prefix.ipv6 ? 2 : 1; }

IpPrefix prefix_of(unsigned __int128 address, unsigned length, bool ipv6) {
  const unsigned bits = ipv6 ? 128 : 32;
  SLUICE_CHECK(length <= bits, "a prefix of {} bits in an address of {}", length, bits);
  return {address & ~host_mask(length, bits), static_cast<std::uint8_t>(length), ipv6};
}

}  // namespace

IpPrefix IpPrefix::v4(std::uint32_t address, unsigned length) {
  return prefix_of(address, length, false);
}

IpPrefix IpPrefix::v6(const wire::Ipv6Address& address, unsigned length) {
  return prefix_of(number_of(address), length, true);
}

unsigned __int128 IpPrefix::last() const { return address | host_mask(length, bits()); }

std::string to_string(const IpPrefix& prefix) {
  const auto part = [&prefix](unsigned shift, unsigned mask) {
    return static_cast<unsigned>(prefix.address >> shift) & mask;
  };
  if (!prefix.ipv6) {
    return fmt::format("{}.{}.{}.{}/{}", part(24, 255), part(16, 255), part(8, 255), part(0, 255),
                       prefix.length);
  }
  std::string text = fmt::format("{:x}", part(112, 0xFFFF));
  for (unsigned shift = 112; shift != 0; shift -= 16) {
    text += fmt::format(":{:x}", part(shift - 16, 0xFFFF));
  }
  return fmt::format("{}/{}", text, prefix.length);
}

void Fib::add(const IpPrefix& prefix, NextHop hop) {
  Routes& routes = prefix.ipv6 ? v6_ : v4_;
  const Key key{prefix.address, prefix.length};
  if (const auto old = routes.find(key); old != routes.end()) {
    old->second = hop;
    return;
  }
  std::size_t& used = used_by(prefix);
  const std::uint32_t size = prefix.host() ? limits_.host_entries : limits_.lpm_entries;
  if (used + entries_of(prefix) > size) {
    throw ConfigError(fmt::format("forwarding.{}: {} entries, all but {} in use: no room for {}",
                                  prefix.host() ? "host_entries" : "lpm_entries", size, size - used,
                                  to_string(prefix)));
  }
  used += entries_of(prefix);
  routes.emplace(key, hop);
}

bool Fib::remove(const IpPrefix& prefix) {
  Routes& routes = prefix.ipv6 ? v6_ : v4_;
  if (routes.erase({prefix.address, prefix.length}) == 0) return false;
  used_by(prefix) -= entries_of(prefix);
  return true;
}

std::optional<Fib::NextHop> Fib::covering(const IpPrefix& range) const {
  const Routes& routes = range.ipv6 ? v6_ : v4_;
  for (unsigned length = range.length + 1U; length-- > 0;) {
    const IpPrefix wider = prefix_of(range.address, length, range.ipv6);
    const auto at = routes.find({wider.address, wider.length});
    if (at != routes.end()) return at->second;
  }
  return {};
}

std::optional<Fib::NextHop> Fib::lookup_v4(std::uint32_t address) const {
  return covering(IpPrefix::v4(address, 32));
}

std::optional<Fib::NextHop> Fib::lookup_v6(const wire::Ipv6Address& address) const {
  return covering(IpPrefix::v6(address, 128));
}

}  // namespace sluice
