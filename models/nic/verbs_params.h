// SPDX-License-Identifier: Apache-2.0
// Parameters of the verbs beside WRITE: receive requests, RNR NAK, credits, READs and atomics, and
// the memory that others may reach. Leaves out: timers and PSNs, which all verbs share (NicParams).
#pragma once

#include <cstdint>

#include "kernel/parameter.h"
#include "kernel/time.h"

namespace sluice {

struct VerbsParams {
  std::uint32_t outstanding_reads = 16;  ///< READs and atomics of a QP that wait for their answers
  Ps read_latency = 600_ns;              ///< host memory read before the first byte of an answer
  std::uint32_t rnr_retry = 7;           ///< RNR NAKs without progress before the QP fails; 7: any
  std::uint32_t min_rnr_timer = 12;      ///< code of the pause that an RNR NAK asks for
  std::uint32_t receive_queue_depth =
      0;                              ///< receive requests that the host keeps posted; 0: enough
  bool receive_queue_shared = false;  ///< one queue for all QPs of the NIC
  Ps receive_repost_delay{};          ///< from the use of one to the next in its place
  Bytes receive_buffer_bytes{0};      ///< longest SEND that fits; 0: any
  bool end_to_end_credits = false;    ///< ACKs tell of receive requests, and SENDs keep to them
  Bytes memory_bytes{0};              ///< region others may reach, from address 0; 0: all
  std::uint32_t memory_key = 0;       ///< key that goes with it
  std::uint64_t memory_error_at = 0;  ///< address of a byte that cannot be read; 0: none

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

}  // namespace sluice
