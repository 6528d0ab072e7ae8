// SPDX-License-Identifier: Apache-2.0
// Numbers by position: the same on every rank and machine, whoever asks first.
// Leaves out: statistical strength beyond what test data needs (SplitMix64 of a key and an index).
#pragma once

#include <cmath>
#include <cstdint>

namespace sluice::programs {

inline std::uint64_t mixed(std::uint64_t key, std::uint64_t index) {
  std::uint64_t z = key * 0x9e3779b97f4a7c15U + (index + 1) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Uniform in [0, 1).
inline float uniform(std::uint64_t key, std::uint64_t index) {
  return static_cast<float>(mixed(key, index) >> 40U) * 0x1p-24F;
}

/// Roughly normal with mean 0 and deviation 1: the sum of four uniforms, scaled.
inline float normal(std::uint64_t key, std::uint64_t index) {
  float sum = -2.0F;
  for (std::uint64_t i = 0; i < 4; ++i) sum += uniform(key, 4 * index + i);
  return sum * std::sqrt(3.0F);
}

}  // namespace sluice::programs
