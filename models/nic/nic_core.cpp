// SPDX-License-Identifier: Apache-2.0
#include "nic/nic_core.h"

#include <utility>

#include "kernel/error.h"
#include "kernel/random.h"
#include "nic/congestion/dcqcn.h"
#include "nic/congestion/rttcc.h"
#include "nic/limiter/qp_rate_limiter.h"
#include "nic/nic_hot_path.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

/// Everything around the payload of a packet without RETH.
std::uint32_t overhead_bytes(const NicParams& params) {
  constexpr std::uint32_t kPayload = 256;
  return write_frame_bytes(kPayload, false, params.encapsulation()) - kPayload;
}

RequesterConfig requester_config(const NicParams& params, const NicContext& context) {
  RequesterConfig config;
  config.seed = context.seed;
  config.endpoint = context.endpoint;
  config.ports = params.ports;
  config.mtu_bytes = params.mtu_bytes;
  config.start_psn = params.start_psn;
  config.window_packets = params.window_packets();
  config.burst_packets = params.burst_packets;
  config.ack_every = params.effective_ack_every();
  config.retry_count = params.retry_count;
  config.rnr_retry = params.verbs.rnr_retry;
  config.timeout_spread_percent = params.timeout_spread_percent;
  config.outstanding_reads = params.verbs.outstanding_reads;
  config.credits = params.verbs.end_to_end_credits;
  config.ack_timeout = ack_timeout(params.timeout_code);
  config.doorbell_latency = params.pcie_doorbell_latency + params.tx_processing_latency;
  config.frame_overhead = overhead_bytes(params);
  config.reth_bytes = kRethBytes;
  config.ipv6 = params.encapsulation().ipv6;
  config.gap_bytes = params.inter_packet_gap_bytes;
  config.reth_every_packet = params.reth_every_packet;
  config.plane_choice = params.plane_choice;
  config.plane_recovery_threshold = params.plane_recovery_threshold;
  config.selective = params.loss_recovery == LossRecovery::kSelectiveRepeat;
  config.whole_messages = params.loss_recovery == LossRecovery::kGoBack0;
  config.repair_window = params.keeps_early() ? params.psn_window : 0;
  config.reorder_packets = params.overtaken_by();
  Packet& packet = config.prototype;
  packet.source = context.endpoint;
  packet.kind = PacketKind::kWriteData;
  packet.ecn = params.ecn_capable ? Ecn::kEct0 : Ecn::kNotEct;
  packet.dscp = static_cast<std::uint8_t>(params.data_dscp);
  packet.pcp = static_cast<std::uint8_t>(params.data_priority);
  packet.flags = params.vlan_tag ? packet_flag::kTagged : std::uint8_t{0};
  packet.hops = 1;
  return config;
}

ResponderConfig responder_config(const NicParams& params, const NicContext& context) {
  ResponderConfig config;
  config.seed = context.seed;
  config.endpoint = context.endpoint;
  config.ports = params.ports;
  config.start_psn = params.start_psn;
  const bool rttcc = params.congestion_control == CongestionControl::kRttcc;
  config.notify =
      rttcc ? params.rttcc.uses_cnps() : params.congestion_control == CongestionControl::kDcqcn;
  config.ipv6 = params.encapsulation().ipv6;
  config.cnp_scope = rttcc ? params.rttcc.cnp_scope : params.dcqcn.cnp_scope;
  config.min_time_between_cnps =
      rttcc ? params.rttcc.min_time_between_cnps : params.dcqcn.min_time_between_cnps;
  config.restarts_messages = params.loss_recovery == LossRecovery::kGoBack0;
  config.psn = {.keeps_early = params.keeps_early(),
                .selective = params.loss_recovery == LossRecovery::kSelectiveRepeat,
                .window = params.psn_window,
                .reorder_packets = params.overtaken_by()};
  config.mtu_bytes = params.mtu_bytes;
  config.outstanding_reads = params.verbs.outstanding_reads;
  config.min_rnr_timer = params.verbs.min_rnr_timer;
  config.receive_queue_depth = params.verbs.receive_queue_depth;
  config.receive_queue_shared = params.verbs.receive_queue_shared;
  config.receive_repost_delay = params.verbs.receive_repost_delay;
  config.receive_buffer_bytes = params.verbs.receive_buffer_bytes.value;
  config.credits = params.verbs.end_to_end_credits;
  config.memory_bytes = params.verbs.memory_bytes.value;
  config.memory_key = params.verbs.memory_key;
  config.memory_error_at = params.verbs.memory_error_at;
  return config;
}

BlockPlace place_of(const NicContext& context) { return {context.name, &context.wheel}; }

std::unique_ptr<RateControl> congestion_control_of(const NicParams& params,
                                                   const NicContext& context) {
  switch (params.congestion_control) {
    case CongestionControl::kDcqcn: {
      auto dcqcn = std::make_unique<Dcqcn>(params.dcqcn, params.port_rate);
      if (context.swap == nullptr) return dcqcn;
      return context.swap->dcqcn_rp(std::move(dcqcn), params.dcqcn, params.port_rate,
                                    place_of(context));
    }
    case CongestionControl::kRttcc:
      return std::make_unique<Rttcc>(params.rttcc, params.port_rate);
    default:
      return std::make_unique<NoRateControl>();
  }
}

std::unique_ptr<RateControl> rate_control_of(const NicParams& params, const NicContext& context) {
  std::unique_ptr<RateControl> control = congestion_control_of(params, context);
  if (params.qp_rate_limit.value == 0) return control;
  const auto burst = static_cast<std::uint32_t>(params.qp_rate_burst_bytes.value);
  return std::make_unique<QpRateLimiter>(
      QpRateLimiter::Config{.rate = params.qp_rate_limit, .burst_bytes = burst},
      std::move(control));
}

}  // namespace

NicCore::NicCore(const NicParams& params, NicContext context)
    : params_((params.validate(), params)),
      control_frame_bytes_{static_cast<std::uint16_t>(ack_frame_bytes(params.encapsulation())),
                           static_cast<std::uint16_t>(cnp_frame_bytes(params.encapsulation()))},
      wheel_(context.wheel),
      packets_(context.packets),
      messages_(context.messages),
      endpoint_(context.endpoint),
      port_counters_(params.ports),
      ports_(params.ports),
      rate_control_(rate_control_of(params, context)),
      requester_(requester_config(params, context), packets_, messages_, *rate_control_, counters_,
                 *this),
      responder_(responder_config(params, context), &messages_),
      plane_events_(*this) {
  first_target_ = wheel_.add_targets(*this, params.ports, ports_.data(), sizeof(Port));
  timer_target_ = wheel_.add_targets(*this, 1, this, 0);
  if (params.probing()) {
    const ProbeParams& probe = params.probe;
    ProbeSender& sender = *this;
    ProbeListener& listener = *this;
    Prober::Config config{probe.interval, probe.timeout, probe.spacing};
    // To rttcc a probe that is out for so long is a round trip of that length.
    if (params.congestion_control == CongestionControl::kRttcc) {
      config.overdue = params.rttcc.max_queuing_delay;
    }
    prober_.emplace(config, sender, listener);
  }
  for (std::uint32_t i = 0; params.ports > 1 && i < params.ports; ++i) {
    wheel_.replace_handler(first_target_ + i, plane_events_);
  }
  RandomStream random(context.seed, endpoint_, RandomPurpose::kFrequencyOffset);
  for (Port& port : ports_) {
    const std::uint32_t range = params.frequency_offset_ppm * 1000;
    const std::int64_t offset_ppb = std::int64_t{random.below(2 * range + 1)} - range;
    port.clock = ByteClock(params.port_rate, offset_ppb);
    port.cnps.priority = static_cast<std::uint8_t>(params.cnp_priority);
    port.acks.priority = static_cast<std::uint8_t>(params.ack_priority);
    port.pause = PauseState(params.port_rate);
    port.probes.priority = static_cast<std::uint8_t>(params.probe.priority);
    port.probe_replies.priority = static_cast<std::uint8_t>(params.probe.reply_priority);
    if (params.rx_limited() || params.pcie.transactions()) slow_.push_back(slow_side(params));
  }
  if (context.swap != nullptr) swap_blocks(context);
  if (params.pcie.transactions()) {
    host_side_.emplace(params.pcie);
    requester_.set_message_start(&*host_side_);
  }
}

/// Puts what stands in for the C++ blocks in their place.
void NicCore::swap_blocks(const NicContext& context) {
  const BlockPlace place = place_of(context);
  auto trackers = context.swap->psn_tracker(responder_config(params_, context).psn, place);
  if (trackers) responder_.set_trackers(std::move(trackers));
  for (std::uint32_t port = 0; port < params_.ports; ++port) {
    auto schedule = context.swap->qp_scheduler(params_.burst_packets, port, place);
    if (schedule) requester_.keep_schedule(port, std::move(schedule));
  }
}

ReceivePath NicCore::receive_path(std::uint32_t port) const {
  const bool slow = !slow_.empty();
  return {.head_delay = slow ? params_.rx_phy_latency : params_.t_rx(),
          .pfc_delay = params_.rx_phy_latency + params_.pfc_response,
          .target = first_target_ + port,
          .frame_kind = slow ? kRxArrival : kRxFrame,
          .pfc_kind = kPfc,
          .at_tail = true};
}

void NicCore::attach(std::uint32_t index, const ReceivePath& path) {
  Port& port = ports_[index];
  port.wire_delay = params_.tx_phy_latency + path.head_delay;
  port.peer = path.target;
  port.frame_kind = path.frame_kind;
  port.at_tail = path.at_tail;
  port.attached = true;
  if (!slow_.empty()) slow_[index].peer = path;
}

void NicCore::register_counters(StatisticsRegistry& registry, const std::string& name) const {
  registry.add({"nic", [name](std::size_t) { return name; }, &counters_, 1, sizeof(NicCounters),
                nic_counter_fields()});
  registry.add({"nic_port", [name](std::size_t i) { return fmt::format("{}.port{}", name, i); },
                port_counters_.data(), port_counters_.size(), sizeof(NicPortCounters),
                nic_port_counter_fields()});
  if (host_side_) {
    registry.add({"pcie", [name](std::size_t) { return name; }, &host_side_->counters(), 1,
                  sizeof(HostSideCounters), host_side_counter_fields()});
  }
}

void NicCore::post_write(const WriteRequest& request) {
  const std::uint32_t port = requester_.post(request, wheel_.now());
  if (port != kEveryPort) [[likely]]
    return arm(port, wheel_.now());
  for (std::uint32_t i = 0; i < ports_.size(); ++i) arm(i, wheel_.now());
}

void NicCore::post(const WorkRequest& request) {
  const std::uint32_t port = requester_.post(request, wheel_.now());
  if (port != kEveryPort) return arm(port, wheel_.now());
  for (std::uint32_t i = 0; i < ports_.size(); ++i) arm(i, wheel_.now());
}

void NicCore::handle(Event event) {
  const std::uint32_t index = event.target() - first_target_;
  switch (event.kind()) {
    case kRxFrame:
      return on_frame(index, event.argument, event.time);
    case kWake:
      return on_wake(index, event.time);
    case kPfc:
      return on_pfc(index, event.argument, event.time);
    default:
      return handle_uncommon(event, index);
  }
}

/// Out of line, so that a frame received saves no registers that sending alone needs.
[[gnu::noinline]] void NicCore::on_wake(std::uint32_t index, Ps now) {
  ports_[index].wakeups.fired();
  serve_port(index, now);
}

[[gnu::noinline]] void NicCore::handle_uncommon(Event event, std::uint32_t index) {
  switch (event.kind()) {
    case kRxArrival:
      return on_arrival(index, event.argument, event.time);
    case kRxDrained:
      return on_drained(index, event.time);
    case kRxBypass:
      return on_frame(index, event.argument, event.time);
    case kPauseRefresh:
      return on_pause_refresh(index, event.time);
    case kProbeTimer:
      return on_probe_timer(event.time);
    default:
      return on_timer(event.time);
  }
}

void NicCore::on_timer(Ps now) {
  timer_wakeups_.fired();
  const std::uint32_t ports = requester_.on_timer(now);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) {
    if ((ports >> i & 1) != 0) serve(i, now);
  }
  arm_timer();
}

void NicCore::settle_pauses() {
  requester_.settle_lanes(wheel_.now());
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    port_counters_[i].paused_ps += ports_[i].pause.settle(wheel_.now()).value;
  }
}

/// Only addresses inside this object: following its pointers would wait for what is to be fetched.
void NicCore::prefetch(const Event& event) const {
  if (event.kind() == kRxFrame) {
    __builtin_prefetch(&responder_, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(&responder_) + 64, 1);
    __builtin_prefetch(&counters_.delivered_packets, 1);
  } else if (event.kind() == kWake) {
    constexpr std::size_t kLine = 64;
    const char* const requester = reinterpret_cast<const char*>(&requester_);
    for (std::size_t at = 0; at < sizeof(Requester); at += kLine) {
      __builtin_prefetch(requester + at, 1);
    }
    __builtin_prefetch(&counters_.data_packets_sent, 1);
  }
}

}  // namespace sluice
