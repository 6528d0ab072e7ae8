// SPDX-License-Identifier: Apache-2.0
// A token bucket a flow, which is a QP on a plane, around whatever congestion control there is: the
// slower of both decides. Counts bytes on the wire, preamble and gap included. Leaves out: limits
// of single QPs; all QPs of a NIC have the same.
#pragma once

#include <memory>
#include <vector>

#include "kernel/clock_rate.h"
#include "nic/rate_control.h"

namespace sluice {

class QpRateLimiter final : public RateControl {
 public:
  struct Config {
    BitsPerSecond rate{};
    std::uint32_t burst_bytes = 0;  ///< the bucket's depth; a frame may start while it owes nothing
  };
  QpRateLimiter(const Config& config, std::unique_ptr<RateControl> inner);

  bool add_flow() override;
  bool on_cnp(std::uint32_t flow, Ps now) override;
  bool on_rtt(std::uint32_t flow, Ps rtt, Ps now) override;
  Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) override;

 private:
  struct Flow {
    Ps full{};                    ///< when the bucket is full again, rounded down …
    std::uint64_t remainder = 0;  ///< … by this part of a picosecond, over the rate
    bool inner_limited = false;
  };

  Config config_;
  Ps depth_;  ///< time to fill the bucket
  std::unique_ptr<RateControl> inner_;
  std::vector<Flow> flows_;
};

}  // namespace sluice
