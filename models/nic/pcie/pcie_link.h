// SPDX-License-Identifier: Apache-2.0
// A PCI Express link in arithmetic: what a transfer costs in link bytes, what credits and
// outstanding reads allow, and a server for each direction. Leaves out: single TLPs, the data link
// layer.
#pragma once

#include <cstdint>

#include "kernel/time.h"
#include "nic/pcie/pcie_params.h"

namespace sluice {

/// Rates in picoseconds a byte keep this many fraction bits.
inline constexpr unsigned kPcieFractionBits = 24;

/// One direction, busy until some time. Exact to 2^-24 ps.
class PcieServer {
 public:
  /// Occupies the server for `bytes` at `ps_per_byte` (Q40.24) from `now` on, or from when it is
  /// free; returns when it is done, rounded up. `ahead`: what it may have done before `now`.
  Ps take(std::uint64_t bytes, std::uint64_t ps_per_byte, Ps now, Ps ahead = Ps{0});
  /// Nothing has been done ahead of `now`.
  void start_at(Ps now);

 private:
  __uint128_t free_at_ = 0;  // Q.24 ps
};

class PcieLink {
 public:
  explicit PcieLink(const PcieParams& params);

  /// Link bytes of one direction: `lanes` at 32 or 64 GT/s, coding taken off (PCIe 6.0 table 8-1).
  double bytes_per_second() const { return bytes_per_second_; }
  /// Payload rate of full TLPs (golden G1-41, G1-42), credits and latencies aside.
  double payload_bytes_per_second() const;
  /// Link bytes of TLPs that carry `payload` bytes; none for 0.
  std::uint64_t tlp_bytes(std::uint64_t payload) const;
  /// Payload rates of reads and posted writes with what may be outstanding.
  double read_bytes_per_second() const;
  double write_bytes_per_second() const;

  /// `payload` bytes from the host, their first asked for long before `now`: when the last is here.
  Ps read(std::uint64_t payload, Ps now);
  /// The reads of a NIC that had nothing to send begin at `now`.
  void begin_reading(Ps now) { reads_.start_at(now); }
  /// `payload` bytes to the host, there when this and what was written before have left.
  Ps write(std::uint64_t payload, Ps now);

 private:
  std::uint64_t header_bytes_;
  std::uint64_t max_payload_;
  std::uint64_t read_request_;
  double bytes_per_second_;
  double outstanding_reads_per_second_;  // payload bytes a second that their number allows
  double credits_per_second_;            // TLPs a second that posted credits allow
  std::uint64_t ps_per_byte_;            // Q40.24, of the link
  std::uint64_t ps_per_read_byte_;       // Q40.24, of payload, as outstanding reads allow
  std::uint64_t ps_per_posted_tlp_;      // Q40.24, as credits allow
  Ps ahead_;                             // time that prefetch_bytes take
  PcieServer reads_;
  PcieServer writes_;
  PcieServer credits_;
  PcieServer tags_;
};

}  // namespace sluice
