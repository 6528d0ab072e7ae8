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

}  // namespace

EventWheel::EventWheel(unsigned bucket_shift)
    : shift_(bucket_shift),
      mask_((std::uint64_t{1} << bucket_shift) - 1),
      write_(kBuckets, nullptr),
      newest_(kBuckets, nullptr),
      current_(1) {
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

EventWheel::Packed* EventWheel::add_chunk(std::uint32_t bucket) {
  if (free_chunk_ == nullptr) {
    constexpr std::size_t kSlab = 1024;
    ++allocations_;
    slabs_.push_back(std::make_unique<Chunk[]>(kSlab));
    for (std::size_t i = 0; i < kSlab; ++i) {
      slabs_.back()[i].next = free_chunk_;
      free_chunk_ = &slabs_.back()[i];
    }
  }
  Chunk* const chunk = free_chunk_;
  free_chunk_ = chunk->next;
  chunk->next = newest_[bucket];
  newest_[bucket] = chunk;
  occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
  return chunk->events.data();
}

void EventWheel::clash(const Packed& event) const {
  const auto key = static_cast<std::uint32_t>(event.order);
  throw_invariant(__FILE__, __LINE__, "(time, target, kind) is unique",
                  fmt::format("two events of target {} kind {} at {} ps", key >> 8, key & 0xff,
                              time_of(event).value));
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

/// Into the part of the current bucket that has not run yet. Never before base_: a bucket is loaded
/// only once everything outside that could post earlier has had its turn (run_before's limit).
void EventWheel::insert_current(const Event& event) {
  SLUICE_CHECK(event.time.value >= base_, "event posted at {} ps, behind the bucket at {} ps",
               event.time.value, base_);
  const Packed packed{(event.time.value - base_) << 32 | event.key, event.argument};
  const auto count = static_cast<std::size_t>(end_ - sorted()) + 1;
  if (count >= current_.size()) [[unlikely]]
    reserve_current(count);
  Packed* const first = sorted() + (next_ - sorted());
  Packed* const last = sorted() + (end_ - sorted());
  Packed* const at = std::upper_bound(
      first, last, packed, [](const Packed& a, const Packed& b) { return a.order < b.order; });
  if (at != first && at[-1].order == packed.order && at[-1].argument != packed.argument) {
    clash(packed);
  }
  std::move_backward(at, last, last + 1);
  *at = packed;
  ++end_;
}

void EventWheel::post_uncommon(const Event& event, std::uint64_t slot) {
  SLUICE_CHECK(event.time >= now_,
               "event for target {} kind {} posted at {} ps, before now = {} ps", event.target(),
               event.kind(), event.time.value, now_.value);
  if (slot <= current_slot_) return insert_current(event);
  if (far_.size() == far_.capacity()) ++allocations_;
  far_.push_back(event);
  std::push_heap(far_.begin(), far_.end(), later);
  far_slot_ = far_.front().time.value >> shift_;
}

void EventWheel::pull_far_events() {
  while (far_slot_ - current_slot_ < kBuckets) {
    const Event event = far_.front();
    std::pop_heap(far_.begin(), far_.end(), later);
    far_.pop_back();
    push_bucket(static_cast<std::uint32_t>(far_slot_ & (kBuckets - 1)),
                pack(event.time, event.key, event.argument));
    far_slot_ = far_.empty() ? UINT64_MAX : far_.front().time.value >> shift_;
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
  current_slot_ = slot;
  base_ = slot << shift_;
  if (far_slot_ - slot < kBuckets) pull_far_events();
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

/// Takes one more event into `count` sorted ones; the element before `first` stops the search.
inline void EventWheel::insert(Packed* first, std::size_t count, const Packed& event) const {
  const Packed moved = event;
  Packed* hole = first + count;
  while (hole[-1].order > moved.order) {
    *hole = hole[-1];
    --hole;
  }
  *hole = moved;
  if (hole[-1].order == moved.order && hole != first && hole[-1].argument != moved.argument)
      [[unlikely]] {
    clash(moved);
  }
}

/// Takes `chunk` out of its list into the free one; returns the chunk that followed it.
inline EventWheel::Chunk* EventWheel::free_and_follow(Chunk* chunk) {
  Chunk* const next = chunk->next;
  chunk->next = free_chunk_;
  free_chunk_ = chunk;
  return next;
}

/// Copies a bucket's events in no particular order and frees its chunks.
void EventWheel::collect(Chunk* newest, const Packed* end, Packed* to) {
  for (Chunk* chunk = newest; chunk != nullptr;) {
    to = std::copy(static_cast<const Packed*>(chunk->events.data()), end, to);
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
  Packed* const end = std::exchange(write_[bucket], nullptr);
  occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
  constexpr std::size_t kInsertionLimit = 32;
  if (count > kInsertionLimit) {
    collect(newest, end, sorted());
    spread(count);
    for (std::size_t i = 1; i < count; ++i) insert(sorted(), i, sorted()[i]);
    return count;
  }
  Packed* const first = sorted();
  std::size_t filled = 0;
  const Packed* last = end;
  for (Chunk* chunk = newest; chunk != nullptr;) {
    for (const Packed* at = chunk->events.data(); at != last; ++at) insert(first, filled++, *at);
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
    const std::uint64_t ahead = (bucket - current_slot_) & (kBuckets - 1);
    const std::uint64_t first = (current_slot_ + ahead) << shift_;
    Packed* end = write_[bucket];
    for (Chunk* chunk = newest_[bucket]; chunk != nullptr;) {
      for (Packed* at = chunk->events.data(); at != end; ++at) {
        all.push_back({Ps{first + (at->order >> 32)}, static_cast<std::uint32_t>(at->order),
                       static_cast<std::uint32_t>(at->argument)});
      }
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
  shift_ = shift;
  mask_ = (std::uint64_t{1} << shift) - 1;
  // The bucket at hand has been spent. What a wider one takes in beside it goes to current_.
  executed_before_ = executed();
  next_ = end_ = sorted();
  current_slot_ = base_ >> shift_;
  for (const Event& event : all) {
    const std::uint64_t slot = event.time.value >> shift_;
    if (slot - current_slot_ - 1 < kBuckets - 1) {
      push_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)),
                  pack(event.time, event.key, event.argument));
    } else {
      post_uncommon(event, slot);
    }
  }
}

/// Puts events into bins by time, so that the insertion sort moves each past few others.
void EventWheel::spread(std::size_t count) {
  constexpr unsigned kBinBits = 6;
  const unsigned bin_shift = 32 + shift_ - kBinBits;
  std::array<std::uint32_t, (1u << kBinBits) + 1> offsets{};
  for (std::size_t i = 0; i < count; ++i) ++offsets[(sorted()[i].order >> bin_shift) + 1];
  for (std::size_t bin = 1; bin < offsets.size(); ++bin) offsets[bin] += offsets[bin - 1];
  if (scratch_.size() < current_.size()) {
    scratch_.resize(current_.size());
    ++allocations_;
  }
  for (std::size_t i = 0; i < count; ++i) {
    scratch_[1 + offsets[sorted()[i].order >> bin_shift]++] = sorted()[i];
  }
  std::swap(current_, scratch_);
  next_ = end_ = sorted();
}

/// Runs what is left of the current bucket, what its events add to it included, up to the limit.
template <bool kLarge>
void EventWheel::run_loaded() {
  while (next_ != end_) {
    const Packed* const at = next_;
    const std::uint64_t order = at->order;
    const Ps time{base_ + (order >> 32)};
    if (time >= limit_) return;
    if (at + kPrefetchDistance < end_) prefetch(at[kPrefetchDistance]);
    if constexpr (kLarge) {
      if (at + kDeepDistance < end_) prefetch_deep(at[kDeepDistance]);
    }
    const Event event{time, static_cast<std::uint32_t>(order),
                      static_cast<std::uint32_t>(at->argument)};
    next_ = at + 1;
    now_ = time;
    target_data_[event.target()].handler->handle(event);
  }
}

void EventWheel::run_before(Ps limit) {
  limit_ = limit;
  armed_ = Ps{0};
  for (;;) {
    if (next_ == end_) {
      if (!load_next()) return;
      const Packed* const ahead = std::min(next_ + kPrefetchDistance, end_);
      for (const Packed* at = next_; at != ahead; ++at) prefetch(*at);
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
  if (next_ != end_) return time_of(*next_);
  const Ps far = far_.empty() ? kNever : far_.front().time;
  const std::uint64_t slot = next_occupied_slot();
  if (slot == UINT64_MAX) return far;
  std::uint64_t earliest = UINT64_MAX;
  const Packed* end = write_[slot & (kBuckets - 1)];
  for (const Chunk* chunk = newest_[slot & (kBuckets - 1)]; chunk != nullptr;) {
    for (const Packed* at = chunk->events.data(); at != end; ++at) {
      earliest = std::min(earliest, at->order);
    }
    chunk = chunk->next;
    if (chunk != nullptr) end = chunk->events.data() + kChunkEvents;
  }
  return std::min(far, Ps{(slot << shift_) + (earliest >> 32)});
}

void EventWheel::advance_to(Ps time) {
  if (time > now_ && next_time() >= time) now_ = time;
}

}  // namespace sluice
