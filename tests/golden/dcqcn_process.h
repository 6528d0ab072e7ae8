// SPDX-License-Identifier: Apache-2.0
// DCQCN as a stochastic process, written from its paper (Zhu et al., SIGCOMM 2015, section 5) in
// floating point and without any block of the models: one flow whose packets are marked by chance,
// flows that share a queue, and the closed form of the cycle between two CNPs. Leaves out: losses,
// the first cuts from line rate in the closed form, and the byte counter there (it fires once in
// 4 ms at 20 Gb/s, the timer every 55 us).
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::golden {

/// The paper's set at 40G.
namespace dcqcn {
inline constexpr double kLine = 40e9;  // b/s, as all rates here
inline constexpr double kAdditive = 40e6;
inline constexpr double kHyper = 200e6;
inline constexpr double kLowest = 40e6;
inline constexpr double kGain = 1.0 / 256;
inline constexpr double kTimer = 55e-6;  // s; of the increase and of alpha
inline constexpr double kCnpSpacing = 50e-6;
inline constexpr double kByteCounter = 80e6;  // bits
inline constexpr int kStages = 5;
/// 1024 B, headers, ICRC and FCS; then preamble and gap.
inline constexpr double kFrameBytes = 1024 + 62;
inline constexpr double kWireBits = (kFrameBytes + 20) * 8;
/// From a mark to the CNP's effect: two cables, two PHYs, the switch, the receiver.
inline constexpr double kFeedback = 3e-6;
}  // namespace dcqcn

struct MarkingCurve {
  double kmin_bytes;
  double kmax_bytes;
  double pmax;

  double probability(double queue_bytes) const {
    if (queue_bytes <= kmin_bytes) return 0;
    if (queue_bytes >= kmax_bytes) return 1;
    return pmax * (queue_bytes - kmin_bytes) / (kmax_bytes - kmin_bytes);
  }
  /// On the slope.
  double queue_at(double probability) const {
    return kmin_bytes + probability / pmax * (kmax_bytes - kmin_bytes);
  }
};

/// Marking probability at which a flow's rate is a `flows`-th of the line, by the cycle between two
/// CNPs (docs/blocks/dcqcn.md).
double cycle_fixed_point(std::uint32_t flows);

/// Mean rate, b/s, of one flow that starts at `start`, each packet marked with `probability`.
double mean_rate(double probability, double start, double seconds);

/// Means and spread of flows that share a queue. A block is 50 ms.
struct Shared {
  static constexpr double kBlock = 50e-3;

  std::vector<double> queue_bytes;          ///< mean, a block
  std::vector<std::vector<double>> shares;  ///< of each block: packets sent, a flow
  double cnps_per_flow = 0;                 ///< a second

  double mean_queue() const;
  /// Of mean_queue(), from the spread of the blocks.
  double standard_error() const;
  /// Sum of squares of (share / fair - 1) over flows and blocks.
  double squares() const;
  double degrees_of_freedom() const;
  /// Of the whole run, over fair.
  std::vector<double> relative_rates() const;
  /// All packets sent, over those of a busy line.
  double utilisation() const;
};

/// `flows` start at line rate into a queue that drains at line rate and is marked at dequeue by
/// what is left behind; the first 50 ms do not count.
Shared share_queue(std::uint32_t flows, const MarkingCurve& curve, std::uint32_t blocks);

}  // namespace sluice::golden
