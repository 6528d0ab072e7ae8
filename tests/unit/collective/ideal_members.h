// SPDX-License-Identifier: Apache-2.0
// Members of one collective joined by an ideal transport: a message takes a fixed latency plus its
// bytes at a fixed rate; a member's writes leave one after the other. Leaves out: any contention.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <queue>
#include <tuple>
#include <vector>

#include "collective/collective.h"
#include "kernel/random.h"

namespace sluice {

class IdealMembers {
 public:
  struct Options {
    std::uint64_t latency_ps = 0;
    std::uint64_t ps_per_byte = 0;
    std::uint64_t start_spread_ps = 0;  ///< each member starts at a random time in [0, spread)
    std::uint64_t jitter_ps = 0;        ///< random extra latency; order within a pair is kept
    std::uint64_t seed = 1;
  };

  IdealMembers(OpKind kind, std::uint32_t n, std::uint64_t bytes, Options options,
               CollectiveParams params = {}, std::uint32_t root = 0)
      : options_(options), library_(params), algorithm_(library_.algorithm(kind)), members_(n) {
    for (std::uint32_t m = 0; m < n; ++m) {
      CollectiveState& state = members_[m].state;
      state.bytes = bytes;
      state.members = n;
      state.me = m;
      state.root = root;
      state.kind = kind;
    }
  }

  /// Uneven all-to-all; `sends[i][j]` goes from i to j, `expects[i][j]` is due at i from j.
  void set_splits(const std::vector<Splits>& splits) {
    for (std::size_t m = 0; m < members_.size(); ++m) members_[m].state.splits = &splits[m];
  }

  void run() {
    RandomStream random(options_.seed, 0, RandomPurpose::kTest);
    for (std::uint32_t m = 0; m < members_.size(); ++m) {
      algorithm_.prepare(members_[m].state);
      std::uint64_t start = 0;
      if (options_.start_spread_ps != 0) {
        start = random.below(static_cast<std::uint32_t>(options_.start_spread_ps));
      }
      push(start, kStart, m, {});
    }
    while (!events_.empty()) {
      const Item item = events_.top();
      events_.pop();
      now_ = item.time;
      handle(item, random);
    }
  }

  bool all_ended() const {
    for (const Member& member : members_) {
      if (!member.ended) return false;
    }
    return true;
  }
  std::uint64_t last_end() const {
    std::uint64_t last = 0;
    for (const Member& member : members_) last = std::max(last, member.end);
    return last;
  }
  std::uint64_t end(std::uint32_t m) const { return members_[m].end; }
  bool ended(std::uint32_t m) const { return members_[m].ended; }
  std::uint64_t sent_bytes(std::uint32_t m) const { return members_[m].sent_bytes; }
  std::uint64_t received_bytes(std::uint32_t m) const { return members_[m].received_bytes; }
  std::uint32_t messages(std::uint32_t m) const { return members_[m].messages; }
  std::uint32_t peak_in_flight(std::uint32_t m) const { return members_[m].peak_in_flight; }
  std::uint32_t refused() const { return refused_; }
  const CollectiveState& state(std::uint32_t m) const { return members_[m].state; }
  const CollectiveAlgorithm& algorithm() const { return algorithm_; }

 private:
  enum Kind : std::uint8_t { kStart, kArrive, kAck };
  struct Message {
    std::uint32_t from = 0, step = 0;
    std::uint64_t bytes = 0;
  };
  struct Item {
    std::uint64_t time, order;
    Kind kind;
    std::uint32_t member;
    Message message;
    bool operator>(const Item& b) const {
      return std::tie(time, order) > std::tie(b.time, b.order);
    }
  };
  struct Member {
    CollectiveState state;
    std::uint64_t wire_free = 0, end = 0, sent_bytes = 0, received_bytes = 0;
    std::uint32_t messages = 0, peak_in_flight = 0;
    bool ended = false;
  };
  struct Emitter final : SendEmitter {
    IdealMembers& owner;
    std::uint32_t from;
    RandomStream& random;
    Emitter(IdealMembers& o, std::uint32_t f, RandomStream& r) : owner(o), from(f), random(r) {}
    void send(std::uint32_t to, std::uint64_t bytes, std::uint32_t step) override {
      owner.transmit(from, to, bytes, step, random);
    }
  };

  void push(std::uint64_t time, Kind kind, std::uint32_t member, Message message) {
    events_.push({time, order_++, kind, member, message});
  }

  void transmit(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint32_t step,
                RandomStream& random) {
    Member& sender = members_[from];
    EXPECT_NE(from, to);
    ++sender.state.in_flight;
    ++sender.messages;
    sender.sent_bytes += bytes;
    sender.peak_in_flight = std::max(sender.peak_in_flight, sender.state.in_flight);
    sender.wire_free = std::max(sender.wire_free, now_) + bytes * options_.ps_per_byte;
    std::uint64_t arrival = sender.wire_free + options_.latency_ps;
    if (options_.jitter_ps != 0) {
      arrival += random.below(static_cast<std::uint32_t>(options_.jitter_ps));
    }
    std::uint64_t& last = last_arrival_[{from, to}];
    arrival = last = std::max(arrival, last);
    push(arrival, kArrive, to, {from, step, bytes});
    push(arrival + options_.latency_ps, kAck, from, {});
  }

  void handle(const Item& item, RandomStream& random) {
    Member& member = members_[item.member];
    if (item.kind == kStart) member.state.started = true;
    if (item.kind == kAck) --member.state.in_flight;
    if (item.kind == kArrive) {
      const auto expected =
          algorithm_.expected_bytes(member.state, item.message.from, item.message.step);
      if (expected != item.message.bytes) {
        ++refused_;
        return;
      }
      member.received_bytes += item.message.bytes;
      algorithm_.arrive(member.state, item.message.from, item.message.step);
    }
    if (!member.state.started) return;
    Emitter emitter(*this, item.member, random);
    algorithm_.pump(member.state, emitter);
    if (!member.ended && algorithm_.ended(member.state)) {
      member.ended = true;
      member.end = now_;
    }
  }

  Options options_;
  CollectiveLibrary library_;
  const CollectiveAlgorithm& algorithm_;
  std::vector<Member> members_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> last_arrival_;
  std::priority_queue<Item, std::vector<Item>, std::greater<>> events_;
  std::uint64_t now_ = 0, order_ = 0;
  std::uint32_t refused_ = 0;
};

}  // namespace sluice
