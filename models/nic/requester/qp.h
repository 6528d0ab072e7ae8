// SPDX-License-Identifier: Apache-2.0
// State of one reliable-connection QP at its sending end: a hot cache line that every packet
// touches and a cold record for acknowledgements, timeouts and the message list. One QP a
// destination.
#pragma once

#include <cstdint>

#include "kernel/time.h"
#include "nic/message.h"

namespace sluice {

inline constexpr std::uint32_t kNoQp = UINT32_MAX;

enum class QpState : std::uint8_t {
  kIdle,     ///< nothing to send
  kReady,    ///< in its port's ring
  kWaiting,  ///< in its port's heap until next_send
  kBlocked,  ///< the window is full; an ACK makes it ready
};

/// How the next packet of a QP is made.
enum class QpPath : std::uint8_t {
  kWrites,     ///< of a WRITE without immediate
  kVerbs,      ///< of any other work request
  kResponses,  ///< not a QP of its own but the answers to another endpoint's READs and atomics
};

struct alignas(64) QpHot {
  std::uint32_t ring_next = kNoQp;
  std::uint32_t next_psn = 0;
  std::uint32_t una_psn = 0;       ///< oldest unacknowledged
  MessageId message = kNoMessage;  ///< holds the next packet to send
  std::uint32_t packets_left = 0;  ///< of that message
  std::uint32_t resend_left = 0;   ///< packets from next_psn on that were sent before
  std::uint32_t destination = 0;
  std::uint32_t flow_hash = 0;
  std::uint64_t offset_bytes = 0;  ///< of the next packet in its message
  Ps next_send{};                  ///< not before: pacing, or the message's doorbell
  Ps deadline = kNever;            ///< of the acknowledgement timer
  std::uint16_t until_ack_request = 0;
  /// So many packets from next_psn on need no look at anything: inside their message, no AckReq,
  /// not sent before, inside the window, not limited. 0 whenever that may have changed.
  std::uint16_t plain_left = 0;
  QpState state = QpState::kIdle;
  std::uint8_t port = 0;
  bool limited = false;      ///< congestion control paces it
  bool repairs : 1 = false;  ///< single packets are to be sent again
  QpPath path : 2 = QpPath::kWrites;
};
static_assert(sizeof(QpHot) == 64);

struct QpCold {
  MessageId first_message = kNoMessage;  ///< oldest unacknowledged
  MessageId last_message = kNoMessage;
  std::uint32_t tail_psn = 0;         ///< first PSN of the next message posted
  std::uint32_t ack_request_psn = 0;  ///< last PSN sent with AckReq
  Ps ack_request_time{};              ///< when that packet began
  std::uint16_t retries = 0;          ///< timeouts since the last progress
  std::uint16_t rnr_retries = 0;      ///< RNR NAKs, likewise
  bool in_timer_heap = false;
  bool failed = false;  ///< error state: everything posted is flushed
  bool flushing = false;
  bool credits_known = true;               ///< false: the other end sets no limit by `last_ssn`
  std::uint32_t responses_due = 0;         ///< READs and atomics sent and not answered in full
  std::uint32_t implied_nak = UINT32_MAX;  ///< PSN of a lost response that was asked for again
  std::uint32_t next_ssn = 1;
  std::uint32_t last_ssn = 0;  ///< LSN: the other end has receive requests up to this message
  std::uint32_t draws = 0;     ///< of timeouts
  Ps ack_timeout = kNever;     ///< of this QP, until it runs out
};

}  // namespace sluice
