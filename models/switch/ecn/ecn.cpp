// SPDX-License-Identifier: Apache-2.0
// The marking curve in fixed point: on the slope, mark when random / 2^32 < pmax (q - kmin) /
// range, compared by cross-multiplication, so that no division is needed in software or hardware.
// Leaves out: colours.
#include "switch/ecn/ecn.h"

#include <array>
#include <cmath>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::array<std::string_view, 2> kMarkAts{"enqueue", "dequeue"};
constexpr double kMaxThreshold = 1u << 30;
/// Fraction bits of the average: with weight 15 a difference of one byte still moves it.
constexpr unsigned kAverageBits = 16;

struct Curve {
  std::uint32_t kmin;
  std::uint32_t kmax;
  std::uint64_t pmax;  // of 2^32
  std::uint32_t weight;
  bool enabled;
  bool drop_not_ect;

  bool on_slope(std::uint32_t q) const { return q > kmin && q < kmax; }
  bool hits(std::uint32_t q, std::uint32_t random) const {
    if (q <= kmin) return false;
    if (q >= kmax) return true;
    return std::uint64_t{random} * (kmax - kmin) < pmax * (q - kmin);
  }
};

class WredMarker final : public EcnMarker {
 public:
  WredMarker(const std::vector<EcnParams>& profiles, std::vector<std::uint8_t> profile_of_queue)
      : profile_(std::move(profile_of_queue)), average_(profile_.size()) {
    for (const EcnParams& p : profiles) {
      curves_.push_back({static_cast<std::uint32_t>(p.kmin_bytes.value),
                         static_cast<std::uint32_t>(p.kmax_bytes.value),
                         static_cast<std::uint64_t>(std::llround(p.pmax * 0x1p32)), p.weight,
                         p.enabled, p.drop_not_ect});
    }
  }

  EcnAction decide(const EcnRequest& r) override {
    const Curve& curve = curves_[profile_[r.queue]];
    if (!curve.enabled) return EcnAction::kForward;
    // floor((q - average) / 2^weight), a shift that keeps the sign.
    std::int64_t& average = average_[r.queue];
    average += ((std::int64_t{r.queue_bytes} << kAverageBits) - average) >> curve.weight;
    if (!curve.hits(length(r.queue), r.random)) return EcnAction::kForward;
    if (r.ect) return EcnAction::kMark;
    return curve.drop_not_ect ? EcnAction::kDrop : EcnAction::kForward;
  }
  bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const override {
    const Curve& curve = curves_[profile_[queue]];
    return curve.enabled && (curve.weight != 0 || curve.on_slope(queue_bytes));
  }
  std::uint32_t length(std::uint32_t queue) const override {
    return static_cast<std::uint32_t>(average_[queue] >> kAverageBits);
  }

 private:
  std::vector<Curve> curves_;
  std::vector<std::uint8_t> profile_;
  std::vector<std::int64_t> average_;  // bytes, kAverageBits of fraction
};

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
          {"packets that cannot be marked are dropped on the same curve", "RFC 3168"});
}

void EcnParams::validate() const {
  if (static_cast<double>(kmax_bytes.value) > kMaxThreshold) {
    throw ConfigError(
        fmt::format("ecn.kmax_bytes: {} B, expected at most 1 GiB", kmax_bytes.value));
  }
  if (kmin_bytes > kmax_bytes) {
    throw ConfigError(fmt::format("ecn.kmin_bytes: {} B is more than ecn.kmax_bytes {} B",
                                  kmin_bytes.value, kmax_bytes.value));
  }
  if (!(pmax >= 0 && pmax <= 1)) {
    throw ConfigError(fmt::format("ecn.pmax: {}, expected a probability in 0..1", pmax));
  }
  if (weight > 15) throw ConfigError(fmt::format("ecn.weight: {}, expected 0 to 15", weight));
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
