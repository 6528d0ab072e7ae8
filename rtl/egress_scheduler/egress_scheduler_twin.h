// SPDX-License-Identifier: Apache-2.0
// The egress scheduler of a chip in RTL, behind the interface of the C++ block.
// Leaves out: requests back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>
#include <vector>

#include "rtl/harness/rtl_options.h"
#include "switch/scheduler/scheduler.h"

namespace sluice::rtl {

class EgressSchedulerTwin final : public Scheduler {
 public:
  static constexpr unsigned kLatency = 4;  ///< clocks to the response when one round decides
  static constexpr std::size_t kMaxPorts = 256;
  static constexpr std::size_t kMaxProfiles = 64;

  /// As make_scheduler. Throws ConfigError for more ports or profiles than the RTL has, or a shaper
  /// that it cannot express.
  EgressSchedulerTwin(const std::vector<SchedulerParams>& profiles,
                      const std::vector<std::uint16_t>& profile_of_port, const RtlOptions& options);
  ~EgressSchedulerTwin() override;

  std::uint32_t pick(std::uint32_t port, std::uint32_t ready,
                     const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) override;
  void emptied(std::uint32_t port, std::uint32_t queue) override;
  std::uint32_t deficit(std::uint32_t port, std::uint32_t queue) const override;
  bool shapes(std::uint32_t port) const override;
  std::uint8_t held(std::uint32_t port, Ps now) const override;
  /// From the times at which the RTL said that buckets open: hardware just looks again.
  Ps next_open(std::uint32_t port, std::uint32_t queues, Ps now) const override;
  void sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes, Ps now) override;

  enum class Kind : std::uint8_t { kPick, kEmptied, kSent, kHeld };
  struct Request {
    Kind kind = Kind::kPick;
    std::uint32_t port = 0;
    std::uint32_t queue = 0;
    std::uint8_t waiting = 0;
    std::uint8_t paused = 0;
    std::array<std::uint32_t, kSchedulerQueues> heads{};
    std::uint32_t bytes = 0;
    Ps now{};
  };
  struct Answer {
    bool valid = false;
    bool none = false;
    std::uint32_t queue = 0;
    std::array<std::uint32_t, kSchedulerQueues> deficits{};
    std::uint32_t turn = 0;
    bool granted = false;
    std::uint8_t held = 0;
    Ps queue_opens{};
    Ps port_opens{};
  };
  /// The RTL takes a request in the next clock.
  bool ready() const;
  /// One clock with `request` at the input (null: none), for requests back to back; the answer that
  /// comes out in this clock.
  Answer clock(const Request* request) const;
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  struct Port {
    std::uint16_t profile = 0;
    Answer last;  ///< its state of the round robin
    std::array<Ps, kSchedulerQueues + 1> opens{};
  };
  void configure(const std::vector<SchedulerParams>& profiles);
  void configure_bucket(std::size_t profile, unsigned index, std::uint64_t rate,
                        std::uint64_t burst);
  Answer ask(const Request& request, std::uint32_t rounds) const;

  std::unique_ptr<Rtl> rtl_;
  std::vector<Port> ports_;
  std::vector<std::array<std::uint32_t, kSchedulerQueues>> quanta_;  ///< of each profile, 0: strict
  std::vector<bool> profile_shapes_;
};

/// Rounds that the round robin takes to choose among `eligible` queues, none of them strict: one
/// more than the quanta that some queue still lacks.
std::uint32_t scheduler_rounds(std::uint8_t eligible,
                               const std::array<std::uint32_t, kSchedulerQueues>& head_bytes,
                               const std::array<std::uint32_t, kSchedulerQueues>& quanta,
                               const EgressSchedulerTwin::Answer& state);

/// Bytes that each queue of a profile gets in a round, 0 for strict ones.
std::array<std::uint32_t, kSchedulerQueues> scheduler_quanta(const SchedulerParams& params);

}  // namespace sluice::rtl
