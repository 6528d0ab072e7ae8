// SPDX-License-Identifier: Apache-2.0
// The two faces between a NIC and the host above it: the host posts work requests, the NIC reports
// what became of them and what has arrived. All are called inside events: the caller's wheel.now()
// is the time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernel/bridge/sc_interfaces.h"
#include "nic/message.h"

namespace sluice {

/// One RDMA WRITE whose arrival the receiver notices. 0 bytes is legal: one packet without payload.
struct WriteRequest {
  std::uint32_t destination = 0;  ///< endpoint, global number; not the sender itself
  std::uint64_t bytes = 0;        ///< any size; the NIC splits at 2^31 B (IBTA 9.7.2 message limit)
  std::uint64_t cookie = 0;       ///< given back to the sender's host on completion
  std::array<std::uint32_t, 4> immediate{};  ///< given to the receiver's host on arrival
};

/// Any work request of a send queue. Above 2^31 B it becomes several messages and stays one
/// completion; the immediate travels with the last, and each of a SEND takes a receive request.
struct WorkRequest {
  std::uint32_t destination = 0;  ///< endpoint, global number; not the sender itself
  Operation op = Operation::kWrite;
  std::uint64_t bytes = 0;  ///< atomics: 8, whatever it says
  std::uint64_t cookie = 0;
  std::uint64_t remote_address = 0;
  std::uint64_t compare = 0;     ///< compare and swap
  std::uint64_t operand = 0;     ///< what to swap in, or to add
  std::uint32_t remote_key = 0;  ///< must be the other NIC's memory_key
  std::uint32_t immediate = 0;
};

/// How a work request ended (IBTA 11.6.2).
enum class CompletionStatus : std::uint8_t {
  kSuccess,
  kFlushed,           ///< its QP had failed before
  kRetryExceeded,     ///< no answer after retry_count repetitions
  kRnrRetryExceeded,  ///< the receiver was not ready after rnr_retry repetitions
  kRemoteInvalidRequest,
  kRemoteAccess,
  kRemoteOperational,
};
inline constexpr std::array<std::string_view, 7> kCompletionStatusNames{"success",
                                                                        "flushed",
                                                                        "retry_exceeded",
                                                                        "rnr_retry_exceeded",
                                                                        "remote_invalid_request",
                                                                        "remote_access_error",
                                                                        "remote_operational_error"};

/// A work request has ended.
struct Completion {
  std::uint64_t cookie = 0;
  std::uint32_t destination = 0;
  Operation op = Operation::kWrite;
  CompletionStatus status = CompletionStatus::kSuccess;
  std::uint64_t bytes = 0;
  std::uint64_t result = 0;  ///< of an atomic: the value found
};

/// A receive request has ended: a SEND, or a WRITE with immediate, has arrived whole.
struct Arrival {
  std::uint32_t source = 0;
  Operation op = Operation::kSend;
  std::uint64_t bytes = 0;
  std::uint32_t immediate = 0;  ///< where `op` has one
};

/// The NIC as its host sees it. What goes to one destination takes effect in the order posted.
class NicPosting : public virtual sc_core::sc_interface {
 public:
  virtual void post_write(const WriteRequest& request) = 0;
  virtual void post(const WorkRequest& request) = 0;
};

/// The host as its NIC sees it.
class NicClient : public virtual sc_core::sc_interface {
 public:
  /// The write of post_write() was acknowledged by the receiver.
  virtual void on_write_acked(std::uint64_t cookie) = 0;
  /// A write of post_write() at `source` has arrived whole and in order.
  virtual void on_write_received(std::uint32_t source, std::uint64_t bytes,
                                 const std::array<std::uint32_t, 4>& immediate) = 0;
  /// A work request of post() has ended; also from inside post() where its QP had failed.
  virtual void on_completion(const Completion& completion) { (void)completion; }
  virtual void on_arrival(const Arrival& arrival) { (void)arrival; }
  /// A QP has failed; its work requests end next, in order. A host that needs them all ends the run
  /// here: unless it says otherwise, a StallError with `reason`.
  virtual void on_qp_error(const std::string& reason);
};

}  // namespace sluice
