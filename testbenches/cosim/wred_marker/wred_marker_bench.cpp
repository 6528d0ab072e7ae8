// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the WRED marker: up to a request every clock, decision, averaged length and
// latency compared with the C++ block. Directed: thresholds -1, 0 and +1, the smallest and largest
// draw, the same queue in clocks running; then bursts at random.
#include <deque>

#include "rtl/wred_marker/wred_marker_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

constexpr std::uint32_t kQueues = 24;

EcnParams curve(std::uint64_t kmin, std::uint64_t kmax, double pmax, std::uint32_t weight) {
  EcnParams p;
  p.kmin_bytes = Bytes{kmin};
  p.kmax_bytes = Bytes{kmax};
  p.pmax = pmax;
  p.weight = weight;
  return p;
}

/// Off, plain, averaged, a step, both curves, and the ends of every range.
std::vector<EcnParams> curves() {
  EcnParams off = curve(0, 100, 1, 0);
  off.enabled = false;
  EcnParams drops = curve(1000, 9000, 0.25, 0);
  drops.drop_not_ect = true;
  EcnParams own = curve(1000, 9000, 0.25, 2);
  own.drop_not_ect = true;
  own.drop_kmin_bytes = Bytes{3000};
  own.drop_kmax_bytes = Bytes{5000};
  own.drop_pmax = 0.75;
  return {off,
          curve(800000, 3200000, 0.2, 0),
          curve(2000, 6000, 1, 4),
          curve(5000, 5000, 0.5, 0),
          drops,
          own,
          curve(0, 1u << 30, 1, 15),
          curve(4000, 8000, 0, 0)};
}

class Lockstep {
 public:
  Lockstep(BenchRun& run, std::vector<EcnParams> profiles, std::vector<std::uint8_t> queues)
      : run_(run),
        model_(make_ecn_marker(profiles, queues)),
        rtl_(profiles, queues, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// One clock, with a request or without; the answer due in it is compared.
  void clock(const EcnRequest* request) {
    const rtl::WredMarkerTwin::Answer answer = rtl_.clock(request);
    if (request != nullptr) {
      run_.count_transaction();
      const EcnAction action = model_->decide(*request);
      due_.push_back({rtl_.cycle() + rtl::WredMarkerTwin::kLatency - 1, action,
                      model_->length(request->queue)});
    }
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (is_due) {
      run_.expect("action", static_cast<std::uint64_t>(due_.front().action),
                  static_cast<std::uint64_t>(answer.action));
      run_.expect("out_length_o", due_.front().length, answer.length);
      due_.pop_front();
    }
    run_.at_cycle(rtl_.cycle());
  }
  void drain() {
    for (unsigned i = 0; i <= rtl::WredMarkerTwin::kLatency; ++i) clock(nullptr);
  }

 private:
  struct Due {
    std::uint64_t cycle;
    EcnAction action;
    std::uint32_t length;
  };
  BenchRun& run_;
  std::unique_ptr<EcnMarker> model_;
  rtl::WredMarkerTwin rtl_;
  std::deque<Due> due_;
};

void directed(Lockstep& bench, const std::vector<EcnParams>& profiles) {
  for (std::uint32_t queue = 0; queue < kQueues; ++queue) {
    const EcnParams& p = profiles[queue % profiles.size()];
    for (const Bytes edge : {p.kmin_bytes, p.kmax_bytes, p.drop_kmin_bytes, p.drop_kmax_bytes}) {
      for (const int step : {-1, 0, 1, 2}) {
        for (const std::uint32_t draw : {0u, UINT32_MAX, 0x33333333u}) {
          for (const bool ect : {true, false}) {
            const std::int64_t bytes = static_cast<std::int64_t>(edge.value) + step;
            const EcnRequest r{queue, static_cast<std::uint32_t>(std::max<std::int64_t>(0, bytes)),
                               draw, ect};
            bench.clock(&r);
          }
        }
      }
    }
  }
  bench.drain();
}

void random(BenchRun& run, Lockstep& bench, const std::vector<EcnParams>& profiles) {
  Bursts busy(run.random());
  std::uint32_t queue = 0;
  while (run.cycles_left() > 0) {
    if (!busy.next()) {
      bench.clock(nullptr);
      continue;
    }
    // Half of the time the queue of the clock before: the average is still on its way.
    if (run.random().below(2) == 0) queue = run.random().below(kQueues);
    const EcnParams& p = profiles[queue % profiles.size()];
    const auto span = static_cast<std::uint32_t>(p.kmax_bytes.value + p.kmax_bytes.value / 4 + 2);
    const EcnRequest r{queue, run.random().below(span), run.random().next_u32(),
                       run.random().below(4) != 0};
    bench.clock(&r);
  }
}

EcnParams read_curve(RecordReader& in) {
  EcnParams p;
  p.enabled = in.flag("ENABLED");
  p.drop_not_ect = in.flag("DROP_NOT_ECT");
  p.weight = in.number<decltype(p.weight)>("WEIGHT");
  p.kmin_bytes.value = in.number<std::uint64_t>("KMIN");
  p.kmax_bytes.value = in.number<std::uint64_t>("KMAX");
  p.pmax = in.real("PMAX", 1);
  p.drop_kmin_bytes.value = in.number<std::uint64_t>("DROP_KMIN");
  p.drop_kmax_bytes.value = in.number<std::uint64_t>("DROP_KMAX");
  p.drop_pmax = in.real("DROP_PMAX", 1);
  return p;
}

EcnRequest read_request(RecordReader& in, std::size_t queues) {
  if (in.kind() != "decide") in.refuse("decide");
  EcnRequest r;
  r.queue = in.index("QUEUE", queues);
  r.queue_bytes = in.number<std::uint32_t>("BYTES");
  r.random = in.number<std::uint32_t>("DRAW");
  r.ect = in.flag("ECT");
  return r;
}

/// What a running chip was asked (run --rtl-record): its curves and queues, then requests.
void replay(BenchRun& run) {
  RecordReader in(run, "wred_marker");
  std::vector<EcnParams> profiles;
  std::vector<std::uint8_t> queues;
  in.expect_config("curve");
  do {
    profiles.push_back(read_curve(in));
  } while (in.config("curve"));
  in.expect_config("queue");
  do {
    queues.push_back(static_cast<std::uint8_t>(in.index("CURVE", profiles.size())));
  } while (in.config("queue"));
  Lockstep bench(run, profiles, queues);
  while (in.next()) {
    const EcnRequest r = read_request(in, queues.size());
    bench.clock(&r);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::vector<EcnParams> profiles = curves();
  std::vector<std::uint8_t> queues;
  for (std::uint32_t q = 0; q < kQueues; ++q) {
    queues.push_back(static_cast<std::uint8_t>(q % profiles.size()));
  }
  Lockstep bench(run, profiles, queues);
  directed(bench, profiles);
  random(run, bench, profiles);
}

}  // namespace

Bench wred_marker_bench() {
  return {"wred_marker",
          {"average of the clock before not forwarded", "a queue's first average is not 0",
           "falling average rounds to 0", "a queue that does not mark averages too",
           "drops use the curve of marks", "marks at kmin", "does not always mark at kmax",
           "marks when the draw equals the probability", "drops where only marks are configured"},
          run_all};
}

}  // namespace sluice::cosim
