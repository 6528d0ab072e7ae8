// SPDX-License-Identifier: Apache-2.0
// See dcqcn_process.h. Leaves out: any expectation of a test.
#include "golden/dcqcn_process.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "kernel/random.h"

namespace sluice::golden {
namespace {

using namespace dcqcn;

constexpr double kNever = std::numeric_limits<double>::infinity();

double uniform(RandomStream& random) { return (random.next_u32() + 0.5) * 0x1p-32; }

struct Sender {
  double rate = kLine;
  double target = kLine;
  double alpha = 1;
  double timer = kNever;
  double alpha_timer = kNever;
  double bits_left = kByteCounter;
  int timer_stage = 0;
  int byte_stage = 0;

  void increase() {
    const int most = std::max(timer_stage, byte_stage);
    const int least = std::min(timer_stage, byte_stage);
    if (least > kStages) {
      target += (least - kStages) * kHyper;
    } else if (most >= kStages) {
      target += kAdditive;
    }
    target = std::min(target, kLine);
    rate = (rate + target) / 2;
  }
  void advance(double now) {
    while (std::min(timer, alpha_timer) <= now) {
      if (alpha_timer <= timer) {
        alpha *= 1 - kGain;
        alpha_timer += kTimer;
      } else {
        ++timer_stage;
        increase();
        timer += kTimer;
      }
    }
  }
  void on_cnp(double now) {
    advance(now);
    target = rate;
    rate = std::max(rate * (1 - alpha / 2), kLowest);
    alpha = (1 - kGain) * alpha + kGain;
    timer = alpha_timer = now + kTimer;
    timer_stage = byte_stage = 0;
    bits_left = kByteCounter;
  }
  /// Time to the next packet.
  double on_sent() {
    bits_left -= kWireBits;
    if (bits_left <= 0) {
      bits_left += kByteCounter;
      ++byte_stage;
      increase();
    }
    return kWireBits / rate;
  }
};

/// A sender and what the receiver knows of it.
struct Flow {
  Sender sender;
  double next_packet = 0;
  double next_cnp = 0;  ///< the receiver may not send one earlier
  double cnp = kNever;  ///< on its way, takes effect then
  double sent = 0;

  void deliver(double now) {
    if (cnp > now) return;
    sender.on_cnp(cnp);
    cnp = kNever;
  }
  bool on_mark(double now) {
    if (now < next_cnp) return false;
    next_cnp = now + kCnpSpacing;
    cnp = now + kFeedback;
    return true;
  }
};

class SharedQueue {
 public:
  SharedQueue(std::uint32_t flows, const MarkingCurve& curve)
      : curve_(curve), random_(1, flows, RandomPurpose::kTest), flows_(flows) {
    for (Flow& flow : flows_) flow.next_packet = 10e-6 * uniform(random_);
  }

  /// One packet time of the line. Returns the depth left behind.
  double step() {
    const double now = static_cast<double>(++steps_) * kSlot;
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      Flow& flow = flows_[i];
      flow.deliver(now);
      flow.sender.advance(now);
      while (flow.next_packet <= now) {
        queue_.push_back(i);
        flow.next_packet += flow.sender.on_sent();
      }
    }
    if (queue_.empty()) return 0;
    Flow& flow = flows_[queue_.front()];
    queue_.pop_front();
    ++flow.sent;
    const double depth = static_cast<double>(queue_.size()) * kFrameBytes;
    if (uniform(random_) < curve_.probability(depth)) cnps_ += flow.on_mark(now);
    return depth;
  }
  /// Mean depth over a block.
  double block() {
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += step();
    return sum / kSteps;
  }
  std::vector<double> take_sent() {
    std::vector<double> sent;
    for (Flow& flow : flows_) {
      sent.push_back(flow.sent);
      flow.sent = 0;
    }
    return sent;
  }
  double cnps() const { return cnps_; }

 private:
  static constexpr double kSlot = kWireBits / kLine;
  static constexpr int kSteps = static_cast<int>(Shared::kBlock / kSlot);

  MarkingCurve curve_;
  RandomStream random_;
  std::vector<Flow> flows_;
  std::deque<std::uint32_t> queue_;
  std::uint64_t steps_ = 0;
  double cnps_ = 0;
};

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// At the fixed point stages number 7 in the mean: fewer than 1 in 10^100 cycles have as many.
constexpr int kMostStages = 2000;

/// Decrease less increase of the target rate in a mean cycle; rises with p.
double cycle_excess(double probability, double rate) {
  const double marks = -std::log1p(-probability) * rate / kWireBits;  // a second
  // The next mark that counts comes kCnpSpacing + an exponential time after the last.
  const double stage = std::exp(-marks * kTimer);
  const double first = std::exp(-marks * (kTimer - kCnpSpacing));
  const double stages = first / (1 - stage);  // mean number in a cycle
  const double cut = rate / (1 + stages) / 2;
  double gap = (1 - first) * cut;  // of target over rate at the CNP, mean
  double raised = 0;
  for (int k = 1; k < kMostStages; ++k) {
    const double at_least = first * std::pow(stage, k - 1);  // probability of k stages or more
    const double exactly = at_least * (1 - stage);
    gap += exactly * cut * std::exp2(-k);
    if (k < kStages) continue;
    raised += at_least * kAdditive;
    gap += exactly * kAdditive * (1 - std::exp2(kStages - 1 - k));
  }
  return gap - raised;
}

}  // namespace

double cycle_fixed_point(std::uint32_t flows) {
  double low = 1e-6;
  double high = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::sqrt(low * high);
    (cycle_excess(middle, kLine / flows) > 0 ? high : low) = middle;
  }
  return low;
}

double mean_rate(double probability, double start, double seconds) {
  RandomStream random(1, 0, RandomPurpose::kTest);
  Flow flow;
  flow.sender.rate = flow.sender.target = start;
  flow.sender.alpha = 0.13;
  flow.sender.timer = flow.sender.alpha_timer = kTimer;
  double packets = 0;
  for (double now = 0; now < seconds;) {
    flow.deliver(now);
    flow.sender.advance(now);
    ++packets;
    if (uniform(random) < probability) flow.on_mark(now);
    now += flow.sender.on_sent();
  }
  return packets * kWireBits / seconds;
}

Shared share_queue(std::uint32_t flows, const MarkingCurve& curve, std::uint32_t blocks) {
  SharedQueue queue(flows, curve);
  queue.block();
  queue.take_sent();
  const double before = queue.cnps();
  Shared got;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    got.queue_bytes.push_back(queue.block());
    got.shares.push_back(queue.take_sent());
  }
  got.cnps_per_flow = (queue.cnps() - before) / flows / blocks / Shared::kBlock;
  return got;
}

double Shared::mean_queue() const {
  return sum_of(queue_bytes) / static_cast<double>(queue_bytes.size());
}

double Shared::standard_error() const {
  double squares = 0;
  for (const double mean : queue_bytes) squares += (mean - mean_queue()) * (mean - mean_queue());
  const auto n = static_cast<double>(queue_bytes.size());
  return std::sqrt(squares / (n - 1) / n);
}

double Shared::squares() const {
  double squares = 0;
  for (const std::vector<double>& block : shares) {
    const double fair = sum_of(block) / static_cast<double>(block.size());
    for (const double share : block) squares += (share / fair - 1) * (share / fair - 1);
  }
  return squares;
}

double Shared::degrees_of_freedom() const {
  return static_cast<double>(shares.size() * (shares.front().size() - 1));
}

std::vector<double> Shared::relative_rates() const {
  std::vector<double> sums(shares.front().size());
  for (const std::vector<double>& block : shares) {
    for (std::size_t i = 0; i < block.size(); ++i) sums[i] += block[i];
  }
  const double fair = sum_of(sums) / static_cast<double>(sums.size());
  for (double& sum : sums) sum /= fair;
  return sums;
}

double Shared::utilisation() const {
  double packets = 0;
  for (const std::vector<double>& block : shares) packets += sum_of(block);
  return packets * kWireBits / kLine / (kBlock * static_cast<double>(shares.size()));
}

}  // namespace sluice::golden
