// SPDX-License-Identifier: Apache-2.0
// Where adaptive routing reads the load of an egress port: a view into counters that the chip keeps
// anyway. Leaves out: frames in the egress FIFO and on the wire.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/clock_rate.h"

namespace sluice {

/// Addresses of queue 0 of port 0; queues lie `queue_stride` bytes apart, all of port 0 first.
struct PortLoads {
  const std::uint8_t* ready = nullptr;  ///< mask of queues that hold something
  std::size_t ready_stride = 0;         ///< from port to port
  const std::uint32_t* queued_bytes = nullptr;
  const std::uint64_t* sent_bytes = nullptr;
  const std::uint64_t* sent_frames = nullptr;
  std::size_t queue_stride = 0;
  std::uint32_t queues = 8;  ///< of a port

  std::uint64_t queued(std::uint32_t port) const {
    std::uint64_t sum = 0;
    for (std::uint32_t mask = ready[port * ready_stride]; mask != 0; mask &= mask - 1) {
      sum += *at(queued_bytes, port, static_cast<std::uint32_t>(__builtin_ctz(mask)));
    }
    return sum;
  }
  /// Frame bytes sent since the start.
  std::uint64_t sent(std::uint32_t port) const { return total(sent_bytes, port); }
  /// Frames sent since the start.
  std::uint64_t frames(std::uint32_t port) const { return total(sent_frames, port); }

 private:
  template <class T>
  const T* at(const T* base, std::uint32_t port, std::uint32_t queue) const {
    const auto* bytes = reinterpret_cast<const std::byte*>(base);
    return reinterpret_cast<const T*>(bytes + (std::size_t{port} * queues + queue) * queue_stride);
  }
  std::uint64_t total(const std::uint64_t* base, std::uint32_t port) const {
    std::uint64_t sum = 0;
    for (std::uint32_t queue = 0; queue < queues; ++queue) sum += *at(base, port, queue);
    return sum;
  }
};

}  // namespace sluice
