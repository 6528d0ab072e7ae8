// SPDX-License-Identifier: Apache-2.0
// Counter-based random streams: draw k of a stream is a pure function of (seed, entity, purpose,
// k), so results depend neither on the order of events nor on how a fabric is split over processes.
// Generator: Philox 4x32-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sluice {

/// One Philox 4x32-10 block.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// 64-bit FNV-1a of a name, finalised; keys random streams and hashes by entity name.
std::uint64_t hash_name(std::string_view name);

/// Strong 64-bit mixer (SplitMix64 finaliser, Steele et al., OOPSLA 2014).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// What a stream is for; part of its key, so that two uses at one entity never share draws.
enum class RandomPurpose : std::uint32_t {
  kFrequencyOffset = 1,
  kStartJitter,
  kEcnMark,
  kSpray,
  kHashSeed,
  kPermutation,
  kPlacement,
  kSynthetic,
  kTest,
  kAdaptive,
  kPipePhase,
  kLinkLoss,
  kAckTimeout,
};

/// A stream of random numbers. `entity` is a global number (chip, port, NIC), not an address.
class RandomStream {
 public:
  RandomStream() = default;
  RandomStream(std::uint64_t seed, std::uint64_t entity, RandomPurpose purpose)
      : seed_(seed), entity_(entity), purpose_(static_cast<std::uint32_t>(purpose)) {}

  /// Next 32 random bits.
  std::uint32_t next_u32() {
    if (have_ == 0) refill();
    return block_[--have_];
  }
  std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return (high << 32) | next_u32();
  }
  /// Uniform in [0, bound), without modulo bias (Lemire's method); bound must not be 0.
  std::uint32_t below(std::uint32_t bound);
  /// Uniform in [0, 1) with 32 bits.
  double uniform() { return next_u32() * 0x1p-32; }

 private:
  void refill();

  std::uint64_t seed_ = 0;
  std::uint64_t entity_ = 0;
  std::uint64_t counter_ = 0;
  std::uint32_t purpose_ = 0;
  std::uint32_t have_ = 0;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace sluice
