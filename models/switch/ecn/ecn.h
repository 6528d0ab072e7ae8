// SPDX-License-Identifier: Apache-2.0
// ECN marking of a chip's queues: the WRED curve on the instantaneous or averaged queue length, in
// fixed point, the random draw an input. One object serves a whole chip.
// Leaves out: colours, rewriting the packet.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

enum class MarkAt : std::uint8_t { kEnqueue, kDequeue };

struct EcnParams {
  static constexpr double kDefaultPmax = 0.2;
  bool enabled = true;
  Bytes kmin_bytes{800000};
  Bytes kmax_bytes{3200000};
  double pmax = kDefaultPmax;  ///< probability just below kmax; at and above it is 1
  MarkAt mark_at = MarkAt::kDequeue;
  std::uint32_t weight = 0;   ///< average += (q - average) / 2^weight; 0: instantaneous
  bool drop_not_ect = false;  ///< packets that cannot be marked follow the curve as drops
  /// Their own curve, from drop_kmax_bytes > 0 on; 0: that of the marks.
  Bytes drop_kmin_bytes{0};
  Bytes drop_kmax_bytes{0};
  double drop_pmax = kDefaultPmax;

  /// The marker need not be asked while the queue is no deeper.
  std::uint32_t quiet_depth() const;
  void describe(ParameterVisitor& visitor);
  void validate() const;
  /// Thresholds by port speed: 1000 and 4000 B per Gb/s (400 kB / 1.6 MB at 400G), pmax 0.2.
  static EcnParams for_rate(BitsPerSecond rate);
  bool operator==(const EcnParams&) const = default;
};

enum class EcnAction : std::uint8_t { kForward, kMark, kDrop };

struct EcnRequest {
  std::uint32_t queue = 0;  ///< index among the chip's queues, as given at construction
  std::uint32_t queue_bytes =
      0;                     ///< at dequeue: the depth left behind; at enqueue: the depth found
  std::uint32_t random = 0;  ///< uniform draw; may be anything when draws() is false
  bool ect = true;           ///< ECN field is ECT(0), ECT(1) or CE
};

class EcnMarker {
 public:
  virtual ~EcnMarker() = default;
  /// Curve: q <= kmin never; rising to pmax towards kmax; q >= kmax always (kmin < kmax).
  /// kmin == kmax == K: only q > K, always.
  virtual EcnAction decide(const EcnRequest& request) = 0;
  /// Whether the decision can depend on the random draw.
  virtual bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const = 0;
  /// Length that the last decision used (averaged if so configured), bytes.
  virtual std::uint32_t length(std::uint32_t queue) const = 0;
};

/// `profiles`, and for each queue of the chip the profile it uses.
std::unique_ptr<EcnMarker> make_ecn_marker(const std::vector<EcnParams>& profiles,
                                           std::vector<std::uint8_t> profile_of_queue);

}  // namespace sluice
