// SPDX-License-Identifier: Apache-2.0
#include "kernel/event_wheel.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernel/error.h"

namespace sluice {
namespace {

bool later(const Event& a, const Event& b) {
  return a.time != b.time ? a.time > b.time : a.key > b.key;
}
bool earlier(const Event& a, const Event& b) { return later(b, a); }

}  // namespace

EventWheel::EventWheel(unsigned bucket_shift)
    : shift_(bucket_shift), newest_(kBuckets, nullptr), current_(1) {
  next_ = end_ = sorted();
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
  target_data_ = targets_.data();
  large_ = targets_.size() > kLargeFabric;
  return first;
}

EventHandler* EventWheel::replace_handler(TargetId target, EventHandler& handler) {
  SLUICE_CHECK(target < targets_.size(), "no event target {}", target);
  return std::exchange(targets_[target].handler, &handler);
}

/// Out of line, so that taking a chunk from the free list saves no registers.
[[gnu::noinline]] void EventWheel::add_slab() {
  constexpr std::size_t kSlab = 1024;
  ++allocations_;
  slabs_.push_back(std::make_unique<Chunk[]>(kSlab));
  for (std::size_t i = 0; i < kSlab; ++i) {
    slabs_.back()[i].next = free_chunk_;
    free_chunk_ = &slabs_.back()[i];
  }
}

Event* EventWheel::add_chunk(std::uint32_t bucket) {
  if (free_chunk_ == nullptr) [[unlikely]]
    add_slab();
  Chunk* const chunk = free_chunk_;
  free_chunk_ = chunk->next;
  chunk->next = newest_[bucket];
  newest_[bucket] = chunk;
  occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  return chunk->events.data();
}

void EventWheel::clash(const Event& event) {
  throw_invariant(__FILE__, __LINE__, "(time, target, kind) is unique",
                  fmt::format("two events of target {} kind {} at {} ps", event.target(),
                              event.kind(), event.time.value));
}

/// Room for `count` events; the elements keep their places.
void EventWheel::reserve_current(std::size_t count) {
  ++allocations_;
  const auto next = next_ - sorted();
  const auto end = end_ - sorted();
  current_.resize(std::max(count + 1, current_.size() * 2));
  next_ = sorted() + next;
  end_ = sorted() + end;
}

/// Into the part of the current bucket that has not run yet. Never before its first instant: a
/// bucket is loaded only once everything outside that could post earlier has had its turn
/// (run_before's limit).
void EventWheel::insert_current(const Event& event) {
  const Ps base{(next_slot_ - 1) << shift_};
  SLUICE_CHECK(event.time >= base, "event posted at {} ps, behind the bucket at {} ps",
               event.time.value, base.value);
  const auto count = static_cast<std::size_t>(end_ - sorted()) + 1;
  if (count >= current_.size()) [[unlikely]]
    reserve_current(count);
  Event* const first = sorted() + (next_ - sorted());
  Event* const last = sorted() + (end_ - sorted());
  Event* const at = std::upper_bound(first, last, event, earlier);
  if (at != first && at[-1].time == event.time && at[-1].key == event.key &&
      at[-1].argument != event.argument) {
    clash(event);
  }
  std::move_backward(at, last, last + 1);
  *at = event;
  ++end_;
}

/// At or before the current slot, beyond the horizon, or from outside while the owner is asleep.
void EventWheel::post_uncommon(const Event& event, std::uint64_t slot) {
  SLUICE_CHECK(event.time >= now_,
               "event for target {} kind {} posted at {} ps, before now = {} ps", event.target(),
               event.kind(), event.time.value, now_.value);
  if (slot < next_slot_) {
    insert_current(event);
  } else if (slot - next_slot_ < kNearSlots) {
    push_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)), event);
  } else {
    if (far_.size() == far_.capacity()) ++allocations_;
    far_.push_back(event);
    std::push_heap(far_.begin(), far_.end(), later);
    far_slot_ = far_.front().time.value >> shift_;
  }
  if (event.time < armed_) waker_->wake_at(event.time);
}

void EventWheel::pull_far_events() {
  while (far_slot_ + 1 - next_slot_ < kBuckets) {  // the current slot included
    const Event event = far_.front();
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
    push_bucket(static_cast<std::uint32_t>(far_slot_ & (kBuckets - 1)), event);
    far_slot_ = far_.empty() ? UINT64_MAX : far_.front().time.value >> shift_;
  }
}

std::uint64_t EventWheel::next_occupied_slot() const {
  const std::uint64_t first = next_slot_;
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
  if ((++loads_ & 0x3ff) == 0) {
    if (watcher_ != nullptr) watcher_->tick();
    follow_density();
    if (next_ != end_) return true;
  }
  const std::uint64_t slot = std::min(next_occupied_slot(), far_slot_);
  if (slot == UINT64_MAX || Ps{slot << shift_} >= limit_) return false;
  load_slot(slot);
  return true;
}

void EventWheel::load_slot(std::uint64_t slot) {
  next_slot_ = slot + 1;
  if (far_slot_ - slot < kBuckets) [[unlikely]]
    pull_far_events();
  executed_before_ = executed();
  next_ = end_ = sorted();
  end_ += drain_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)));
}

std::size_t EventWheel::count_in(std::uint32_t bucket) const {
  const Chunk* chunk = newest_[bucket];
  if (chunk == nullptr) return 0;
  auto count = static_cast<std::size_t>(write_[bucket] - chunk->events.data());
  while ((chunk = chunk->next) != nullptr) count += kChunkEvents;
  return count;
}

/// At one instant: whether `before` belongs behind `event`.
bool EventWheel::follows(const Event& before, const Event& event) {
  if (before.key == event.key && before.argument != event.argument) clash(event);
  return before.key > event.key;
}

/// Takes one more event into `count` sorted ones. The element before `first` is at time 0: it stops
/// the search of all but events at time 0, which the count stops.
inline void EventWheel::insert(Event* first, std::size_t count, const Event& event) {
  const Event moved = event;
  Event* hole = first + count;
  for (;;) {
    while (hole[-1].time > moved.time) {
      *hole = hole[-1];
      --hole;
    }
    // Two events at one instant are rare, so only then is there more to compare.
    if (hole[-1].time != moved.time) [[likely]]
      break;
    if (hole == first || !follows(hole[-1], moved)) break;
    *hole = hole[-1];
    --hole;
  }
  *hole = moved;
}

/// Takes `chunk` out of its list into the free one; returns the chunk that followed it.
inline EventWheel::Chunk* EventWheel::free_and_follow(Chunk* chunk) {
  Chunk* const next = chunk->next;
  chunk->next = free_chunk_;
  free_chunk_ = chunk;
  return next;
}

/// Copies a bucket's events in no particular order and frees its chunks.
void EventWheel::collect(Chunk* newest, const Event* end, Event* to) {
  for (Chunk* chunk = newest; chunk != nullptr;) {
    to = std::copy(static_cast<const Event*>(chunk->events.data()), end, to);
    chunk = free_and_follow(chunk);
    if (chunk != nullptr) end = chunk->events.data() + kChunkEvents;
  }
}

/// Moves a bucket's events into current_, sorted; returns how many.
std::size_t EventWheel::drain_bucket(std::uint32_t bucket) {
  const std::size_t count = count_in(bucket);
  if (count == 0) return 0;
  if (count >= current_.size()) [[unlikely]]
    reserve_current(count);
  // The bucket is empty from here on, also when a clash ends the run.
  Chunk* const newest = std::exchange(newest_[bucket], nullptr);
  Event* const end = std::exchange(write_[bucket], nullptr);
  occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
  constexpr std::size_t kInsertionLimit = 32;
  if (count > kInsertionLimit) {
    collect(newest, end, sorted());
    spread(count);
    for (std::size_t i = 1; i < count; ++i) insert(sorted(), i, sorted()[i]);
    return count;
  }
  Event* const first = sorted();
  std::size_t filled = 0;
  const Event* last = end;
  for (Chunk* chunk = newest; chunk != nullptr;) {
    for (const Event* at = chunk->events.data(); at != last; ++at) insert(first, filled++, *at);
    chunk = free_and_follow(chunk);
    if (chunk != nullptr) last = chunk->events.data() + kChunkEvents;  // all others are full
  }
  return count;
}

/// Keeps a bucket at some seven to twenty events: fewer pay the bucket's own cost, more are dear to
/// sort. Never narrower than 256 ps: the horizon of 2 us must hold a cable and a chip's pipeline.
void EventWheel::follow_density() {
  const std::uint64_t events = executed() - density_events_;
  const std::uint64_t loads = loads_ - density_loads_;
  density_events_ = executed();
  density_loads_ = loads_;
  if (events < 7 * loads && shift_ < 14) rebuild(shift_ + 1);
  if (events > 20 * loads && shift_ > 8) rebuild(shift_ - 1);
}

/// Re-files every event that is not in the current bucket under buckets of another width.
void EventWheel::rebuild(unsigned shift) {
  std::vector<Event>& all = refiled_;
  const std::size_t capacity = all.capacity();
  all.clear();
  for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (newest_[bucket] == nullptr) continue;
    Event* end = write_[bucket];
    for (Chunk* chunk = newest_[bucket]; chunk != nullptr;) {
      all.insert(all.end(), chunk->events.data(), end);
      chunk = free_and_follow(chunk);
      if (chunk != nullptr) end = chunk->events.data() + kChunkEvents;
    }
    newest_[bucket] = nullptr;
    write_[bucket] = nullptr;
  }
  occupied_.fill(0);
  all.insert(all.end(), far_.begin(), far_.end());
  if (all.capacity() != capacity) ++allocations_;
  far_.clear();
  far_slot_ = UINT64_MAX;
  const std::uint64_t base = (next_slot_ - 1) << shift_;
  shift_ = shift;
  // The bucket at hand has been spent. What a wider one takes in beside it goes to current_.
  executed_before_ = executed();
  next_ = end_ = sorted();
  next_slot_ = (base >> shift_) + 1;
  for (const Event& event : all) post_uncommon(event, event.time.value >> shift_);
}

/// Puts events into bins by time, so that the insertion sort moves each past few others.
void EventWheel::spread(std::size_t count) {
  constexpr unsigned kBinBits = 6;
  constexpr std::size_t kBins = std::size_t{1} << kBinBits;
  const unsigned bin_shift = shift_ - kBinBits;
  const auto bin_of = [bin_shift](const Event& event) {
    return (event.time.value >> bin_shift) & (kBins - 1);
  };
  std::array<std::uint32_t, kBins + 1> offsets{};
  for (std::size_t i = 0; i < count; ++i) ++offsets[bin_of(sorted()[i]) + 1];
  for (std::size_t bin = 1; bin < offsets.size(); ++bin) offsets[bin] += offsets[bin - 1];
  if (scratch_.size() < current_.size()) {
    scratch_.resize(current_.size());
    ++allocations_;
  }
  for (std::size_t i = 0; i < count; ++i) {
    scratch_[1 + offsets[bin_of(sorted()[i])]++] = sorted()[i];
  }
  std::swap(current_, scratch_);
  next_ = end_ = sorted();
}

/// Runs what is left of the current bucket, what its events add to it included, up to the limit.
template <bool kLarge>
void EventWheel::run_loaded() {
  while (next_ != end_) {
    const Event* const at = next_;
    const Ps time = at->time;
    if (time >= limit_) return;
    if (at + kPrefetchDistance < end_) prefetch(at[kPrefetchDistance]);
    if constexpr (kLarge) {
      if (at + kDeepDistance < end_) prefetch_deep(at[kDeepDistance]);
    }
    next_ = at + 1;
    now_ = time;
    target_data_[at->target()].handler->handle(*at);
  }
}

void EventWheel::run_before(Ps limit) {
  limit_ = limit;
  set_armed(Ps{0});
  for (;;) {
    if (next_ == end_) {
      if (!load_next()) return;
      const Event* const ahead = std::min(next_ + kPrefetchDistance, end_);
      for (const Event* at = next_; at != ahead; ++at) prefetch(*at);
    }
    if (large_) {
      run_loaded<true>();
    } else {
      run_loaded<false>();
    }
    if (next_ != end_) return;  // the limit was reached
  }
}

std::uint64_t EventWheel::pending() const {
  std::uint64_t events = static_cast<std::uint64_t>(end_ - next_) + far_.size();
  for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (newest_[bucket] == nullptr) continue;
    events += static_cast<std::uint64_t>(write_[bucket] - newest_[bucket]->events.data());
    for (const Chunk* full = newest_[bucket]->next; full != nullptr; full = full->next) {
      events += kChunkEvents;
    }
  }
  return events;
}

Ps EventWheel::next_time() const {
  if (next_ != end_) return next_->time;
  const Ps far = far_.empty() ? kNever : far_.front().time;
  const std::uint64_t slot = next_occupied_slot();
  if (slot == UINT64_MAX) return far;
  Ps earliest = far;
  const Event* end = write_[slot & (kBuckets - 1)];
  for (const Chunk* chunk = newest_[slot & (kBuckets - 1)]; chunk != nullptr;) {
    for (const Event* at = chunk->events.data(); at != end; ++at) {
      earliest = std::min(earliest, at->time);
    }
    chunk = chunk->next;
    if (chunk != nullptr) end = chunk->events.data() + kChunkEvents;
  }
  return earliest;
}

void EventWheel::advance_to(Ps time) {
  if (time > now_ && next_time() >= time) now_ = time;
}

}  // namespace sluice
