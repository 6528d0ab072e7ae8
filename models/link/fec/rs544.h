// SPDX-License-Identifier: Apache-2.0
// RS(544,514) over GF(2^10) of IEEE 802.3 clauses 91 and 119 ("KP4"): encode, syndromes, decode.
// Leaves out: transcoding, alignment markers, interleaving of codewords and lanes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::fec {

using Symbol = std::uint16_t;  ///< 10 bits

inline constexpr std::size_t kCodeSymbols = 544;
inline constexpr std::size_t kDataSymbols = 514;
inline constexpr std::size_t kParitySymbols = kCodeSymbols - kDataSymbols;
inline constexpr std::size_t kCorrectable = kParitySymbols / 2;
inline constexpr unsigned kSymbolBits = 10;

/// Product in GF(2^10) modulo x^10 + x^3 + 1.
Symbol multiply(Symbol a, Symbol b);
/// alpha^exponent, alpha the root x.
Symbol alpha(unsigned exponent);
/// Product of (x - alpha^i), i = 0 to 29: coefficient of x^i at i, that of x^30 is 1.
std::array<Symbol, kParitySymbols + 1> generator();

/// Parity of 514 data symbols, in the order sent: x^29 first.
std::array<Symbol, kParitySymbols> parity(std::span<const Symbol> data);
/// The codeword, first symbol sent first, at each of the generator's roots: all 0 for a codeword.
std::array<Symbol, kParitySymbols> syndromes(std::span<const Symbol> word);

struct Decoded {
  bool good = false;              ///< a codeword now; else `word` is as it was
  std::size_t symbol_errors = 0;  ///< symbols corrected
  std::size_t bit_errors = 0;     ///< bits corrected, at least symbol_errors
};
/// Corrects up to 15 symbols in place (Berlekamp-Massey, Chien, Forney).
Decoded decode(std::span<Symbol> word);

/// Bit rate of one lane of `payload_gbps` after 256b/257b and this code.
constexpr double lane_gbps(double payload_gbps) {
  return payload_gbps * 257 / 256 * kCodeSymbols / kDataSymbols;
}

}  // namespace sluice::fec
