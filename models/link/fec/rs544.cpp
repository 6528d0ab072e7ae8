// SPDX-License-Identifier: Apache-2.0
#include "link/fec/rs544.h"

#include <algorithm>
#include <bit>

#include "kernel/error.h"

namespace sluice::fec {
namespace {

constexpr unsigned kOrder = 1023;        // of alpha
using Polynomial = std::vector<Symbol>;  // coefficient of x^i at i

Symbol inverse(Symbol a) {  // a^(1023 - 1)
  Symbol result = 1;
  for (unsigned e = kOrder - 1; e != 0; e >>= 1) {
    if ((e & 1) != 0) result = multiply(result, a);
    a = multiply(a, a);
  }
  return result;
}

Symbol value_at(std::span<const Symbol> polynomial, Symbol x) {
  Symbol sum = 0;
  for (std::size_t i = polynomial.size(); i-- > 0;) {
    sum = static_cast<Symbol>(multiply(sum, x) ^ polynomial[i]);
  }
  return sum;
}

/// Berlekamp-Massey: the shortest recurrence of the syndromes, whose roots are the inverse places.
Polynomial locator(std::span<const Symbol> s) {
  Polynomial now{1};
  Polynomial before{1};
  std::size_t length = 0;
  std::size_t gap = 1;
  Symbol last = 1;
  for (std::size_t n = 0; n < s.size(); ++n) {
    Symbol off = s[n];
    for (std::size_t i = 1; i <= length && i < now.size(); ++i) {
      off = static_cast<Symbol>(off ^ multiply(now[i], s[n - i]));
    }
    if (off == 0) {
      ++gap;
      continue;
    }
    const Polynomial kept = now;
    const Symbol factor = multiply(off, inverse(last));
    now.resize(std::max(now.size(), before.size() + gap));
    for (std::size_t i = 0; i < before.size(); ++i) {
      now[i + gap] = static_cast<Symbol>(now[i + gap] ^ multiply(factor, before[i]));
    }
    if (2 * length <= n) {
      length = n + 1 - length;
      before = kept;
      last = off;
      gap = 1;
    } else {
      ++gap;
    }
  }
  now.resize(length + 1);
  return now;
}

}  // namespace

Symbol multiply(Symbol a, Symbol b) {
  unsigned product = 0;
  for (unsigned i = kSymbolBits; i-- > 0;) {
    product <<= 1;
    if ((product & 0x400) != 0) product ^= 0x409;
    if ((b >> i & 1) != 0) product ^= a;
  }
  return static_cast<Symbol>(product);
}

Symbol alpha(unsigned exponent) {
  Symbol result = 1;
  for (unsigned i = 0; i < exponent % kOrder; ++i) result = multiply(result, 2);
  return result;
}

std::array<Symbol, kParitySymbols + 1> generator() {
  std::array<Symbol, kParitySymbols + 1> g{1};
  Symbol root = 1;
  for (std::size_t degree = 0; degree < kParitySymbols; ++degree, root = multiply(root, 2)) {
    for (std::size_t i = degree + 1; i > 0; --i) {
      g[i] = static_cast<Symbol>(g[i - 1] ^ multiply(g[i], root));
    }
    g[0] = multiply(g[0], root);
  }
  return g;
}

std::array<Symbol, kParitySymbols> parity(std::span<const Symbol> data) {
  SLUICE_CHECK(data.size() == kDataSymbols, "{} data symbols instead of 514", data.size());
  const auto g = generator();
  std::array<Symbol, kParitySymbols> rest{};  // x^29 first
  for (const Symbol symbol : data) {
    const auto out = static_cast<Symbol>(symbol ^ rest[0]);
    std::copy(rest.begin() + 1, rest.end(), rest.begin());
    rest.back() = 0;
    for (std::size_t i = 0; i < kParitySymbols; ++i) {
      rest[i] = static_cast<Symbol>(rest[i] ^ multiply(out, g[kParitySymbols - 1 - i]));
    }
  }
  return rest;
}

std::array<Symbol, kParitySymbols> syndromes(std::span<const Symbol> word) {
  SLUICE_CHECK(word.size() == kCodeSymbols, "a codeword of {} symbols", word.size());
  std::array<Symbol, kParitySymbols> s{};
  Symbol root = 1;
  for (Symbol& sum : s) {
    for (const Symbol symbol : word) sum = static_cast<Symbol>(multiply(sum, root) ^ symbol);
    root = multiply(root, 2);
  }
  return s;
}

Decoded decode(std::span<Symbol> word) {
  const auto s = syndromes(word);
  if (std::all_of(s.begin(), s.end(), [](Symbol v) { return v == 0; })) return {true, 0, 0};
  const Polynomial lambda = locator(s);
  const std::size_t errors = lambda.size() - 1;
  if (errors > kCorrectable) return {};
  Polynomial omega(errors);  // s lambda modulo x^30 has no more terms where it is correctable
  for (std::size_t i = 0; i < errors; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      omega[i] = static_cast<Symbol>(omega[i] ^ multiply(s[i - j], lambda[j]));
    }
  }
  Polynomial slope(lambda.begin() + 1, lambda.end());  // derivative: even terms vanish
  for (std::size_t i = 1; i < slope.size(); i += 2) slope[i] = 0;
  std::vector<Symbol> fixed(word.begin(), word.end());
  Decoded result;
  Symbol place = 1;  // alpha^power of the symbol that stands for x^power
  for (std::size_t power = 0; power < kCodeSymbols; ++power, place = multiply(place, 2)) {
    const Symbol x = inverse(place);
    if (value_at(lambda, x) != 0) continue;
    const Symbol below = value_at(slope, x);
    if (below == 0) return {};
    const Symbol error = multiply(place, multiply(value_at(omega, x), inverse(below)));
    Symbol& symbol = fixed[kCodeSymbols - 1 - power];
    symbol = static_cast<Symbol>(symbol ^ error);
    ++result.symbol_errors;
    result.bit_errors += static_cast<std::size_t>(std::popcount(error));
  }
  const auto rest = syndromes(fixed);
  if (result.symbol_errors != errors ||
      !std::all_of(rest.begin(), rest.end(), [](Symbol v) { return v == 0; })) {
    return {};
  }
  std::copy(fixed.begin(), fixed.end(), word.begin());
  result.good = true;
  return result;
}

}  // namespace sluice::fec
