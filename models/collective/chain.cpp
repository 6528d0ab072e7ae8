// SPDX-License-Identifier: Apache-2.0
// Broadcast and reduce as a pipeline of slices along the ring order of the group.
// Leaves out: trees, which win for small vectors.
#include "collective/algorithms.h"
#include "kernel/error.h"

namespace sluice {
namespace {

class Chain final : public CollectiveAlgorithm {
 public:
  Chain(Bytes slice, std::uint32_t window) : slice_(slice.value), window_(window) {}

  void prepare(CollectiveState& s) const override { s.expected = position(s) == 0 ? 0 : slices(s); }

  std::optional<std::uint64_t> expected_bytes(const CollectiveState& s, std::uint32_t from,
                                              std::uint32_t step) const override {
    if (position(s) == 0 || from != neighbour(s, s.members - 1)) return std::nullopt;
    if (step != s.received || step >= s.expected) return std::nullopt;
    return bytes_of(s, step);
  }

  void arrive(CollectiveState& s, std::uint32_t, std::uint32_t) const override { ++s.received; }

  void pump(CollectiveState& s, SendEmitter& emitter) const override {
    const std::uint32_t last = sends(s);
    const bool first_rank = position(s) == 0;
    while (s.next_send < last) {
      if (first_rank ? s.in_flight >= window_ : s.next_send >= s.received) return;
      const std::uint32_t step = s.next_send++;
      emitter.send(neighbour(s, 1), bytes_of(s, step), step);
    }
  }

  bool all_sent(const CollectiveState& s) const override { return s.next_send == sends(s); }

  std::vector<std::uint32_t> waiting_for(const CollectiveState& s, std::size_t) const override {
    if (s.received == s.expected) return {};
    return {neighbour(s, s.members - 1)};
  }

 private:
  static std::uint32_t neighbour(const CollectiveState& s, std::uint32_t distance) {
    return (s.me + distance) % s.members;
  }
  /// Place in the chain, from 0: a broadcast starts at its root, a reduce ends there.
  static std::uint32_t position(const CollectiveState& s) {
    const std::uint32_t first = s.kind == OpKind::kBroadcast ? s.root : s.root + 1;
    return (s.me + 2 * s.members - first) % s.members;
  }
  std::uint32_t slices(const CollectiveState& s) const {
    const std::uint64_t count = s.bytes / slice_ + (s.bytes % slice_ != 0 ? 1 : 0);
    SLUICE_CHECK(count < UINT32_MAX, "{} B in slices of {} B", s.bytes, slice_);
    return static_cast<std::uint32_t>(count);
  }
  std::uint32_t sends(const CollectiveState& s) const {
    return position(s) + 1 == s.members ? 0 : slices(s);
  }
  std::uint64_t bytes_of(const CollectiveState& s, std::uint32_t step) const {
    const std::uint64_t before = step * slice_;
    return s.bytes - before < slice_ ? s.bytes - before : slice_;
  }

  const std::uint64_t slice_;
  const std::uint32_t window_;
};

}  // namespace

std::unique_ptr<const CollectiveAlgorithm> make_chain(Bytes slice, std::uint32_t window) {
  return std::make_unique<Chain>(slice, window);
}

}  // namespace sluice
