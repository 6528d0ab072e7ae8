// SPDX-License-Identifier: Apache-2.0
#include "host/raw_source.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint32_t kTagBytes = 4;
constexpr std::uint32_t kPfcFrameBytes = 64;

std::uint32_t frame_bytes(const RawStream& stream) {
  return stream.frame_bytes + (stream.tagged ? kTagBytes : 0);
}

}  // namespace

RawCore::RawCore(const RawParams& params, const RawContext& context)
    : params_(params),
      wheel_(context.wheel),
      packets_(context.packets),
      seed_(context.seed),
      endpoint_(context.endpoint),
      pause_(params.port_rate) {
  params.validate();
  target_ = wheel_.add_targets(*this, 1, this, 0);
  RandomStream random(seed_, endpoint_, RandomPurpose::kFrequencyOffset);
  const std::uint32_t range = params.frequency_offset_ppm * 1000;
  clock_ = ByteClock(params.port_rate, std::int64_t{random.below(2 * range + 1)} - range);
  for (std::size_t i = 0; i < params.streams.size(); ++i) {
    streams_.push_back(make_stream(params.streams[i], i));
  }
}

RawCore::Stream RawCore::make_stream(const RawStream& config, std::uint64_t number) const {
  Stream stream;
  stream.config = config;
  stream.clock = ByteClock(config.rate.value == 0 ? params_.port_rate : config.rate, 0);
  stream.due = config.start;
  stream.random =
      RandomStream(seed_, (std::uint64_t{endpoint_} << 16) | number, RandomPurpose::kSynthetic);
  return stream;
}

ReceivePath RawCore::receive_path() const {
  return {.head_delay = params_.rx_latency,
          .pfc_delay = params_.pfc_response,
          .target = target_,
          .frame_kind = kRxFrame,
          .pfc_kind = kPfc,
          .at_tail = true};
}

void RawCore::attach(const ReceivePath& path) { path_ = path; }

void RawCore::start() {
  for (Stream& stream : streams_) {
    stream.due = std::max(stream.due, wheel_.now());
    if (stream.config.arrivals == RawArrivals::kPoisson) schedule_next(stream);
    if (stream.due >= stream.config.stop) stream.due = kNever;
  }
  if (params_.pause_priorities != 0) {
    wheel_.post(std::max(params_.pause_start, wheel_.now()), target_, kPauseRefresh);
  }
  arm(wheel_.now());
}

void RawCore::send_now(const RawStream& config) {
  config.validate();
  Stream single = make_stream(config, 0xFFFF);
  single.config.frames = 1;
  single.due = wheel_.now();
  singles_.push_back(single);
  arm(wheel_.now());
}

void RawCore::send_pfc(std::uint8_t priorities, std::uint32_t quanta) {
  pending_pfc_.push_back({priorities, quanta});
  arm(wheel_.now());
}

void RawCore::handle(Event event) {
  switch (event.kind()) {
    case kRxFrame:
      return on_frame(event.argument, event.time);
    case kPfc:
      return on_pfc(event.argument, event.time);
    case kPauseRefresh:
      return on_pause_refresh(event.time);
    default:
      wakeups_.fired();
      return serve(event.time);
  }
}

void RawCore::serve(Ps now) {
  if (now >= free_at_ && !send_pending_pfc(now)) {
    Stream* stream = next_stream(now);
    if (stream != nullptr) send(*stream, now);
  }
  arm(now);
}

/// Takes the MAC for a frame; returns its serialisation time, preamble included.
Ps RawCore::occupy(std::uint32_t bytes, Ps now) {
  const Ps serialisation = clock_.peek(bytes + kPreambleBytes);
  free_at_ = now + clock_.take(bytes + kWireOverheadBytes);
  return serialisation;
}

bool RawCore::send_pending_pfc(Ps now) {
  if (pending_pfc_.empty()) return false;
  const PendingPfc pfc = pending_pfc_.front();
  pending_pfc_.erase(pending_pfc_.begin());
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = Packet{};
  packet.kind = PacketKind::kPfc;
  packet.source = endpoint_;
  packet.frame_bytes = kPfcFrameBytes;
  packet.pcp = pfc.priorities;
  packet.offset_bytes = pfc.quanta;
  tap_.frame(packet, now + params_.tx_latency);
  const Ps serialisation = occupy(kPfcFrameBytes, now);
  packet.tail = now + params_.tx_latency + path_.pfc_delay + serialisation;
  wheel_.post(packet.tail, path_.target, path_.pfc_kind, id);
  ++counters_.pfc_sent;
  return true;
}

/// The unpaused stream whose frame has been due longest; ties go to the lower number.
RawCore::Stream* RawCore::next_stream(Ps now) {
  Stream* best = nullptr;
  for (std::vector<Stream>* list : {&singles_, &streams_}) {
    for (Stream& stream : *list) {
      const auto priority = static_cast<std::uint8_t>(stream.config.priority);
      if (stream.due > now || pause_.paused(priority, now)) continue;
      if (best == nullptr || stream.due < best->due) best = &stream;
    }
  }
  return best;
}

void RawCore::send(Stream& stream, Ps now) {
  const RawStream& config = stream.config;
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = Packet{};
  packet.source = endpoint_;
  packet.destination = config.destination;
  packet.flow_hash = static_cast<std::uint32_t>(mix64(
      (std::uint64_t{endpoint_} << 32) ^ config.destination ^ (std::uint64_t{config.dscp} << 24)));
  packet.psn = static_cast<std::uint32_t>(stream.sent & 0xFFFFFF);
  packet.frame_bytes = static_cast<std::uint16_t>(frame_bytes(config));
  packet.ecn = static_cast<Ecn>(config.ecn);
  packet.ttl = static_cast<std::uint8_t>(config.ttl);
  packet.dscp = static_cast<std::uint8_t>(config.dscp);
  packet.pcp = static_cast<std::uint8_t>(config.priority);
  packet.flags = config.tagged ? packet_flag::kTagged : std::uint8_t{0};
  packet.hops = 1;
  packet.offset_bytes = stream.due.value;  // the receiver's latency counts from here
  tap_.frame(packet, now + params_.tx_latency);
  const Ps serialisation = occupy(packet.frame_bytes, now);
  const Ps head = now + params_.tx_latency + path_.head_delay;
  packet.tail = head + serialisation;
  wheel_.post(path_.at_tail ? packet.tail : head, path_.target, path_.frame_kind, id);
  ++counters_.tx_frames;
  counters_.tx_bytes += packet.frame_bytes;
  ++stream.sent;
  if (&stream >= singles_.data() && &stream < singles_.data() + singles_.size()) {
    singles_.erase(singles_.begin() + (&stream - singles_.data()));
  } else {
    schedule_next(stream);
  }
}

void RawCore::schedule_next(Stream& stream) {
  const RawStream& config = stream.config;
  const Ps interval = stream.clock.take(frame_bytes(config) + kWireOverheadBytes);
  if (config.arrivals == RawArrivals::kPoisson) {
    const double draw = -std::log1p(-stream.random.uniform());
    stream.due += Ps{static_cast<std::uint64_t>(draw * static_cast<double>(interval.value))};
  } else if (config.rate.value == 0) {
    stream.due = free_at_;  // line rate: always due
  } else {
    stream.due += interval;
  }
  const bool done = config.frames != 0 && stream.sent == config.frames;
  if (done || stream.due >= config.stop) stream.due = kNever;
}

void RawCore::arm(Ps now) {
  Ps next = pending_pfc_.empty() ? kNever : now;
  for (const std::vector<Stream>* list : {&singles_, &streams_}) {
    for (const Stream& stream : *list) {
      if (stream.due == kNever) continue;
      const auto priority = static_cast<std::uint8_t>(stream.config.priority);
      next = std::min(next, std::max(stream.due, pause_.paused_until(priority)));
    }
  }
  if (next == kNever) return;
  next = std::max({next, free_at_, now});
  if (wakeups_.request(next)) wheel_.post(next, target_, kWake);
}

void RawCore::on_frame(PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  if ((packet.flags & packet_flag::kCorrupt) != 0) {
    ++counters_.corrupt_drops;
    packets_.release(id);
    return;
  }
  ++counters_.rx_frames;
  counters_.rx_bytes += packet.frame_bytes;
  RawReceived& received = received_[packet.dscp];
  if (received.frames++ == 0) received.first = now;
  received.last = now;
  received.bytes += packet.frame_bytes;
  received.marked += packet.ecn == Ecn::kCe ? 1 : 0;
  if (packet.kind == PacketKind::kRaw) {
    const Ps latency = now - Ps{packet.offset_bytes};
    received.latency_min = std::min(received.latency_min, latency);
    received.latency_max = std::max(received.latency_max, latency);
    received.latency_sum += latency;
  }
  packets_.release(id);
}

void RawCore::on_pfc(PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  const auto quanta = static_cast<std::uint32_t>(packet.offset_bytes);
  ++(quanta == 0 ? counters_.xon_received : counters_.xoff_received);
  if (params_.obey_pfc) counters_.paused_ps += pause_.apply(packet.pcp, quanta, now).value;
  packets_.release(id);
  serve(now);
}

void RawCore::on_pause_refresh(Ps now) {
  const auto priorities = static_cast<std::uint8_t>(params_.pause_priorities);
  if (now >= params_.pause_release) {
    send_pfc(priorities, 0);
    return;
  }
  send_pfc(priorities, params_.pause_quanta);
  Ps refresh = params_.pause_refresh;
  if (refresh.value == 0) {
    // 512 bit times a quantum, refreshed at half.
    refresh = Ps{static_cast<std::uint64_t>(static_cast<__uint128_t>(params_.pause_quanta) * 256 *
                                            1'000'000'000'000ULL / params_.port_rate.value)};
  }
  wheel_.post(std::min(now + refresh, params_.pause_release), target_, kPauseRefresh);
}

std::vector<CounterField> raw_counter_fields() {
  using C = RawCounters;
  return {{"tx_frames", "frames", "frames sent", offsetof(C, tx_frames)},
          {"tx_bytes", "B", "bytes of those frames", offsetof(C, tx_bytes)},
          {"rx_frames", "frames", "frames received", offsetof(C, rx_frames)},
          {"rx_bytes", "B", "bytes of those frames", offsetof(C, rx_bytes)},
          {"corrupt_drops", "frames", "frames with a bad FCS", offsetof(C, corrupt_drops)},
          {"xoff_received", "frames", "PFC frames that pause", offsetof(C, xoff_received)},
          {"xon_received", "frames", "PFC frames that resume", offsetof(C, xon_received)},
          {"pfc_sent", "frames", "PFC frames sent", offsetof(C, pfc_sent)},
          {"paused_ps", "ps", "time paused, summed over priorities", offsetof(C, paused_ps)}};
}

void RawCore::register_counters(StatisticsRegistry& registry, const std::string& name) const {
  registry.add({"raw", [name](std::size_t) { return name; }, &counters_, 1, sizeof(RawCounters),
                raw_counter_fields()});
}

RawEndpoint::RawEndpoint(const sc_core::sc_module_name& module_name, const RawParams& params,
                         const RawContext& context)
    : sc_core::sc_module(module_name), tx("tx"), rx("rx"), core_(params, context) {
  rx(*this);
}

}  // namespace sluice
