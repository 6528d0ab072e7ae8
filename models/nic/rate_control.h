// SPDX-License-Identifier: Apache-2.0
// What the requester asks of a congestion control: when a limited flow may send next. A flow is one
// QP on one plane (QP * planes + plane); one that is not limited costs it nothing. Implemented by
// congestion/ and by an RTL twin.
#pragma once

#include <cstdint>

#include "kernel/time.h"

namespace sluice {

class RateControl {
 public:
  struct Pace {
    Ps interval{};         ///< from the start of this frame to that of the flow's next
    bool limited = false;  ///< false: back at line rate, ask no more until told of congestion
    Ps not_before{};       ///< nor does the next start earlier than this
  };

  virtual ~RateControl() = default;
  /// Adds the next flow, numbered from 0. True when it is limited from the start.
  virtual bool add_flow() = 0;
  /// A CNP for `flow` took effect. True when the flow is limited from now on.
  virtual bool on_cnp(std::uint32_t flow, Ps now) = 0;
  /// A probe of `flow` was answered: `rtt` is its time on the way, ends' processing aside. True
  /// when the flow is limited from now on.
  virtual bool on_rtt(std::uint32_t flow, Ps rtt, Ps now) = 0;
  /// A frame of `wire_bytes`, preamble and gap included, of a limited flow began at `start`.
  virtual Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) = 0;
};

/// No congestion control: neither a CNP nor a round-trip time changes anything.
class NoRateControl final : public RateControl {
 public:
  bool add_flow() override { return false; }
  bool on_cnp(std::uint32_t, Ps) override { return false; }
  bool on_rtt(std::uint32_t, Ps, Ps) override { return false; }
  Pace on_sent(std::uint32_t, std::uint32_t, Ps) override { return {}; }
};

}  // namespace sluice
