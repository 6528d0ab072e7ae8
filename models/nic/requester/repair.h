// SPDX-License-Identifier: Apache-2.0
// What one QP has to send again, packet by packet: a bitmap of missing packets, and those that were
// repeated and are not acknowledged yet. Leaves out: go-back-N, which repeats everything from a
// PSN.
//
// A NIC that keeps packets ahead of their turn tells more than a PSN in Packet::offset_bytes:
//   ACK: bits 63..40 the PSN it answers, bits 39..0 which packets from the ACK's PSN + 1 on have
//        come (bit 0 never set);
//   NAK: bit i asks for the NAK's PSN + i.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "nic/psn.h"

namespace sluice {

class Repairs {
 public:
  static constexpr std::uint32_t kSackBits = 40;

  bool wanted() const { return missing_count_ != 0; }
  /// `psn` is to be sent again, unless that is so already. `window` as in missing().
  void want(std::uint32_t window, std::uint32_t psn);
  /// The first missing packet from `oldest` on, taken off the list; `next_psn` is the first PSN
  /// that has not been sent yet.
  std::uint32_t take(std::uint32_t window, std::uint32_t oldest, std::uint32_t next_psn);
  /// What was taken is sent again: one packet, or a READ that asks for so many.
  void note(std::uint32_t psn, std::uint32_t packets, std::uint32_t next_psn);
  /// Everything from `psn` up to `end` will be sent again anyway.
  void forget_from(std::uint32_t window, std::uint32_t psn, std::uint32_t end);
  /// Everything before `oldest` was acknowledged.
  void forget_before(std::uint32_t window, std::uint32_t previous_oldest, std::uint32_t oldest);
  /// Whether it is to be sent again: a power of two of PSNs from the oldest unacknowledged on.
  bool missing(std::uint32_t window, std::uint32_t psn) const;
  /// PSN from which on packets were sent after `psn` was sent last.
  std::uint32_t sent_before(std::uint32_t psn) const;
  /// It was sent again and is not acknowledged.
  bool repeated(std::uint32_t psn) const {
    return std::any_of(repeated_.begin(), repeated_.end(),
                       [psn](const Repeated& entry) { return entry.covers(psn); });
  }
  /// Calls `lost(psn, packets)` for what was sent again, and overtaken by an answer to `cause`.
  template <class Function>
  void overtaken(std::uint32_t cause, std::uint32_t reorder_packets, Function lost) const {
    for (const Repeated& entry : repeated_) {
      if (psn_at_or_after(cause, psn_add(entry.next_psn, reorder_packets - 1))) {
        lost(entry.psn, entry.packets);
      }
    }
  }

  /// A timeout: nothing is known of the packets up to `end`; they are repeated one, two, four, … at
  /// a time as ACKs show how far the responder is.
  void begin_recovery(std::uint32_t end) {
    recovery_end_ = end;
    recovery_batch_ = 1;
  }
  bool recovering() const { return recovery_batch_ != 0; }
  std::uint32_t recovery_end() const { return recovery_end_; }
  /// Packets of the next batch.
  std::uint32_t next_batch() { return recovery_batch_ *= 2; }
  void end_recovery() { recovery_batch_ = 0; }

 private:
  struct Repeated {
    std::uint32_t psn;
    std::uint32_t packets;
    std::uint32_t next_psn;  ///< packets from here on were sent after it
    bool covers(std::uint32_t other) const { return psn_distance(other, psn) < packets; }
  };

  std::vector<std::uint64_t> missing_;  ///< PSN modulo the window; made at the first loss
  std::vector<Repeated> repeated_;
  std::uint32_t missing_count_ = 0;
  std::uint32_t recovery_end_ = 0;
  std::uint32_t recovery_batch_ = 0;
};

}  // namespace sluice
