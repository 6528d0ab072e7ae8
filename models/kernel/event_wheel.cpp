// SPDX-License-Identifier: Apache-2.0
#include "kernel/event_wheel.h"

#include <algorithm>
#include <bit>

#include "kernel/error.h"

namespace sluice {
namespace {

bool earlier(const Event& a, const Event& b) {
  return a.time != b.time ? a.time < b.time : a.key < b.key;
}
/// Equal in the order, different in what they say: the order would depend on insertion.
bool clash(const Event& a, const Event& b) {
  return a.time == b.time && a.key == b.key && a.argument != b.argument;
}
bool later(const Event& a, const Event& b) { return earlier(b, a); }

/// For short ranges that are almost in order.
void insertion_sort(Event* first, Event* last) {
  for (Event* at = first + 1; at < last; ++at) {
    const Event event = *at;
    Event* hole = at;
    for (; hole > first && earlier(event, hole[-1]); --hole) *hole = hole[-1];
    *hole = event;
  }
}

}  // namespace

EventWheel::EventWheel(unsigned bucket_shift) : shift_(bucket_shift), heads_(kBuckets, kNoChunk) {
  SLUICE_CHECK(bucket_shift >= 6 && bucket_shift <= 20, "bucket shift {} is not 6..20",
               bucket_shift);
}

TargetId EventWheel::add_targets(EventHandler& handler, std::uint32_t count, const void* hot,
                                 std::size_t hot_stride) {
  const auto first = static_cast<TargetId>(targets_.size());
  SLUICE_CHECK(targets_.size() + count <= (1u << 24), "more than 2^24 event targets");
  for (std::uint32_t i = 0; i < count; ++i) {
    targets_.push_back({&handler, static_cast<const char*>(hot) + i * hot_stride});
  }
  return first;
}

std::uint32_t EventWheel::prepend_chunk(std::uint32_t bucket) {
  std::uint32_t id = free_chunk_;
  if (id != kNoChunk) {
    free_chunk_ = chunks_[id].next;
  } else {
    if (chunks_.size() == chunks_.capacity()) ++allocations_;
    id = static_cast<std::uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  chunks_[id].count = 0;
  chunks_[id].next = heads_[bucket];
  heads_[bucket] = id;
  occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  return id;
}

void EventWheel::post_uncommon(const Event& event, std::uint64_t slot) {
  SLUICE_CHECK(event.time >= now_,
               "event for target {} kind {} posted at {} ps, before now = {} ps", event.target(),
               event.kind(), event.time.value, now_.value);
  if (slot <= current_slot_) {
    // Into the part of the current bucket that has not run yet.
    if (current_.size() == current_.capacity()) ++allocations_;
    const auto at = std::upper_bound(current_.begin() + static_cast<std::ptrdiff_t>(position_),
                                     current_.end(), event, earlier);
    SLUICE_CHECK(
        static_cast<std::size_t>(at - current_.begin()) == position_ || !clash(at[-1], event),
        "two events of target {} kind {} at {} ps", event.target(), event.kind(), event.time.value);
    current_.insert(at, event);
    return;
  }
  if (far_.size() == far_.capacity()) ++allocations_;
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), later);
}

void EventWheel::pull_far_events() {
  while (!far_.empty()) {
    const Event event = far_.front();
    const std::uint64_t slot = event.time.value >> shift_;
    if (slot - current_slot_ >= kBuckets) return;
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
    push_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)), event);
  }
}

std::uint64_t EventWheel::next_occupied_slot() const {
  const std::uint64_t first = current_slot_ + 1;
  const auto start = static_cast<std::uint32_t>(first & (kBuckets - 1));
  std::uint32_t word = start / 64;
  std::uint64_t bits = occupied_[word] & (~std::uint64_t{0} << (start % 64));
  for (std::uint32_t step = 0; step <= kBuckets / 64; ++step) {
    if (bits != 0) {
      const std::uint32_t bucket = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      return first + ((bucket - start) & (kBuckets - 1));
    }
    word = (word + 1) % (kBuckets / 64);
    bits = occupied_[word];
  }
  return UINT64_MAX;
}

bool EventWheel::load_next() {
  std::uint64_t slot = next_occupied_slot();
  if (!far_.empty()) slot = std::min(slot, far_.front().time.value >> shift_);
  if (slot == UINT64_MAX || Ps{slot << shift_} >= limit_) return false;
  load_slot(slot);
  if ((++loads_ & 0x3ff) == 0 && watcher_ != nullptr) watcher_->tick();
  return true;
}

void EventWheel::load_slot(std::uint64_t slot) {
  current_slot_ = slot;
  if (!far_.empty()) pull_far_events();
  current_.clear();
  position_ = 0;
  drain_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)));
  sort_current();
}

void EventWheel::drain_bucket(std::uint32_t bucket) {
  const std::size_t capacity = current_.capacity();
  std::uint32_t id = heads_[bucket];
  heads_[bucket] = kNoChunk;
  occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
  while (id != kNoChunk) {
    Chunk& chunk = chunks_[id];
    current_.insert(current_.end(), chunk.events.begin(), chunk.events.begin() + chunk.count);
    const std::uint32_t next = chunk.next;
    chunk.next = free_chunk_;
    free_chunk_ = id;
    id = next;
  }
  if (current_.capacity() != capacity) ++allocations_;
}

void EventWheel::sort_current() {
  constexpr std::size_t kInsertionLimit = 24;
  constexpr unsigned kBinBits = 6;
  const std::size_t count = current_.size();
  if (count > kInsertionLimit) {
    // Spread over bins by time first, so that insertion moves an event past few others.
    const unsigned bin_shift = shift_ - kBinBits;
    std::array<std::uint32_t, (1u << kBinBits) + 1> offsets{};
    const auto bin_of = [bin_shift](const Event& event) {
      return static_cast<std::size_t>(event.time.value >> bin_shift) & ((1u << kBinBits) - 1);
    };
    for (const Event& event : current_) ++offsets[bin_of(event) + 1];
    for (std::size_t bin = 1; bin < offsets.size(); ++bin) offsets[bin] += offsets[bin - 1];
    if (scratch_.size() < count) {
      scratch_.resize(std::max(count, scratch_.size() * 2));
      ++allocations_;
    }
    for (const Event& event : current_) scratch_[offsets[bin_of(event)]++] = event;
    std::copy(scratch_.begin(), scratch_.begin() + static_cast<std::ptrdiff_t>(count),
              current_.begin());
  }
  insertion_sort(current_.data(), current_.data() + count);
  for (std::size_t i = 1; i < count; ++i) {
    SLUICE_CHECK(!clash(current_[i - 1], current_[i]), "two events of target {} kind {} at {} ps",
                 current_[i].target(), current_[i].kind(), current_[i].time.value);
  }
}

void EventWheel::prefetch(std::size_t index) const {
  const Event& event = current_[index];
  __builtin_prefetch(targets_[event.target()].hot, 1);
  __builtin_prefetch(argument_base_ + std::size_t{event.argument} * 64, 1);
}

void EventWheel::run_before(Ps limit) {
  limit_ = limit;
  armed_ = Ps{0};
  for (;;) {
    if (position_ == current_.size()) {
      if (!load_next()) break;
      const std::size_t ahead = std::min(kPrefetchDistance, current_.size());
      for (std::size_t i = 0; i < ahead; ++i) prefetch(i);
    }
    const Event event = current_[position_];
    if (event.time >= limit_) break;
    if (position_ + kPrefetchDistance < current_.size()) prefetch(position_ + kPrefetchDistance);
    ++position_;
    --pending_;
    ++executed_;
    now_ = event.time;
    targets_[event.target()].handler->handle(event);
  }
}

Ps EventWheel::next_time() {
  if (position_ == current_.size()) {
    limit_ = kNever;
    if (!load_next()) return kNever;
  }
  return current_[position_].time;
}

void EventWheel::advance_to(Ps time) {
  if (time > now_ && (pending_ == 0 || next_time() >= time)) now_ = time;
}

}  // namespace sluice
