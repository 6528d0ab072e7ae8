// SPDX-License-Identifier: Apache-2.0
// Ring all-reduce, all-gather and reduce-scatter, one message a step and member.
// Leaves out: several channels or slices within a step.
#include "collective/algorithms.h"

namespace sluice {
namespace {

class Ring final : public CollectiveAlgorithm {
 public:
  void prepare(CollectiveState& s) const override {
    s.expected = steps(s);
    skip_empty_receives(s);
  }

  std::optional<std::uint64_t> expected_bytes(const CollectiveState& s, std::uint32_t from,
                                              std::uint32_t step) const override {
    if (from != previous(s) || step != s.received || step >= s.expected) return std::nullopt;
    return received_bytes(s, step);
  }

  void arrive(CollectiveState& s, std::uint32_t, std::uint32_t) const override {
    ++s.received;
    skip_empty_receives(s);
  }

  void pump(CollectiveState& s, SendEmitter& emitter) const override {
    const std::uint32_t last = steps(s);
    while (s.next_send < last && s.next_send <= s.received) {
      const std::uint32_t step = s.next_send++;
      const std::uint64_t bytes = sent_bytes(s, step);
      if (bytes != 0) emitter.send(s.me + 1 == s.members ? 0 : s.me + 1, bytes, step);
    }
  }

  bool all_sent(const CollectiveState& s) const override { return s.next_send == steps(s); }

  std::vector<std::uint32_t> waiting_for(const CollectiveState& s, std::size_t) const override {
    if (s.received == s.expected) return {};
    return {previous(s)};
  }

 private:
  static std::uint32_t steps(const CollectiveState& s) {
    return (s.kind == OpKind::kAllReduce ? 2 : 1) * (s.members - 1);
  }
  static std::uint32_t previous(const CollectiveState& s) {
    return (s.me == 0 ? s.members : s.me) - 1;
  }
  /// Member i sends chunk i - step; a reduce-scatter starts one earlier, so that chunk i ends at i.
  static std::uint64_t bytes_of(const CollectiveState& s, std::uint32_t member,
                                std::uint32_t step) {
    const std::uint32_t n = s.members;
    const std::uint32_t back = (step + (s.kind == OpKind::kReduceScatter ? 1 : 0)) % n;
    return chunk_bytes(s.bytes, n, member >= back ? member - back : member + n - back);
  }
  static std::uint64_t sent_bytes(const CollectiveState& s, std::uint32_t step) {
    return bytes_of(s, s.me, step);
  }
  static std::uint64_t received_bytes(const CollectiveState& s, std::uint32_t step) {
    return bytes_of(s, previous(s), step);
  }
  static void skip_empty_receives(CollectiveState& s) {
    if (s.bytes >= s.members) return;  // no chunk is empty
    while (s.received < s.expected && received_bytes(s, s.received) == 0) ++s.received;
  }
};

}  // namespace

std::unique_ptr<const CollectiveAlgorithm> make_ring() { return std::make_unique<Ring>(); }

}  // namespace sluice
