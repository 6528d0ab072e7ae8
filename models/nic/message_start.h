// SPDX-License-Identifier: Apache-2.0
// What the requester asks of the NIC's host side: when the first packet of a message that was
// posted may be made. Implemented by pcie/host_side. Leaves out: the packets after it, which the
// transmitter holds back.
#pragma once

#include <cstdint>

#include "kernel/time.h"

namespace sluice {

class MessageStart {
 public:
  /// `doorbell`: when the doorbell has reached the send queue. `bytes`: what the message takes from
  /// the host's memory; 0 for one that only asks. `idle`: no QP of the NIC has anything to send.
  virtual Ps message_ready(std::uint32_t qp, std::uint64_t bytes, bool idle, Ps doorbell) = 0;

 protected:
  ~MessageStart() = default;
};

}  // namespace sluice
