// SPDX-License-Identifier: Apache-2.0
#include "kernel/random.h"

namespace sluice {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMul0 * counter[0];
    const std::uint64_t p1 = kMul1 * counter[2];
    counter = {
        static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(p1),
        static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return mix64(hash);
}

void RandomStream::refill() {
  // The entity and purpose go through the key with the seed; the counter is the draw's number.
  const std::uint64_t key = mix64(seed_ + 0x9e3779b97f4a7c15ULL * (purpose_ + 1ULL));
  block_ =
      philox4x32({static_cast<std::uint32_t>(counter_), static_cast<std::uint32_t>(counter_ >> 32),
                  static_cast<std::uint32_t>(entity_), static_cast<std::uint32_t>(entity_ >> 32)},
                 {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
  ++counter_;
  have_ = 4;
}

std::uint32_t RandomStream::below(std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{next_u32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold)
      product = std::uint64_t{next_u32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace sluice
