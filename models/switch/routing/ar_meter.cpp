// SPDX-License-Identifier: Apache-2.0
// AR's port grade: thresholds on the bytes queued now, and a floor for ports that were utilised
// above a share of their rate in the last interval. Leaves out: buffer use of other ports.
#include <algorithm>

#include "packet/packet.h"
#include "switch/routing/port_meter.h"

namespace sluice {
namespace {

class ArMeter final : public PortMeter {
 public:
  ArMeter(const ArParams& params, const PortLoads& loads, const std::vector<BitsPerSecond>& rates)
      : params_(params), loads_(loads), ports_(rates.size()) {
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const double rate = static_cast<double>(rates[i].value);
      ports_[i].busy_bytes = static_cast<std::uint64_t>(
          rate / 8 * params.utilisation_interval.seconds() * params.utilisation_percent / 100);
      for (const std::uint32_t bytes : params.grade_bytes) {
        thresholds_.push_back(static_cast<std::uint64_t>(bytes * (rate / 400e9)));
      }
    }
  }

  std::uint32_t grade(std::uint32_t port) const override {
    const std::uint64_t queued = loads_.queued(port);
    const std::uint64_t* threshold = thresholds_.data() + port * params_.grade_bytes.size();
    std::uint32_t grade = ports_[port].utilised ? 1 : 0;
    for (std::uint32_t i = 0; i < params_.grade_bytes.size() && queued > threshold[i]; ++i) {
      grade = std::max(grade, i + 1);
    }
    return grade;
  }
  std::uint32_t grades() const override {
    return static_cast<std::uint32_t>(params_.grade_bytes.size()) + 1;
  }
  Ps interval() const override { return params_.utilisation_interval; }

  bool sample(std::uint32_t port) override {
    Port& state = ports_[port];
    const std::uint64_t sent = wire_bytes(port);
    const std::uint64_t bytes = sent - state.sent;
    state.sent = sent;
    state.utilised = bytes > 0 && bytes >= state.busy_bytes;
    return bytes == 0;
  }
  void rest(std::uint32_t port, std::uint64_t) override {
    ports_[port].sent = wire_bytes(port);
    ports_[port].utilised = false;
  }

 private:
  struct Port {
    std::uint64_t sent = 0;        // wire bytes at the last sample
    std::uint64_t busy_bytes = 0;  // in an interval
    bool utilised = false;
  };

  std::uint64_t wire_bytes(std::uint32_t port) const {
    return loads_.sent(port) + loads_.frames(port) * kWireOverheadBytes;
  }

  ArParams params_;
  PortLoads loads_;
  std::vector<Port> ports_;
  std::vector<std::uint64_t> thresholds_;
};

}  // namespace

std::unique_ptr<PortMeter> make_ar_meter(const ArParams& params, const PortLoads& loads,
                                         const std::vector<BitsPerSecond>& rates) {
  return std::make_unique<ArMeter>(params, loads, rates);
}

}  // namespace sluice
