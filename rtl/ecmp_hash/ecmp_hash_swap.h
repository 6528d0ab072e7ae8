// SPDX-License-Identifier: Apache-2.0
// The ECMP hash in a running chip: RTL in its place, the model beside it, its requests recorded.
#pragma once

#include <memory>

#include "rtl/swap/watch.h"
#include "switch/routing/ecmp_hash.h"
#include "switch/routing/routing_params.h"

namespace sluice::rtl {

std::unique_ptr<EcmpHash> swap_ecmp_hash(std::unique_ptr<EcmpHash> model,
                                         const RoutingParams& params, const BlockPlace& place,
                                         const SwapMode& mode);

}  // namespace sluice::rtl
