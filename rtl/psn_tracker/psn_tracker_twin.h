// SPDX-License-Identifier: Apache-2.0
// The packet trackers of a NIC's flows in RTL, behind the interface of a bank of trackers.
// Leaves out: requests back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>

#include "nic/responder/psn_tracker_bank.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

class PsnTrackerTwin final : public PsnTrackerBank {
 public:
  static constexpr unsigned kLatency = 3;  ///< clocks from request to response
  static constexpr std::uint32_t kMaxQps = 256;
  static constexpr std::uint32_t kMaxWindow = 1024;

  enum class Op : std::uint8_t { kAdd, kPacket, kGoBack, kSilence };
  struct Request {
    Op op = Op::kPacket;
    std::uint32_t flow = 0;
    std::uint32_t psn = 0;
    std::uint32_t span = 1;  ///< kPacket
  };
  struct Answer {
    bool valid = false;
    PsnTracker::Decision decision;
    std::uint32_t came = 0;  ///< kGoBack
    PsnTracker::View view;
    std::uint32_t kept = 0;
    std::uint32_t judged = 0;
  };

  /// Throws ConfigError for a window that the RTL has no bits for.
  PsnTrackerTwin(const PsnTrackerConfig& config, const RtlOptions& options);
  ~PsnTrackerTwin() override;

  /// Throws ConfigError for more flows than the RTL has.
  void add_flow(std::uint32_t first_psn) override;
  PsnTracker::Decision on_packet(std::uint32_t flow, std::uint32_t psn,
                                 std::uint32_t span) override;
  std::uint32_t go_back(std::uint32_t flow, std::uint32_t psn) override;
  void silence(std::uint32_t flow) override;
  PsnTracker::View view() const override { return last_.view; }

  const Answer& ask(const Request& request);
  /// One clock with `request` at the input (null: none); the answer that comes out in this clock,
  /// that of kLatency clocks ago.
  Answer clock(const Request* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
  std::uint32_t flows_ = 0;
  Answer last_;
};

}  // namespace sluice::rtl
