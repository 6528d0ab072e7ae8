// SPDX-License-Identifier: Apache-2.0
// Gather and scatter: every other member exchanges one message with the root.
// Leaves out: trees.
#include <algorithm>

#include "collective/algorithms.h"

namespace sluice {
namespace {

class Star final : public CollectiveAlgorithm {
 public:
  explicit Star(std::uint32_t window) : window_(window) {}

  void prepare(CollectiveState& s) const override {
    if (is_hub(s)) {
      s.expected = s.kind == OpKind::kGather ? filled_shares(s) : 0;
    } else {
      s.expected = s.kind == OpKind::kScatter && share(s, s.me) != 0 ? 1 : 0;
    }
  }

  std::optional<std::uint64_t> expected_bytes(const CollectiveState& s, std::uint32_t from,
                                              std::uint32_t step) const override {
    if (step != 0 || from == s.me || s.received == s.expected) return std::nullopt;
    if (is_hub(s)) return share(s, from);
    if (from != s.root) return std::nullopt;
    return share(s, s.me);
  }

  void arrive(CollectiveState& s, std::uint32_t, std::uint32_t) const override { ++s.received; }

  void pump(CollectiveState& s, SendEmitter& emitter) const override {
    const std::uint32_t last = sends(s);
    while (s.next_send < last && s.in_flight < window_) {
      const std::uint32_t turn = s.next_send++;
      const std::uint32_t member = is_hub(s) ? (s.me + 1 + turn) % s.members : s.root;
      const std::uint64_t bytes = share(s, is_hub(s) ? member : s.me);
      if (bytes != 0) emitter.send(member, bytes, 0);
    }
  }

  bool all_sent(const CollectiveState& s) const override { return s.next_send == sends(s); }

  std::vector<std::uint32_t> waiting_for(const CollectiveState& s,
                                         std::size_t limit) const override {
    if (s.received == s.expected) return {};
    if (!is_hub(s)) return {s.root};
    // Who has arrived is only counted: with none yet all are due, otherwise nobody can be named.
    std::vector<std::uint32_t> members;
    for (std::uint32_t m = 0; s.received == 0 && m < s.members && members.size() < limit; ++m) {
      if (m != s.me && share(s, m) != 0) members.push_back(m);
    }
    return members;
  }

 private:
  static bool is_hub(const CollectiveState& s) { return s.me == s.root; }
  static std::uint64_t share(const CollectiveState& s, std::uint32_t member) {
    return chunk_bytes(s.bytes, s.members, member);
  }
  /// Members other than the root whose share is not empty.
  static std::uint32_t filled_shares(const CollectiveState& s) {
    const auto filled = static_cast<std::uint32_t>(std::min<std::uint64_t>(s.bytes, s.members));
    return filled - (s.root < filled ? 1 : 0);
  }
  static std::uint32_t sends(const CollectiveState& s) {
    if (is_hub(s)) return s.kind == OpKind::kScatter ? s.members - 1 : 0;
    return s.kind == OpKind::kGather ? 1 : 0;
  }

  const std::uint32_t window_;
};

}  // namespace

std::unique_ptr<const CollectiveAlgorithm> make_star(std::uint32_t window) {
  return std::make_unique<Star>(window);
}

}  // namespace sluice
