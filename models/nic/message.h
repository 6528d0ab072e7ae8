// SPDX-License-Identifier: Apache-2.0
// Messages (work requests of at most 2^31 bytes) and the process-wide pool they live in. A message
// is a 32-bit handle; the last packet carries it, so that the receiver can hand over the immediate.
// Leaves out: the bytes themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

using MessageId = std::uint32_t;
inline constexpr MessageId kNoMessage = UINT32_MAX;

/// Largest message of a work request (IBTA 9.7.2); a longer write becomes several.
inline constexpr std::uint64_t kMaxMessageBytes = std::uint64_t{1} << 31;

/// What a message asks of the other end (IBTA 9.4).
enum class Operation : std::uint8_t {
  kWrite,
  kWriteImmediate,
  kSend,
  kSendImmediate,
  kRead,
  kCompareSwap,
  kFetchAdd,
};
constexpr bool is_atomic(Operation op) {
  return op == Operation::kCompareSwap || op == Operation::kFetchAdd;
}
/// Answered with data, not with an ACK alone.
constexpr bool wants_response(Operation op) { return op == Operation::kRead || is_atomic(op); }
constexpr bool is_send(Operation op) {
  return op == Operation::kSend || op == Operation::kSendImmediate;
}
/// Uses up a receive request of the other end.
constexpr bool takes_receive(Operation op) {
  return is_send(op) || op == Operation::kWriteImmediate;
}

struct alignas(64) Message {
  std::uint64_t cookie = 0;
  std::uint64_t bytes = 0;        ///< of this work request
  std::uint64_t write_bytes = 0;  ///< of the host's write it belongs to; equal unless it was split
  Ps ready{};                     ///< when its first packet may go to the MAC
  std::array<std::uint32_t, 4> immediate{};
  std::uint32_t first_psn = 0;
  std::uint32_t packets = 0;
  MessageId next = kNoMessage;  ///< later message of the same QP, or link in the free list
  bool reports = true;          ///< last part of the host's write: tell the hosts
  Operation op = Operation::kWrite;
  bool verb = false;  ///< a work request of its own: the sender's host gets its status
};
static_assert(sizeof(Message) == 64);

/// What only work requests other than the host's plain writes need of a message.
struct MessageDetail {
  std::uint64_t remote_address = 0;  ///< of its first byte
  std::uint64_t compare = 0;         ///< compare and swap
  std::uint64_t operand = 0;         ///< what to swap in, or to add
  std::uint64_t result = 0;          ///< atomics, once answered: the value found
  std::uint32_t remote_key = 0;
  std::uint32_t ssn = 0;  ///< send sequence number, 24 bits: the MSN that completes it
};

/// Packets of a message: ceil(bytes / mtu), one when it is empty.
constexpr std::uint64_t packets_of(std::uint64_t bytes, std::uint32_t mtu_bytes) {
  return bytes == 0 ? 1 : (bytes + mtu_bytes - 1) / mtu_bytes;
}
/// Work requests that a write of `bytes` becomes.
constexpr std::uint64_t work_requests_of(std::uint64_t bytes) {
  return bytes == 0 ? 1 : (bytes + kMaxMessageBytes - 1) / kMaxMessageBytes;
}

/// Handles stay valid until released; a reference only until the next allocate().
class MessagePool {
 public:
  MessageId allocate() {
    if (free_ == kNoMessage) return grow();
    const MessageId id = free_;
    free_ = messages_[id].next;
    ++live_;
    return id;
  }
  void release(MessageId id) {
    messages_[id].next = free_;
    free_ = id;
    --live_;
  }
  /// A handle that was given out at some time.
  bool has(MessageId id) const { return id < messages_.size(); }
  MessageDetail& detail(MessageId id) { return details_[id]; }
  const MessageDetail& detail(MessageId id) const { return details_[id]; }
  Message& operator[](MessageId id) { return messages_[id]; }
  const Message& operator[](MessageId id) const { return messages_[id]; }

  std::size_t live() const { return live_; }
  /// Heap allocations made so far; stays constant in steady state.
  std::uint64_t allocations() const { return allocations_; }

 private:
  MessageId grow();

  std::vector<Message> messages_;
  std::vector<MessageDetail> details_;  ///< of the same handles
  MessageId free_ = kNoMessage;
  std::size_t live_ = 0;
  std::uint64_t allocations_ = 0;
};

}  // namespace sluice
