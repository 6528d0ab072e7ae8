// SPDX-License-Identifier: Apache-2.0
// The two faces between a NIC and the host above it: the host posts RDMA WRITEs, the NIC reports
// what was sent and what has arrived. Both are called inside events: the caller's wheel.now() is
// the time.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/bridge/sc_interfaces.h"

namespace sluice {

/// One RDMA WRITE with immediate. 0 bytes is legal: one packet without payload.
struct WriteRequest {
  std::uint32_t destination = 0;  ///< endpoint, global number; not the sender itself
  std::uint64_t bytes = 0;        ///< any size; the NIC splits at 2^31 B (IBTA 9.7.2 message limit)
  std::uint64_t cookie = 0;       ///< given back to the sender's host on completion
  std::array<std::uint32_t, 4> immediate{};  ///< given to the receiver's host on arrival
};

/// The NIC as its host sees it. Writes to one destination are delivered in the order posted.
class NicPosting : public virtual sc_core::sc_interface {
 public:
  virtual void post_write(const WriteRequest& request) = 0;
};

/// The host as its NIC sees it.
class NicClient : public virtual sc_core::sc_interface {
 public:
  /// The write was acknowledged by the receiver.
  virtual void on_write_acked(std::uint64_t cookie) = 0;
  /// A write from `source` has arrived whole and in order.
  virtual void on_write_received(std::uint32_t source, std::uint64_t bytes,
                                 const std::array<std::uint32_t, 4>& immediate) = 0;
};

}  // namespace sluice
