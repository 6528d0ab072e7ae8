// SPDX-License-Identifier: Apache-2.0
// How long collectives take at least and what bandwidth that is: the alpha-beta formulas of Thakur
// et al., IJHPCA 2005, and busbw as nccl-tests defines it. Leaves out: contention and pipeline
// fill.
#pragma once

#include <cstdint>
#include <optional>

#include "workload/workload.h"

namespace sluice {

/// One NIC a rank, flat algorithm. The formulas ignore how `bytes` divides by `ranks`.
struct CollectiveCase {
  std::uint32_t ranks = 1;
  double bytes = 0;             ///< as nccl-tests defines size (Op::bytes)
  double bytes_per_second = 0;  ///< payload rate of a NIC
  double step_latency_seconds = 0;
};

/// Each in seconds; 0 for one rank.
double ring_all_reduce_seconds(const CollectiveCase& c);
double halving_doubling_all_reduce_seconds(const CollectiveCase& c);
/// Pipelined binary tree, up and down.
double tree_all_reduce_seconds(const CollectiveCase& c);
double ring_all_gather_seconds(const CollectiveCase& c);
double ring_reduce_scatter_seconds(const CollectiveCase& c);
/// No algorithm is faster: what a rank has to send over its own NIC.
double all_to_all_bound_seconds(const CollectiveCase& c);

/// busbw / algbw of nccl-tests; empty for one rank and for ops that move no bytes.
std::optional<double> busbw_factor(OpKind kind, std::uint32_t ranks);
/// Bytes per second: size over time, and that times the factor.
double algbw(double bytes, double seconds);
std::optional<double> busbw(OpKind kind, std::uint32_t ranks, double bytes, double seconds);

}  // namespace sluice
