// SPDX-License-Identifier: Apache-2.0
// Makers of the algorithms, one file each. Leaves out: choosing among them (collective.h).
#pragma once

#include <memory>

#include "collective/collective.h"

namespace sluice {

/// All-gather, reduce-scatter: n - 1 steps; all-reduce: 2 (n - 1). The chunk of step s + 1 is sent
/// when that of step s has arrived. Empty chunks cost no message; both sides know which they are.
std::unique_ptr<const CollectiveAlgorithm> make_ring();
/// Broadcast from the root along the ring, reduce along the ring into the root, in slices; a slice
/// is passed on when it has arrived, and the first rank keeps `window` of them unacknowledged.
std::unique_ptr<const CollectiveAlgorithm> make_chain(Bytes slice, std::uint32_t window);
/// Gather: each member writes its share to the root at once. Scatter: the root writes to `window`
/// members at a time.
std::unique_ptr<const CollectiveAlgorithm> make_star(std::uint32_t window);
/// All-to-all: member i writes to i + 1, i + 2, …, `window` at a time.
std::unique_ptr<const CollectiveAlgorithm> make_pairwise(std::uint32_t window);
/// Barrier: in round k an empty write to member i + 2^k, ceil(log2 n) rounds (Hensgen et al. 1988).
std::unique_ptr<const CollectiveAlgorithm> make_dissemination();

}  // namespace sluice
