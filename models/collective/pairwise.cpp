// SPDX-License-Identifier: Apache-2.0
// All-to-all, even or with per-peer sizes: each member walks its peers with a few writes in flight.
// A pair of 0 bytes costs nothing on either side. Leaves out: staging over a scale-up domain.
#include "collective/algorithms.h"

namespace sluice {
namespace {

class Pairwise final : public CollectiveAlgorithm {
 public:
  explicit Pairwise(std::uint32_t window) : window_(window) {}

  void prepare(CollectiveState& s) const override {
    if (s.splits == nullptr) {
      // Every peer sends me its chunk `me`, of the same size.
      s.expected = chunk_bytes(s.bytes, s.members, s.me) != 0 ? s.members - 1 : 0;
      return;
    }
    s.expected = 0;
    for (std::uint32_t m = 0; m < s.members; ++m) {
      if (m != s.me && s.splits->recv_bytes[m] != 0) ++s.expected;
    }
  }

  std::optional<std::uint64_t> expected_bytes(const CollectiveState& s, std::uint32_t from,
                                              std::uint32_t step) const override {
    if (from == s.me || step != 0 || s.received == s.expected) return std::nullopt;
    return from_peer(s, from);
  }

  void arrive(CollectiveState& s, std::uint32_t, std::uint32_t) const override { ++s.received; }

  void pump(CollectiveState& s, SendEmitter& emitter) const override {
    while (s.next_send < s.members - 1 && s.in_flight < window_) {
      const std::uint32_t member = (s.me + 1 + s.next_send++) % s.members;
      const std::uint64_t bytes = to_peer(s, member);
      if (bytes != 0) emitter.send(member, bytes, 0);
    }
  }

  bool all_sent(const CollectiveState& s) const override { return s.next_send == s.members - 1; }

  std::vector<std::uint32_t> waiting_for(const CollectiveState& s,
                                         std::size_t limit) const override {
    // Who has arrived is only counted: with none yet all are due, otherwise nobody can be named.
    std::vector<std::uint32_t> members;
    if (s.received != 0) return members;
    for (std::uint32_t m = 0; m < s.members && members.size() < limit; ++m) {
      if (m != s.me && from_peer(s, m) != 0) members.push_back(m);
    }
    return members;
  }

 private:
  static std::uint64_t to_peer(const CollectiveState& s, std::uint32_t member) {
    if (s.splits != nullptr) return s.splits->send_bytes[member];
    return chunk_bytes(s.bytes, s.members, member);
  }
  static std::uint64_t from_peer(const CollectiveState& s, std::uint32_t member) {
    if (s.splits != nullptr) return s.splits->recv_bytes[member];
    return chunk_bytes(s.bytes, s.members, s.me);
  }

  const std::uint32_t window_;
};

}  // namespace

std::unique_ptr<const CollectiveAlgorithm> make_pairwise(std::uint32_t window) {
  return std::make_unique<Pairwise>(window);
}

}  // namespace sluice
