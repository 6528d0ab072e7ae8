// SPDX-License-Identifier: Apache-2.0
// Workloads made from a few numbers instead of a trace: permutation, incast, all-reduce,
// all-to-all. Leaves out: raw frames, datagrams and work requests (types raw, ud, verbs), which do
// not pass through ranks; their workload has no ops.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernel/parameter.h"
#include "workload/workload.h"

namespace sluice {

enum class SyntheticType : std::uint8_t {
  kNone,
  kPermutation,
  kIncast,
  kAllReduce,
  kAllToAll,
  kRaw,
  kUd,
  kVerbs,
};
inline constexpr std::array<std::string_view, 8> kSyntheticTypeNames{
    "none", "permutation", "incast", "all_reduce", "all_to_all", "raw", "ud", "verbs"};

enum class RingOrder : std::uint8_t { kLinear, kRandom };
inline constexpr std::array<std::string_view, 2> kRingOrderNames{"linear", "random"};

struct SyntheticParams {
  SyntheticType type = SyntheticType::kNone;
  /// permutation, incast: of each write. all_reduce: the vector. all_to_all: what one rank puts in,
  /// its own share included, as nccl-tests defines size (n x bytes per pair).
  Bytes bytes{1024 * 1024};
  /// permutation, and the order of a random ring.
  std::uint64_t seed = 1;
  /// incast: senders are hosts first .. first + count - 1, without dst itself.
  std::uint32_t dst = 0;
  std::uint32_t first = 1;
  std::uint32_t count = 1;
  /// all_reduce, all_to_all: ranks 0 .. ranks - 1 take part; 0: all.
  std::uint32_t ranks = 0;
  /// all_reduce, all_to_all: order of the ranks in their group.
  RingOrder ring_order = RingOrder::kLinear;
  /// Ops a rank issues one after the other (each starts when the one before has ended).
  std::uint32_t repeat = 1;

  void describe(ParameterVisitor& visitor);
  /// Throws ConfigError; `hosts` is the number of hosts of the fabric.
  void validate(std::uint32_t hosts) const;
};

/// One stream a host; the ledger's bytes_in is filled in. Validates first.
/// A permutation is a uniform draw among those of one cycle: every host sends to one other host and
/// receives from one.
Workload make_synthetic(const SyntheticParams& params, std::uint32_t hosts);

}  // namespace sluice
