// SPDX-License-Identifier: Apache-2.0
// How good an egress port is, as a small number: 0 is the best. Two kinds: averaged loads in
// quality bands (DLB), grades by queue depth and utilisation (AR). Leaves out: who looks when.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "switch/routing/adaptive_params.h"
#include "switch/routing/port_loads.h"

namespace sluice {

class PortMeter {
 public:
  virtual ~PortMeter() = default;

  /// 0 .. grades() - 1 of a port, now.
  virtual std::uint32_t grade(std::uint32_t port) const = 0;
  virtual std::uint32_t grades() const = 0;
  /// Time between samples.
  virtual Ps interval() const = 0;
  /// Takes a sample of `port`, one interval after the last; true when nothing was sent in between.
  virtual bool sample(std::uint32_t port) = 0;
  /// What `intervals` samples do to a port that sends nothing and holds what it holds now.
  virtual void rest(std::uint32_t port, std::uint64_t intervals) = 0;
};

/// `rates`: one a port.
std::unique_ptr<PortMeter> make_dlb_meter(const DlbParams& params, const PortLoads& loads,
                                          const std::vector<BitsPerSecond>& rates);
std::unique_ptr<PortMeter> make_ar_meter(const ArParams& params, const PortLoads& loads,
                                         const std::vector<BitsPerSecond>& rates);

}  // namespace sluice
