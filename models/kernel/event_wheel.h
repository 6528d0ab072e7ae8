// SPDX-License-Identifier: Apache-2.0
// The event wheel: a bucketed calendar of 16-byte events, executed in the total order
// (time, target, kind). Plain C++; kernel/bridge ties it to SystemC's clock.
// Leaves out: cancelling. A handler ignores an event that its state no longer wants.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/time.h"

namespace sluice {

/// Global number of something that receives events (a port, a NIC, a host): below 2^24.
using TargetId = std::uint32_t;

/// An event by value. (time, target, kind) is unique by construction: a target has at most one
/// event of a kind at an instant. Two that differ in their argument alone end the run with
/// InvariantError; two that are wholly the same (a wake-up asked for twice) both run.
struct Event {
  Ps time;
  std::uint32_t argument = 0;  ///< meaning set by the target; a packet index where it is one
  std::uint32_t key = 0;       ///< target * 256 + kind

  TargetId target() const { return key >> 8; }
  std::uint8_t kind() const { return static_cast<std::uint8_t>(key); }
};
static_assert(sizeof(Event) == 16);

class EventHandler {
 public:
  virtual void handle(Event event) = 0;
  /// Told a few events ahead in fabrics too large for the caches, when the target's hot state and
  /// the argument's record are on their way: fetch what they point to. Must change nothing.
  virtual void prefetch(const Event& event) const { (void)event; }

 protected:
  ~EventHandler() = default;
};

/// Told when an event is posted from outside `run_before` earlier than the wheel planned to wake.
class WheelWaker {
 public:
  virtual void wake_at(Ps time) = 0;

 protected:
  ~WheelWaker() = default;
};

/// Looked after now and then while events run (heartbeat, stall watch); must not touch the model.
class WheelWatcher {
 public:
  virtual void tick() = 0;

 protected:
  ~WheelWatcher() = default;
};

class EventWheel {
 public:
  static constexpr unsigned kDefaultBucketShift = 10;

  /// `bucket_shift`: a bucket spans 2^shift ps at first; the wheel then follows the density of
  /// events. It changes speed, never results.
  explicit EventWheel(unsigned bucket_shift = kDefaultBucketShift);
  EventWheel(const EventWheel&) = delete;
  EventWheel& operator=(const EventWheel&) = delete;

  /// Registers `count` consecutive targets of one handler; returns the first number.
  /// `hot` + i * `hot_stride` is the state that events of target i touch first; it is prefetched.
  TargetId add_targets(EventHandler& handler, std::uint32_t count, const void* hot,
                       std::size_t hot_stride);
  /// Events of `target` go to `handler` from now on, which may pass them on to the one returned.
  EventHandler* replace_handler(TargetId target, EventHandler& handler);
  /// Records named by event arguments (the packet pool), prefetched together with the target.
  void set_argument_prefetch(const void* base) { argument_base_ = static_cast<const char*>(base); }

  /// Time of the event being executed; outside of events, the time up to which all have run.
  Ps now() const { return now_; }
  std::uint64_t executed() const {
    return executed_before_ + static_cast<std::uint64_t>(next_ - sorted());
  }
  /// Events posted and not yet executed; counts them one by one.
  std::uint64_t pending() const;

  /// Posts an event at `time` >= now().
  void post(Ps time, TargetId target, std::uint8_t kind, std::uint32_t argument = 0) {
    const std::uint32_t key = (target << 8) | kind;
    const std::uint64_t slot = time.value >> shift_;
    // One unsigned comparison: slots at or before the current one wrap to huge values.
    if (slot - next_slot_ < near_slots_) [[likely]] {
      push_bucket(static_cast<std::uint32_t>(slot & (kBuckets - 1)), {time, argument, key});
    } else {
      post_uncommon({time, argument, key}, slot);
    }
  }

  /// Runs every event earlier than `limit`, including those posted meanwhile.
  void run_before(Ps limit);
  /// Ends run_before after the event being executed (used when it notified a SystemC process).
  void yield() { limit_ = Ps{0}; }
  /// Time of the earliest pending event, kNever if there is none.
  Ps next_time() const;
  /// Moves now() forward to `time` when no event is pending before it.
  void advance_to(Ps time);

  void set_waker(WheelWaker* waker) { waker_ = waker; }
  /// Instant at which the owner plans to call run_before again; earlier posts wake it.
  void set_armed(Ps time) {
    armed_ = time;
    near_slots_ = time == Ps{0} ? kNearSlots : 0;
  }
  void set_watcher(WheelWatcher* watcher) { watcher_ = watcher; }

  /// Heap allocations made by the wheel so far; stays constant in steady state.
  std::uint64_t allocations() const { return allocations_; }

 private:
  static constexpr std::uint32_t kBuckets = 1u << 13;
  /// Slots behind the current one that have a bucket of their own.
  static constexpr std::uint32_t kNearSlots = kBuckets - 1;
  static constexpr std::uint32_t kChunkEvents = 15;
  static constexpr std::size_t kPrefetchDistance = 12;
  static constexpr std::size_t kDeepDistance = 5;
  /// So many targets no longer fit into a second-level cache with what belongs to them.
  static constexpr std::size_t kLargeFabric = 4096;

  /// Events of one bucket, newest chunk first. Aligned to its size, so that a write position alone
  /// tells when a chunk is full.
  struct alignas(256) Chunk {
    Chunk* next = nullptr;
    std::uint64_t pad = 0;
    std::array<Event, kChunkEvents> events;
  };
  static_assert(sizeof(Chunk) == 256);
  struct Target {
    EventHandler* handler;
    const void* hot;
  };

  void push_bucket(std::uint32_t bucket, const Event& event) {
    Event* at = write_[bucket];
    if ((reinterpret_cast<std::uintptr_t>(at) & (sizeof(Chunk) - 1)) == 0) [[unlikely]] {
      at = add_chunk(bucket);
    }
    *at = event;
    write_[bucket] = at + 1;
  }
  Event* add_chunk(std::uint32_t bucket);
  void add_slab();
  void post_uncommon(const Event& event, std::uint64_t slot);
  void insert_current(const Event& event);
  bool load_next();
  template <bool kLarge>
  void run_loaded();
  void follow_density();
  void rebuild(unsigned shift);
  void load_slot(std::uint64_t slot);
  std::size_t drain_bucket(std::uint32_t bucket);
  std::size_t count_in(std::uint32_t bucket) const;
  void collect(Chunk* newest, const Event* end, Event* to);
  Chunk* free_and_follow(Chunk* chunk);
  void spread(std::size_t count);
  static void insert(Event* first, std::size_t count, const Event& event);
  static bool follows(const Event& before, const Event& event);
  void reserve_current(std::size_t count);
  /// The current bucket; the element before it is smaller than any event.
  Event* sorted() { return current_.data() + 1; }
  const Event* sorted() const { return current_.data() + 1; }
  void pull_far_events();
  std::uint64_t next_occupied_slot() const;
  void prefetch(const Event& event) const {
    __builtin_prefetch(target_data_[event.target()].hot, 1);
    __builtin_prefetch(argument_base_ + std::size_t{event.argument} * 64, 1);
  }
  void prefetch_deep(const Event& event) const {
    target_data_[event.target()].handler->prefetch(event);
  }
  [[noreturn]] static void clash(const Event& event);

  unsigned shift_;
  std::uint64_t next_slot_ = 1;            // the one behind the current
  std::uint64_t near_slots_ = kNearSlots;  // 0 while armed: every post is looked at closely
  Ps now_{};
  Ps limit_{};
  Ps armed_{0};
  std::uint64_t executed_before_ = 0;  // the current bucket's first event
  std::uint64_t loads_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t far_slot_ = UINT64_MAX;  // slot of the earliest far event
  const char* argument_base_ = nullptr;
  WheelWaker* waker_ = nullptr;
  WheelWatcher* watcher_ = nullptr;

  bool large_ = false;
  Target* target_data_ = nullptr;
  std::vector<Target> targets_;
  std::array<Event*, kBuckets>
      write_{};                 // each bucket's free place; null or a chunk's end: add one
  std::vector<Chunk*> newest_;  // newest chunk of each bucket, null when empty
  std::array<std::uint64_t, kBuckets / 64> occupied_{};
  std::vector<std::unique_ptr<Chunk[]>> slabs_;
  Chunk* free_chunk_ = nullptr;
  std::uint64_t density_events_ = 0;  // executed() and loads_ when density was last looked at
  std::uint64_t density_loads_ = 0;
  std::vector<Event> current_;  // from sorted() on; [next_, end_) has not run
  const Event* next_ = nullptr;
  const Event* end_ = nullptr;
  std::vector<Event> scratch_;
  std::vector<Event> far_;      // min-heap of events beyond the horizon
  std::vector<Event> refiled_;  // all events, while buckets change their width
};

}  // namespace sluice
