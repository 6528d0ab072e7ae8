// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/rx_buffer.h"

#include <algorithm>

#include "packet/serialisation.h"

namespace sluice {

bool RxBuffer::push(PacketPool& packets, PacketId id) {
  const std::uint64_t filled = bytes_ + packets[id].frame_bytes;
  if (filled > config_.capacity_bytes) return false;
  bytes_ = filled;
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  if (head_ == kNoPacket) {
    head_ = id;
  } else {
    packets[tail_].next = id;
  }
  tail_ = id;
  return true;
}

PacketId RxBuffer::pop(PacketPool& packets) {
  const PacketId id = head_;
  head_ = id == tail_ ? kNoPacket : packets[id].next;
  bytes_ -= packets[id].frame_bytes;
  return id;
}

Ps RxBuffer::drain_time(const PacketPool& packets) {
  if (stalled_) return kNever;
  return clock_.take(wire_bytes(packets[head_].frame_bytes, config_.gap_bytes));
}

}  // namespace sluice
