// SPDX-License-Identifier: Apache-2.0
// The ingress arbiter in RTL, clock by clock as the C++ block.
#pragma once

#include <memory>

#include "rtl/harness/rtl_options.h"
#include "switch/pipe/ingress_arbiter.h"

namespace sluice::rtl {

class IngressArbiterTwin {
 public:
  static constexpr unsigned kLatency = 2;  ///< clocks from an empty port to the pipeline
  /// Those that the RTL is built with, once a policy.
  static IngressArbiterParams params(ArbiterPolicy policy);

  IngressArbiterTwin(ArbiterPolicy policy, const RtlOptions& options);
  ~IngressArbiterTwin();

  IngressArbiter::Outputs outputs() const;
  void clock(const IngressArbiter::Inputs& in);
  std::uint64_t cycle() const;

  class Rtl;

 private:
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
