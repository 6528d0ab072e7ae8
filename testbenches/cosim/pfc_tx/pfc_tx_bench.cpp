// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the sending side of PFC: up to a request every clock; the 64 bytes of each
// frame, XOFF state, time of the next repetition and latency. Directed: repetitions one ps around
// their time, XON of what is not stopped; then bursts at random.
#include <deque>

#include "rtl/pfc_tx/pfc_tx_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using Twin = rtl::PfcTxTwin;
using Kind = Twin::Kind;

class Lockstep {
 public:
  Lockstep(BenchRun& run, const PfcParams& params, const std::vector<BitsPerSecond>& rates)
      : run_(run), model_(params, rates), rtl_(params, rates, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }
  const PfcSender& model() const { return model_; }

  /// One clock, with a request or without; the answer due in it is compared.
  void clock(const Twin::Request* request) {
    const Twin::Answer answer = rtl_.clock(request);
    run_.at_cycle(rtl_.cycle());
    if (request != nullptr) {
      run_.count_transaction();
      due_.push_back({rtl_.cycle() + Twin::kLatency - 1, decide(*request)});
    }
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (!is_due) return;
    compare(due_.front().answer, answer);
    due_.pop_front();
  }
  void ask(Kind kind, std::uint32_t port, std::uint32_t priority, Ps now) {
    const Twin::Request r{kind, port, priority, now};
    clock(&r);
  }
  void drain() {
    for (unsigned i = 0; i <= Twin::kLatency; ++i) clock(nullptr);
  }

 private:
  struct Due {
    std::uint64_t cycle;
    Twin::Answer answer;
  };

  Twin::Answer decide(const Twin::Request& r) {
    const PfcFrame frame = r.kind == Kind::kXoff  ? model_.xoff(r.port, r.priority, r.now)
                           : r.kind == Kind::kXon ? model_.xon(r.port, r.priority)
                                                  : model_.refresh(r.port, r.now);
    Twin::Answer answer;
    answer.xoff = model_.xoff_mask(r.port);
    answer.due = model_.refresh_due(r.port);
    if (frame.empty()) return answer;
    wire::Pfc pfc{frame.class_enable, {}};
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      if (frame.class_enable >> p & 1u) pfc.quanta[p] = frame.quanta;
    }
    answer.frame = wire::pfc_frame(Twin::source_of(r.port), pfc);
    return answer;
  }
  void compare(const Twin::Answer& model, const Twin::Answer& rtl) {
    run_.expect("out_frame_valid_o", !model.frame.empty(), !rtl.frame.empty());
    for (std::size_t i = 0; i < model.frame.size(); ++i) {
      if (model.frame[i] == rtl.frame[i]) [[likely]]
        continue;
      run_.differ(fmt::format("out_frame_o byte {}", i), model.frame[i], rtl.frame[i]);
    }
    run_.expect("out_xoff_o", model.xoff, rtl.xoff);
    run_.expect("out_due_o", model.due.value, rtl.due.value);
  }

  BenchRun& run_;
  PfcSender model_;
  Twin rtl_;
  std::deque<Due> due_;
};

std::vector<BitsPerSecond> rates() {
  std::vector<BitsPerSecond> all;
  for (const std::uint64_t rate : {800'000'000'000, 400'000'000'000, 100'000'000'000,
                                   10'000'000'000, 333'333'333'333, 1'600'000'000'000}) {
    all.push_back(BitsPerSecond{rate});
  }
  return all;
}

void directed(Lockstep& bench, std::uint32_t ports, Ps& now) {
  for (std::uint32_t port = 0; port < ports; ++port) {
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      bench.ask(Kind::kXon, port, p, now);
      bench.ask(Kind::kRefresh, port, p, now);
      bench.ask(Kind::kXoff, port, p, now);
      const Ps due = bench.model().refresh_due(port);
      if (due != kNever) {
        for (const Ps at : {due - Ps{1}, due, due + Ps{1}}) {
          bench.ask(Kind::kRefresh, port, p, at);
          now = at;
        }
        // A repetition that comes late: the next one counts from it.
        now = bench.model().refresh_due(port) + Ps{777};
        bench.ask(Kind::kRefresh, port, p, now);
      }
    }
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      bench.ask(Kind::kXon, port, 7 - p, now);
      bench.ask(Kind::kXon, port, 7 - p, now);
      bench.ask(Kind::kRefresh, port, p, now + Ps{1'000'000'000});
    }
  }
  bench.drain();
}

void random(BenchRun& run, Lockstep& bench, std::uint32_t ports, Ps now, std::uint64_t last_cycle) {
  Bursts busy(run.random());
  RandomStream& random = run.random();
  Twin::Request r;
  while (run.cycles_left() > 0 && run.cycle() < last_cycle) {
    if (!busy.next()) {
      bench.clock(nullptr);
      continue;
    }
    // Half of the time the port of the request before, whose state is still on its way.
    if (random.below(2) == 0) r.port = random.below(ports);
    r.priority = random.below(kPriorities);
    const Ps due = bench.model().refresh_due(r.port);
    if (due != kNever && random.below(4) == 0) {
      now = std::max(now, due - Ps{random.below(2)});
    } else {
      now += Ps{random.below(random.below(8) == 0 ? 50'000'000 : 1'000)};
    }
    r.kind = static_cast<Kind>(random.below(3));
    r.now = now;
    bench.clock(&r);
  }
  bench.drain();
}

Twin::Request read_request(RecordReader& in, std::size_t ports) {
  Twin::Request r;
  if (in.kind() == "xoff") {
    r.kind = Kind::kXoff;
  } else if (in.kind() == "xon") {
    r.kind = Kind::kXon;
  } else if (in.kind() == "refresh") {
    r.kind = Kind::kRefresh;
  } else {
    in.refuse("xoff, xon or refresh");
  }
  r.port = in.index("PORT", ports);
  if (r.kind != Kind::kRefresh) r.priority = in.index("PRIORITY", kPriorities);
  if (r.kind != Kind::kXon) r.now.value = in.number<std::uint64_t>("PS");
  return r;
}

void replay(BenchRun& run) {
  RecordReader in(run, "pfc_tx");
  PfcParams params;
  in.expect_config("setup");
  params.enabled = in.flag("ENABLED");
  params.quanta = in.number<decltype(params.quanta)>("QUANTA");
  params.refresh_percent = in.number<decltype(params.refresh_percent)>("REFRESH_PERCENT");
  std::vector<BitsPerSecond> rates;
  in.expect_config("port");
  do {
    rates.push_back(BitsPerSecond{in.number<std::uint64_t>("RATE")});
  } while (in.config("port"));
  Lockstep bench(run, params, rates);
  while (in.next()) {
    const Twin::Request r = read_request(in, rates.size());
    bench.clock(&r);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::vector<BitsPerSecond> speeds = rates();
  const auto ports = static_cast<std::uint32_t>(speeds.size());
  PfcParams off;
  off.enabled = false;
  PfcParams other;
  other.quanta = 0x1234;
  other.refresh_percent = 77;
  const std::uint64_t part = run.cycles_left() / 8;
  for (const PfcParams& params : {off, other, PfcParams{}}) {
    // Late times too: all bits of them count.
    Ps now{params.enabled ? run.random().next_u64() >> (params.quanta == 65535 ? 1 : 20) : 1000};
    Lockstep bench(run, params, speeds);
    directed(bench, ports, now);
    random(run, bench, ports, now,
           params.quanta == 65535 && params.enabled ? UINT64_MAX : run.cycle() + part);
  }
}

}  // namespace

Bench pfc_tx_bench() {
  return {"pfc_tx",
          {"repeats one ps late", "XON of a class that is not stopped",
           "repeats though nothing is stopped", "state of the clock before not forwarded",
           "an XON lets all classes go on", "only the first XOFF sets the time of repetition",
           "the next repetition counts from the last due time", "an XOFF names its class alone",
           "opcode of PAUSE", "FCS not inverted"},
          run_all};
}

}  // namespace sluice::cosim
