// SPDX-License-Identifier: Apache-2.0
// The marking curve in fixed point: on the slope, mark when random / 2^32 < pmax (q - kmin) /
// range, compared by cross-multiplication, so that no division is needed in software or hardware.
// Leaves out: colours.
#include "switch/ecn/ecn.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kMarkAts{"enqueue", "dequeue"};
constexpr double kMaxThreshold = 1u << 30;
/// Fraction bits of the average: with weight 15 a difference of one byte still moves it.
constexpr unsigned kAverageBits = 16;

/// One curve of probability against depth.
struct Slope {
  std::uint32_t kmin;
  std::uint32_t kmax;
  std::uint64_t pmax;  // of 2^32

  Slope(Bytes from, Bytes to, double most)
      : kmin(static_cast<std::uint32_t>(from.value)),
        kmax(static_cast<std::uint32_t>(to.value)),
        pmax(static_cast<std::uint64_t>(std::llround(most * 0x1p32))) {}

  bool rises_at(std::uint32_t q) const { return q > kmin && q < kmax; }
  bool hits(std::uint32_t q, std::uint32_t random) const {
    if (q <= kmin) return false;
    if (q >= kmax) return true;
    return std::uint64_t{random} * (kmax - kmin) < pmax * (q - kmin);
  }
};

struct Curve {
  Slope mark;
  Slope drop;
  std::uint32_t weight;
  bool enabled;
  bool drop_not_ect;

  explicit Curve(const EcnParams& p)
      : mark(p.kmin_bytes, p.kmax_bytes, p.pmax),
        drop(p.drop_kmax_bytes.value == 0
                 ? mark
                 : Slope(p.drop_kmin_bytes, p.drop_kmax_bytes, p.drop_pmax)),
        weight(p.weight),
        enabled(p.enabled),
        drop_not_ect(p.drop_not_ect) {}
};

class WredMarker final : public EcnMarker {
 public:
  WredMarker(const std::vector<EcnParams>& profiles, std::vector<std::uint8_t> profile_of_queue)
      : curves_(profiles.begin(), profiles.end()),
        profile_(std::move(profile_of_queue)),
        average_(profile_.size()) {}

  EcnAction decide(const EcnRequest& r) override {
    const Curve& curve = curves_[profile_[r.queue]];
    if (!curve.enabled) return EcnAction::kForward;
    // floor((q - average) / 2^weight), a shift that keeps the sign.
    std::int64_t& average = average_[r.queue];
    average += ((std::int64_t{r.queue_bytes} << kAverageBits) - average) >> curve.weight;
    if (r.ect) {
      return curve.mark.hits(length(r.queue), r.random) ? EcnAction::kMark : EcnAction::kForward;
    }
    return curve.drop_not_ect && curve.drop.hits(length(r.queue), r.random) ? EcnAction::kDrop
                                                                            : EcnAction::kForward;
  }
  bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const override {
    const Curve& curve = curves_[profile_[queue]];
    if (!curve.enabled) return false;
    return curve.weight != 0 || curve.mark.rises_at(queue_bytes) ||
           (curve.drop_not_ect && curve.drop.rises_at(queue_bytes));
  }
  std::uint32_t length(std::uint32_t queue) const override {
    return static_cast<std::uint32_t>(average_[queue] >> kAverageBits);
  }

 private:
  std::vector<Curve> curves_;
  std::vector<std::uint8_t> profile_;
  std::vector<std::int64_t> average_;  // bytes, kAverageBits of fraction
};

void check_curve(std::string_view prefix, Bytes kmin, Bytes kmax, double pmax) {
  if (static_cast<double>(kmax.value) > kMaxThreshold) {
    throw ConfigError(
        fmt::format("ecn.{}kmax_bytes: {} B, expected at most 1 GiB", prefix, kmax.value));
  }
  if (kmin > kmax) {
    throw ConfigError(fmt::format("ecn.{0}kmin_bytes: {1} B is more than ecn.{0}kmax_bytes {2} B",
                                  prefix, kmin.value, kmax.value));
  }
  if (!(pmax >= 0 && pmax <= 1)) {
    throw ConfigError(fmt::format("ecn.{}pmax: {}, expected a probability in 0..1", prefix, pmax));
  }
}

}  // namespace

void EcnParams::describe(ParameterVisitor& v) {
  v.visit("enabled", enabled, {"mark packets of lossless queues", "RFC 3168"});
  v.visit("kmin_bytes", kmin_bytes, {0, kMaxThreshold},
          {"no packet is marked up to this queue length",
           "estimate: 400 kB at 400G, 8 us of the line", "B"});
  v.visit("kmax_bytes", kmax_bytes, {0, kMaxThreshold},
          {"every packet is marked from this queue length on", "estimate: 4 x kmin, as HPCC", "B"});
  v.visit("pmax", pmax, {0, 1}, {"marking probability just below kmax", "HPCC simulator"});
  v.visit("mark_at", mark_at, kMarkAts,
          {"queue length used: found at enqueue, or left behind at dequeue",
           "Zhu et al., CoNEXT 2016"});
  v.visit("weight", weight, {0, 15},
          {"average += (q - average) / 2^weight; 0: instantaneous", "SAI WRED weight"});
  v.visit("drop_not_ect", drop_not_ect,
          {"packets that cannot be marked are dropped on a curve", "RFC 3168"});
  v.visit("drop_kmin_bytes", drop_kmin_bytes, {0, kMaxThreshold},
          {"no packet is dropped up to this queue length", "SAI WRED green_min_threshold", "B"});
  v.visit("drop_kmax_bytes", drop_kmax_bytes, {0, kMaxThreshold},
          {"every packet that cannot be marked is dropped from this queue length on; 0: dropped on "
           "the curve of the marks",
           "SAI WRED green_max_threshold", "B"});
  v.visit("drop_pmax", drop_pmax, {0, 1},
          {"drop probability just below drop_kmax", "SAI WRED green_drop_probability"});
}

void EcnParams::validate() const {
  check_curve("", kmin_bytes, kmax_bytes, pmax);
  check_curve("drop_", drop_kmin_bytes, drop_kmax_bytes, drop_pmax);
  if (weight > 15) throw ConfigError(fmt::format("ecn.weight: {}, expected 0 to 15", weight));
  if (drop_kmax_bytes.value != 0 && !drop_not_ect) {
    throw ConfigError("ecn.drop_kmax_bytes: has no effect without ecn.drop_not_ect");
  }
  if (drop_kmax_bytes.value == 0 && drop_pmax != kDefaultPmax) {
    throw ConfigError("ecn.drop_pmax: has no effect without ecn.drop_kmax_bytes");
  }
}

std::uint32_t EcnParams::quiet_depth() const {
  if (!enabled) return UINT32_MAX;
  if (weight != 0) return 0;
  const bool own = drop_not_ect && drop_kmax_bytes.value != 0;
  return static_cast<std::uint32_t>(own ? std::min(kmin_bytes.value, drop_kmin_bytes.value)
                                        : kmin_bytes.value);
}

EcnParams EcnParams::for_rate(BitsPerSecond rate) {
  EcnParams params;
  const std::uint64_t gbit = rate.value / 1000000000;
  params.kmin_bytes = Bytes{1000 * gbit};
  params.kmax_bytes = Bytes{4000 * gbit};
  return params;
}

std::unique_ptr<EcnMarker> make_ecn_marker(const std::vector<EcnParams>& profiles,
                                           std::vector<std::uint8_t> profile_of_queue) {
  for (const EcnParams& profile : profiles) profile.validate();
  for (const std::uint8_t profile : profile_of_queue) {
    SLUICE_CHECK(profile < profiles.size(), "ECN profile {} of {}", profile, profiles.size());
  }
  return std::make_unique<WredMarker>(profiles, std::move(profile_of_queue));
}

}  // namespace sluice
