// SPDX-License-Identifier: Apache-2.0
// Dissemination barrier: after round k a member has heard, directly or not, of 2^(k+1) others.
// Leaves out: switch-assisted barriers.
#include <bit>

#include "collective/algorithms.h"

namespace sluice {
namespace {

class Dissemination final : public CollectiveAlgorithm {
 public:
  void prepare(CollectiveState& s) const override { s.expected = (1u << rounds(s)) - 1; }

  std::optional<std::uint64_t> expected_bytes(const CollectiveState& s, std::uint32_t from,
                                              std::uint32_t step) const override {
    if (step >= rounds(s) || (s.received & (1u << step)) != 0) return std::nullopt;
    if (from != sender_of(s, step)) return std::nullopt;
    return 0;
  }

  void arrive(CollectiveState& s, std::uint32_t, std::uint32_t step) const override {
    s.received |= 1u << step;
  }

  void pump(CollectiveState& s, SendEmitter& emitter) const override {
    // Round k follows when rounds 0 .. k - 1 have arrived.
    const auto heard = static_cast<std::uint32_t>(std::countr_one(s.received));
    while (s.next_send < rounds(s) && s.next_send <= heard) {
      const std::uint32_t round = s.next_send++;
      emitter.send((s.me + (1u << round)) % s.members, 0, round);
    }
  }

  bool all_sent(const CollectiveState& s) const override { return s.next_send == rounds(s); }

  std::vector<std::uint32_t> waiting_for(const CollectiveState& s, std::size_t) const override {
    const auto heard = static_cast<std::uint32_t>(std::countr_one(s.received));
    if (heard >= rounds(s)) return {};
    return {sender_of(s, heard)};
  }

 private:
  static std::uint32_t rounds(const CollectiveState& s) {
    return static_cast<std::uint32_t>(std::bit_width(s.members - 1));
  }
  static std::uint32_t sender_of(const CollectiveState& s, std::uint32_t round) {
    return (s.me + s.members - (1u << round)) % s.members;
  }
};

}  // namespace

std::unique_ptr<const CollectiveAlgorithm> make_dissemination() {
  return std::make_unique<Dissemination>();
}

}  // namespace sluice
