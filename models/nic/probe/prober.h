// SPDX-License-Identifier: Apache-2.0
// When to send round-trip probes, and what became of each: per lane one probe in flight, replies
// matched by number, a probe without reply is missed after a time. A lane is one QP on one plane.
// Leaves out: the frames (the NIC makes them) and what a round trip means (rate control, planes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

/// Told of what becomes of each probe.
class ProbeListener {
 public:
  virtual void on_probe_rtt(std::uint32_t lane, Ps rtt, Ps now) = 0;
  /// The probe sent `age` ago has no reply yet; told each Config::overdue.
  virtual void on_probe_overdue(std::uint32_t lane, Ps age, Ps now) = 0;
  /// `missed` probes in a row had no reply in time.
  virtual void on_probe_missed(std::uint32_t lane, std::uint32_t missed, Ps now) = 0;

 protected:
  ~ProbeListener() = default;
};

/// What the prober asks of its NIC.
class ProbeSender {
 public:
  /// The lane is still worth a probe. False: it rests until start().
  virtual bool wants_probe(std::uint32_t lane) const = 0;
  /// Queue the lane's probe; sent() follows when it leaves.
  virtual void send_probe(std::uint32_t lane, std::uint32_t sequence, Ps now) = 0;

 protected:
  ~ProbeSender() = default;
};

class Prober {
 public:
  struct Config {
    Ps interval{};        ///< from a probe to the same lane's next, at least
    Ps timeout{};         ///< after that a probe is missed
    Ps spacing{};         ///< between two probes of the NIC, at least
    Ps overdue = kNever;  ///< a reply that is out for so long is told of, each time again
  };

  Prober(const Config& config, ProbeSender& sender, ProbeListener& listener)
      : config_(config), sender_(sender), listener_(listener) {}

  /// The lane has data outstanding: probes it from `when` on. A lane that is at work goes on.
  void start(std::uint32_t lane, Ps when);
  /// The probe asked for left the NIC.
  void sent(std::uint32_t lane, Ps now);
  /// A reply came. Late and repeated ones change nothing; true when it counted.
  bool on_reply(std::uint32_t lane, std::uint32_t sequence, Ps rtt, Ps now);

  /// Earliest time at which on_timer wants to be called; kNever while every lane rests.
  Ps timer_wanted() const {
    const Ps wake = heap_.empty() ? kNever : heap_.front().time;
    return first_ready_ == kNone ? wake : std::min(wake, next_slot_);
  }
  void on_timer(Ps now);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  enum class State : std::uint8_t {
    kResting,
    kWaiting,  ///< until `wake`
    kReady,    ///< due, in the list of those that wait for the NIC's spacing
    kQueued,   ///< handed to the NIC
    kFlying,
  };
  struct Lane {
    Ps wake = kNever;            ///< entries of the heap at other times are stale
    Ps sent = kNever;            ///< the last probe; kNever: none yet
    std::uint32_t sequence = 0;  ///< of that probe, 24 bits
    std::uint32_t missed = 0;
    std::uint32_t next_ready = kNone;
    State state = State::kResting;
  };
  struct Entry {
    Ps time;
    std::uint32_t lane;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time > b.time : a.lane > b.lane;
  }

  Ps next_look(const Lane& lane, Ps now) const;
  void wake_at(std::uint32_t lane, Ps time);
  void woken(std::uint32_t lane, Ps now);
  void make_ready(std::uint32_t lane);

  Config config_;
  ProbeSender& sender_;
  ProbeListener& listener_;
  std::vector<Lane> lanes_;
  std::vector<Entry> heap_;  // min-heap
  std::uint32_t first_ready_ = kNone;
  std::uint32_t last_ready_ = kNone;
  Ps next_slot_{};
};

}  // namespace sluice
