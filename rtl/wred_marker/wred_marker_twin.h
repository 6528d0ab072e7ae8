// SPDX-License-Identifier: Apache-2.0
// The WRED marker of a chip in RTL, behind the interface of the C++ block.
// Leaves out: requests back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>
#include <vector>

#include "rtl/harness/rtl_options.h"
#include "switch/ecn/ecn.h"

namespace sluice::rtl {

class WredMarkerTwin final : public EcnMarker {
 public:
  static constexpr unsigned kLatency = 3;  ///< clocks from request to response
  static constexpr std::size_t kMaxQueues = 2048;
  static constexpr std::size_t kMaxProfiles = 256;

  /// As make_ecn_marker. Throws ConfigError for more queues or profiles than the RTL has.
  WredMarkerTwin(const std::vector<EcnParams>& profiles,
                 const std::vector<std::uint8_t>& profile_of_queue, const RtlOptions& options);
  ~WredMarkerTwin() override;

  EcnAction decide(const EcnRequest& request) override;
  bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const override;
  std::uint32_t length(std::uint32_t queue) const override { return lengths_[queue]; }

  /// One clock with `request` at the input (null: none), for requests back to back; the answer that
  /// comes out in this clock, that of kLatency clocks ago.
  struct Answer {
    bool valid = false;
    EcnAction action = EcnAction::kForward;
    std::uint32_t length = 0;
  };
  Answer clock(const EcnRequest* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  void configure(const std::vector<EcnParams>& profiles,
                 const std::vector<std::uint8_t>& profile_of_queue);

  std::unique_ptr<Rtl> rtl_;
  std::unique_ptr<EcnMarker> shape_;  ///< whether a decision draws, which no state changes
  std::vector<std::uint32_t> lengths_;
};

}  // namespace sluice::rtl
