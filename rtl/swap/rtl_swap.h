// SPDX-License-Identifier: Apache-2.0
// Which blocks of which chips and NICs the RTL stands in for, as the command line says.
// Leaves out: the blocks (rtl/<block>/).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rtl/swap/watch.h"

namespace sluice::rtl {

struct SwapRequest {
  std::vector<std::string> blocks;  ///< in RTL
  std::string scope;                ///< one chip or NIC by name ("leaf0"); empty: all
  bool compare = false;
  std::string fault_block;  ///< fault placed by hand in that block
  int fault = 0;
  std::string record;  ///< directory for the requests of the blocks; empty: none
  std::uint64_t seed = 1;
};

class RtlSwap final : public SwitchBlockSwap {
 public:
  /// Throws ConfigError for a name that is no block, listing those that are.
  explicit RtlSwap(SwapRequest request);

  std::unique_ptr<EcnMarker> wred_marker(std::unique_ptr<EcnMarker> model,
                                         const std::vector<EcnParams>& profiles,
                                         const std::vector<std::uint8_t>& profile_of_queue,
                                         const BlockPlace& place) override;

  std::unique_ptr<EcmpHash> ecmp_hash(std::unique_ptr<EcmpHash> model, const RoutingParams& params,
                                      const BlockPlace& place) override;
  std::unique_ptr<AdaptiveSelector> ar_select(std::unique_ptr<AdaptiveSelector> model,
                                              const BlockPlace& place) override;

  /// Throws ConfigError when `scope` named nothing.
  void check_used() const;

  /// Blocks that a fabric can have in RTL.
  static const std::vector<std::string_view>& blocks();

 private:
  /// How `block` at `place` is done; nothing special: neither rtl nor a record.
  SwapMode mode(std::string_view block, const BlockPlace& place);

  SwapRequest request_;
  std::uint64_t instances_ = 0;
};

}  // namespace sluice::rtl
