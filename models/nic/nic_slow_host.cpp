// SPDX-License-Identifier: Apache-2.0
// A NIC whose host takes data slowly: frames with payload wait in a receive buffer, and the NIC
// pauses the network while that is too full. Leaves out: why the host is slow.
#include <algorithm>

#include "nic/nic_core.h"
#include "packet/serialisation.h"

namespace sluice {
namespace {

bool carries_payload(PacketKind kind) {
  return kind == PacketKind::kWriteData || kind == PacketKind::kUdSend ||
         kind == PacketKind::kSendData || kind == PacketKind::kReadResponse;
}

}  // namespace

NicCore::SlowSide NicCore::slow_side(const NicParams& params) {
  return {RxBuffer({.drain_rate = params.rx_limited() ? params.drain_rate() : params.port_rate,
                    .gap_bytes = params.inter_packet_gap_bytes,
                    .capacity_bytes = params.rx_buffer_bytes.value,
                    .xoff_bytes = params.rx_xoff_bytes.value,
                    .xon_bytes = params.rx_xon_bytes.value}),
          PauseSender(params.port_rate, static_cast<std::uint8_t>(params.data_priority)),
          {}};
}

/// A frame has passed the PHY.
void NicCore::on_arrival(std::uint32_t index, PacketId id, Ps now) {
  const Packet& packet = packets_[id];
  const bool corrupt = (packet.flags & packet_flag::kCorrupt) != 0;
  if (!carries_payload(packet.kind) || corrupt || packet.destination != endpoint_) {
    const Ps processed = now + params_.rx_processing_latency + params_.pcie_write_latency;
    wheel_.post(processed, first_target_ + index, kRxBypass, id);
    return;
  }
  SlowSide& side = slow_[index];
  NicPortCounters& counters = port_counters_[index];
  if (!side.buffer.push(packets_, id)) {
    ++counters.rx_frames;
    counters.rx_bytes += packet.frame_bytes;
    ++counters.rx_overflow_drops;
    packets_.release(id);
    return;
  }
  counters.rx_buffer_peak_bytes = side.buffer.peak_bytes();
  if (side.buffer.just_one()) start_drain(index, now);
  if (side.buffer.above_xoff() && !side.pause.stopped()) {
    side.pause.stop();
    pause_changed(index, now);
  }
}

void NicCore::start_drain(std::uint32_t index, Ps now) {
  RxBuffer& buffer = slow_[index].buffer;
  Ps done = now;
  if (params_.rx_limited()) {
    const Ps time = buffer.drain_time(packets_);
    if (time == kNever) return;
    done += time;
  }
  if (host_side_) {
    const Packet& head = packets_[buffer.head()];
    const std::uint64_t flow = (std::uint64_t{head.source} << 32) | head.flow;
    const Ps written =
        host_side_->payload_received(flow, head.offset_bytes, head.payload_bytes, now);
    // Frames leave one by one, those without payload too.
    done = std::max({done, written, now + Ps{1}});
  }
  wheel_.post(done, first_target_ + index, kRxDrained);
}

void NicCore::on_drained(std::uint32_t index, Ps now) {
  SlowSide& side = slow_[index];
  const PacketId id = side.buffer.pop(packets_);
  const Ps processed = now + params_.rx_processing_latency + params_.pcie_write_latency;
  wheel_.post(processed, first_target_ + index, kRxFrame, id);
  if (!side.buffer.empty()) start_drain(index, now);
  if (side.pause.stopped() && side.buffer.at_or_below_xon()) {
    side.pause.go_on();
    pause_changed(index, now);
  }
}

void NicCore::on_pause_refresh(std::uint32_t index, Ps now) {
  if (slow_[index].pause.refresh(now)) pause_changed(index, now);
}

void NicCore::pause_changed(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  port.control = static_cast<std::uint8_t>(port.control & ~kPfcWaits);
  if (slow_[index].pause.pending()) port.control |= kPfcWaits;
  serve(index, now);
}

/// The PFC frame takes the MAC now, ahead of everything else.
void NicCore::send_pause(std::uint32_t index, Ps now) {
  Port& port = ports_[index];
  SlowSide& side = slow_[index];
  const PacketId id = packets_.allocate();
  Packet& packet = packets_[id];
  packet = Packet{};
  packet.kind = PacketKind::kPfc;
  packet.source = endpoint_;
  packet.frame_bytes = kPfcFrameBytes;
  packet.pcp = side.pause.class_enable();
  packet.offset_bytes = side.pause.take(now);
  port.control = static_cast<std::uint8_t>(port.control & ~kPfcWaits);
  ++(packet.offset_bytes != 0 ? port_counters_[index].xoff_sent : port_counters_[index].xon_sent);
  show_tap(index, id, now);
  packet.tail = now + params_.tx_phy_latency + side.peer.pfc_delay +
                port.clock.peek(kPfcFrameBytes + kPreambleBytes);
  wheel_.post(packet.tail, side.peer.target, side.peer.pfc_kind, id);
  port.free_at =
      now + port.clock.take(kPfcFrameBytes + kPreambleBytes + params_.inter_packet_gap_bytes);
  const Ps refresh = side.pause.refresh_due();
  if (refresh != kNever) wheel_.post(refresh, first_target_ + index, kPauseRefresh);
}

}  // namespace sluice
