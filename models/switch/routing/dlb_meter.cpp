// SPDX-License-Identifier: Apache-2.0
// DLB's port quality: exponentially weighted averages of the bytes sent in an interval and of the
// bytes queued, in fixed point, quantised into bands. Leaves out: anything between two samples.
#include <algorithm>
#include <utility>

#include "switch/routing/port_meter.h"

namespace sluice {
namespace {

constexpr unsigned kAverageBits = 8;  // fraction of an average
constexpr std::uint64_t kOne = 65536;

/// Position of an average between two limits, 0 .. kOne.
struct Scale {
  std::uint64_t min = 0;  ///< in an average's fixed point
  std::uint64_t span = 1;

  std::uint64_t position(std::uint64_t average) const {
    if (average <= min) return 0;
    // Rounded up, so that what exceeds the minimum never counts as nothing.
    return std::min(kOne, ((average - min) * kOne + span - 1) / span);
  }
};

struct PortState {
  std::int64_t load = 0;  // averages
  std::int64_t queue = 0;
  std::uint64_t sent = 0;
  Scale load_scale;
  Scale queue_scale;
  std::uint32_t grade = 0;
};

class DlbMeter final : public PortMeter {
 public:
  DlbMeter(const DlbParams& params, const PortLoads& loads, const std::vector<BitsPerSecond>& rates)
      : params_(params), loads_(loads), ports_(rates.size()) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double bytes_an_interval =
          static_cast<double>(rates[i].value) / 8 * params.sampling_interval.seconds();
      const double size = static_cast<double>(rates[i].value) / 400e9;
      ports_[i].load_scale = scale(bytes_an_interval * params.load_min_percent / 100,
                                   bytes_an_interval * params.load_max_percent / 100);
      ports_[i].queue_scale = scale(static_cast<double>(params.queue_min.value) * size,
                                    static_cast<double>(params.queue_max.value) * size);
    }
  }

  std::uint32_t grade(std::uint32_t port) const override { return ports_[port].grade; }
  std::uint32_t grades() const override { return params_.bands; }
  Ps interval() const override { return params_.sampling_interval; }

  bool sample(std::uint32_t port) override {
    PortState& state = ports_[port];
    const std::uint64_t sent = loads_.sent(port);
    const std::uint64_t load = sent - state.sent;
    state.sent = sent;
    take(state, load, loads_.queued(port));
    return load == 0;
  }
  void rest(std::uint32_t port, std::uint64_t intervals) override {
    PortState& state = ports_[port];
    state.sent = loads_.sent(port);
    // Averages are within a byte of their samples long before that.
    constexpr std::uint64_t kEnough = 1 << 20;
    const std::uint64_t queue = loads_.queued(port);
    for (intervals = std::min(intervals, kEnough); intervals != 0; --intervals) {
      const auto [load_before, queue_before] = std::pair(state.load, state.queue);
      take(state, 0, queue);
      if (state.load == load_before && state.queue == queue_before) return;
    }
  }

 private:
  static Scale scale(double min, double max) {
    const auto fixed = [](double bytes) {
      return static_cast<std::uint64_t>(bytes * (1 << kAverageBits));
    };
    return {fixed(min), std::max<std::uint64_t>(fixed(max) - fixed(min), 1)};
  }

  void average(std::int64_t& value, std::uint64_t sample) const {
    const auto target = static_cast<std::int64_t>(sample << kAverageBits);
    // Rounds down, which takes an idle port's average all the way to 0.
    value += (target - value) >> params_.ewma_exponent;
    if (params_.load_current) value = std::min(value, target);
  }

  void take(PortState& state, std::uint64_t load, std::uint64_t queue) const {
    average(state.load, load);
    average(state.queue, queue);
    const std::uint64_t badness =
        params_.weight_load * state.load_scale.position(static_cast<std::uint64_t>(state.load)) +
        params_.weight_queue * state.queue_scale.position(static_cast<std::uint64_t>(state.queue));
    // Thresholds 0, 1/(bands - 1), …: as many as lie below the weighted mean.
    const std::uint64_t whole = (params_.weight_load + params_.weight_queue) * kOne;
    state.grade = static_cast<std::uint32_t>((badness * (params_.bands - 1) + whole - 1) / whole);
  }

  DlbParams params_;
  PortLoads loads_;
  std::vector<PortState> ports_;
};

}  // namespace

std::unique_ptr<PortMeter> make_dlb_meter(const DlbParams& params, const PortLoads& loads,
                                          const std::vector<BitsPerSecond>& rates) {
  return std::make_unique<DlbMeter>(params, loads, rates);
}

}  // namespace sluice
