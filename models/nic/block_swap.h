// SPDX-License-Identifier: Apache-2.0
// Where another implementation of a NIC's blocks (an RTL twin, a recorder) is put in place of the
// C++ one, at construction. Leaves out: any such implementation (rtl/).
#pragma once

#include <memory>

#include "kernel/block_place.h"
#include "nic/congestion/dcqcn.h"
#include "nic/rate_control.h"

namespace sluice {

class NicBlockSwap {
 public:
  virtual ~NicBlockSwap() = default;

  /// Takes the C++ block and gives back what the NIC uses.
  virtual std::unique_ptr<RateControl> dcqcn_rp(std::unique_ptr<Dcqcn> model,
                                                const DcqcnParams& params, BitsPerSecond line_rate,
                                                const BlockPlace& place) = 0;
};

}  // namespace sluice
