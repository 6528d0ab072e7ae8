// SPDX-License-Identifier: Apache-2.0
#include "rtl/egress_scheduler/egress_scheduler_twin.h"

#include <Vegress_scheduler.h>
#include <Vegress_scheduler_egress_scheduler.h>

#include <algorithm>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"
#include "rtl/harness/wide.h"

namespace sluice::rtl {

struct EgressSchedulerTwin::Rtl : RtlModel<Vegress_scheduler> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Vegress_scheduler_egress_scheduler::Ports == EgressSchedulerTwin::kMaxPorts);
static_assert(Vegress_scheduler_egress_scheduler::Profiles == EgressSchedulerTwin::kMaxProfiles);

constexpr std::uint64_t kBytePs = 8'000'000'000'000;  // of a byte at 1 bit/s
constexpr unsigned kPointBits = 58;
constexpr unsigned kPortBucket = 8;
constexpr unsigned kDeficitBits = 24;
constexpr unsigned kQuantumBits = 23;
constexpr unsigned kHeadBits = 14;
constexpr std::uint32_t kDefaultBurst = 16384;

}  // namespace

std::array<std::uint32_t, kSchedulerQueues> scheduler_quanta(const SchedulerParams& params) {
  std::array<std::uint32_t, kSchedulerQueues> weights{};
  for (std::size_t q = 0; q < kSchedulerQueues; ++q) weights[q] = params.weights[q];
  for (const std::uint32_t queue : params.strict_queues) weights[queue] = 0;
  std::uint32_t smallest = UINT32_MAX;
  for (const std::uint32_t weight : weights) {
    if (weight != 0) smallest = std::min(smallest, weight);
  }
  for (std::uint32_t& weight : weights) {
    weight = static_cast<std::uint32_t>(params.quantum_bytes.value * weight / smallest);
  }
  return weights;
}

std::uint32_t scheduler_rounds(std::uint8_t eligible,
                               const std::array<std::uint32_t, kSchedulerQueues>& head_bytes,
                               const std::array<std::uint32_t, kSchedulerQueues>& quanta,
                               const EgressSchedulerTwin::Answer& state) {
  std::uint32_t fewest = UINT32_MAX;
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    if ((eligible >> q & 1u) == 0) continue;
    const std::uint32_t missing =
        head_bytes[q] > state.deficits[q] ? head_bytes[q] - state.deficits[q] : 0;
    const std::uint32_t grants = (missing + quanta[q] - 1) / quanta[q];
    const bool has_grant = state.granted && state.turn == q;
    fewest = std::min(fewest, has_grant ? grants + 1 : std::max(grants, 1u));
  }
  return fewest;
}

EgressSchedulerTwin::EgressSchedulerTwin(const std::vector<SchedulerParams>& profiles,
                                         const std::vector<std::uint16_t>& profile_of_port,
                                         const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)), ports_(profile_of_port.size()) {
  if (profile_of_port.size() > kMaxPorts || profiles.size() > kMaxProfiles) {
    throw ConfigError(
        fmt::format("egress_scheduler in RTL: {} ports and {} profiles, it has {} and {}",
                    profile_of_port.size(), profiles.size(), kMaxPorts, kMaxProfiles));
  }
  Vegress_scheduler& pins = rtl_->pins();
  pins.profile_valid_i = pins.bucket_valid_i = pins.map_valid_i = pins.in_valid_i = 0;
  rtl_->reset();
  configure(profiles);
  pins.map_valid_i = 1;
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    ports_[port].profile = profile_of_port[port];
    pins.map_port_i = static_cast<std::uint8_t>(port);
    pins.map_profile_i = static_cast<std::uint8_t>(profile_of_port[port]);
    rtl_->tick();
  }
  pins.map_valid_i = 0;
  rtl_->settle();
}

EgressSchedulerTwin::~EgressSchedulerTwin() = default;

void EgressSchedulerTwin::configure(const std::vector<SchedulerParams>& profiles) {
  Vegress_scheduler& pins = rtl_->pins();
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const SchedulerParams& p = profiles[i];
    quanta_.push_back(scheduler_quanta(p));
    profile_shapes_.push_back(p.shapes());
    unsigned strict = 0;
    for (const std::uint32_t queue : p.strict_queues) strict |= 1u << queue;
    pins.profile_valid_i = 1;
    pins.profile_profile_i = static_cast<std::uint8_t>(i);
    pins.profile_strict_i = static_cast<std::uint8_t>(strict);
    for (unsigned q = 0; q < kSchedulerQueues; ++q) {
      put_bits(pins.profile_quanta_i, q * kQuantumBits, kQuantumBits, quanta_[i][q]);
    }
    rtl_->tick();
    pins.profile_valid_i = 0;
    for (unsigned q = 0; q < kSchedulerQueues; ++q) {
      const std::uint64_t rate =
          p.queue_shapers.empty() ? 0 : std::uint64_t{p.queue_shapers[q]} * 1'000'000;
      configure_bucket(i, q, rate, p.queue_bursts.empty() ? kDefaultBurst : p.queue_bursts[q]);
    }
    configure_bucket(i, kPortBucket, p.port_shaper.value, p.port_burst.value);
  }
}

void EgressSchedulerTwin::configure_bucket(std::size_t profile, unsigned index, std::uint64_t rate,
                                           std::uint64_t burst) {
  Vegress_scheduler& pins = rtl_->pins();
  if (rate != 0 && (rate < 1'000'000 || rate >> 41 != 0)) {
    throw ConfigError(fmt::format(
        "egress_scheduler in RTL: a shaper of {} bit/s, it has 1 Mbit/s to 2.19 Tbit/s", rate));
  }
  __uint128_t burst_ps = 0;
  __uint128_t byte = 0;
  if (rate != 0) {
    burst_ps = static_cast<__uint128_t>(burst) * kBytePs / rate;
    byte = ((static_cast<__uint128_t>(kBytePs) << kPointBits) + rate - 1) / rate;
  }
  pins.bucket_valid_i = 1;
  pins.bucket_profile_i = static_cast<std::uint8_t>(profile);
  pins.bucket_index_i = static_cast<std::uint8_t>(index);
  pins.bucket_rate_i = rate;
  pins.bucket_burst_i = static_cast<std::uint64_t>(burst_ps);
  put_bits(pins.bucket_byte_i, 0, 64, static_cast<std::uint64_t>(byte));
  put_bits(pins.bucket_byte_i, 64, 17, static_cast<std::uint64_t>(byte >> 64));
  rtl_->tick();
  pins.bucket_valid_i = 0;
}

bool EgressSchedulerTwin::ready() const { return rtl_->pins().in_ready_o; }

EgressSchedulerTwin::Answer EgressSchedulerTwin::clock(const Request* request) const {
  Vegress_scheduler& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_kind_i = static_cast<std::uint8_t>(request->kind);
    pins.in_port_i = static_cast<std::uint8_t>(request->port);
    pins.in_queue_i = static_cast<std::uint8_t>(request->queue);
    pins.in_waiting_i = request->waiting;
    pins.in_paused_i = request->paused;
    for (unsigned q = 0; q < kSchedulerQueues; ++q) {
      put_bits(pins.in_heads_i, q * kHeadBits, kHeadBits, request->heads[q]);
    }
    pins.in_bytes_i = static_cast<std::uint16_t>(request->bytes);
    pins.in_now_i = request->now.value;
  }
  rtl_->tick();
  Answer answer;
  if (!pins.out_valid_o) return answer;
  answer.valid = true;
  answer.none = pins.out_none_o;
  answer.queue = pins.out_queue_o;
  for (unsigned q = 0; q < kSchedulerQueues; ++q) {
    answer.deficits[q] =
        static_cast<std::uint32_t>(get_bits(pins.out_deficits_o, q * kDeficitBits, kDeficitBits));
  }
  answer.turn = pins.out_turn_o;
  answer.granted = pins.out_granted_o;
  answer.held = pins.out_held_o;
  answer.queue_opens = Ps{pins.out_queue_opens_o};
  answer.port_opens = Ps{pins.out_port_opens_o};
  return answer;
}

EgressSchedulerTwin::Answer EgressSchedulerTwin::ask(const Request& request,
                                                     std::uint32_t rounds) const {
  const unsigned latency = kLatency + rounds - 1;
  Answer answer = clock(&request);
  unsigned clocks = 1;
  for (; clocks < latency && !answer.valid; ++clocks) answer = clock(nullptr);
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", latency));
  if (clocks != latency) {
    throw RtlError(fmt::format("an answer after {} clocks instead of {}", clocks, latency));
  }
  return answer;
}

std::uint32_t EgressSchedulerTwin::pick(
    std::uint32_t port, std::uint32_t ready,
    const std::array<std::uint32_t, kSchedulerQueues>& head_bytes) {
  Port& p = ports_[port];
  Request request;
  request.port = port;
  request.waiting = static_cast<std::uint8_t>(ready);
  request.heads = head_bytes;
  request.now = kNever;  // whoever asks has left out what shapers hold
  bool strict = false;
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    strict |= (ready >> q & 1u) != 0 && quanta_[p.profile][q] == 0;
  }
  p.last =
      ask(request,
          strict ? 1 : scheduler_rounds(request.waiting, head_bytes, quanta_[p.profile], p.last));
  return p.last.queue;
}

void EgressSchedulerTwin::emptied(std::uint32_t port, std::uint32_t queue) {
  Request request;
  request.kind = Kind::kEmptied;
  request.port = port;
  request.queue = queue;
  ports_[port].last = ask(request, 1);
}

std::uint32_t EgressSchedulerTwin::deficit(std::uint32_t port, std::uint32_t queue) const {
  return ports_[port].last.deficits[queue];
}

bool EgressSchedulerTwin::shapes(std::uint32_t port) const {
  return profile_shapes_[ports_[port].profile];
}

std::uint8_t EgressSchedulerTwin::held(std::uint32_t port, Ps now) const {
  if (!shapes(port)) return 0;
  Request request;
  request.kind = Kind::kHeld;
  request.port = port;
  request.now = now;
  return ask(request, 1).held;
}

Ps EgressSchedulerTwin::next_open(std::uint32_t port, std::uint32_t queues, Ps now) const {
  Ps earliest = kNever;
  const std::array<Ps, kSchedulerQueues + 1>& opens = ports_[port].opens;
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    const Ps both = std::max(opens[q], opens[kPortBucket]);
    if ((queues >> q & 1u) != 0 && both > now) earliest = std::min(earliest, both);
  }
  return earliest;
}

void EgressSchedulerTwin::sent(std::uint32_t port, std::uint32_t queue, std::uint32_t wire_bytes,
                               Ps now) {
  if (!shapes(port)) return;
  Request request;
  request.kind = Kind::kSent;
  request.port = port;
  request.queue = queue;
  request.bytes = wire_bytes;
  request.now = now;
  const Answer answer = ask(request, 1);
  ports_[port].opens[queue] = answer.queue_opens;
  ports_[port].opens[kPortBucket] = answer.port_opens;
}

std::uint64_t EgressSchedulerTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
