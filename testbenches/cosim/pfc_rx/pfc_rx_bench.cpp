// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the obeying side of PFC: a frame or a look every clock; what was obeyed and
// ignored, ends of pauses, paused priorities and latency. Directed: timers one ps around their end,
// longest and shortest pauses, every field of the frame damaged; then bursts at random.
#include <deque>

#include "kernel/error.h"
#include "rtl/pfc_rx/pfc_rx_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using Twin = rtl::PfcRxTwin;

constexpr std::uint32_t kPorts = 10;

/// Speeds of Ethernet, whose quanta are whole ps, and others.
std::vector<BitsPerSecond> rates() {
  std::vector<BitsPerSecond> all;
  for (const std::uint64_t rate :
       {800'000'000'000, 400'000'000'000, 100'000'000'000, 10'000'000'000, 1'600'000'000'000,
        333'333'333'333, 777'777'777'777, 1'000'003L, 299'999'999'977, 2'199'023'255'551}) {
    all.push_back(BitsPerSecond{rate});
  }
  return all;
}

std::vector<std::uint8_t> masks() {
  return {0x08, 0xff, 0x18, 0x00, 0x0c, 0xff, 0xaa, 0xff, 0x81, 0xff};
}

class Lockstep {
 public:
  Lockstep(BenchRun& run, const std::vector<BitsPerSecond>& rates,
           const std::vector<std::uint8_t>& lossless)
      : run_(run),
        model_(rates, lossless),
        rtl_(rates, lossless, run.rtl_options()),
        lossless_(lossless) {
    run_.at_cycle(rtl_.cycle());
  }
  PfcReceiver& model() { return model_; }

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
  void drain() {
    for (unsigned i = 0; i <= Twin::kLatency; ++i) clock(nullptr);
  }

 private:
  struct Due {
    std::uint64_t cycle;
    Twin::Answer answer;
  };

  Twin::Answer decide(const Twin::Request& r) {
    Twin::Answer answer;
    if (!r.frame.empty()) {
      try {
        obey(r, wire::decode_pfc(r.frame), answer);
      } catch (const TraceError&) {
        answer.pfc = false;
      }
    }
    answer.paused = model_.paused(r.port, r.now);
    for (std::uint32_t p = 0; p < kPriorities; ++p) answer.until[p] = model_.until(r.port, p);
    return answer;
  }
  /// The model knows one time a frame: a frame for each class is the same.
  void obey(const Twin::Request& r, const wire::Pfc& pfc, Twin::Answer& answer) {
    answer.pfc = true;
    answer.obeyed = pfc.enabled & lossless_[r.port];
    answer.ignored = static_cast<std::uint8_t>(pfc.enabled & ~unsigned{lossless_[r.port]});
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      if ((pfc.enabled >> p & 1u) == 0) continue;
      model_.receive(r.port, {static_cast<std::uint8_t>(1u << p), pfc.quanta[p]}, r.now);
    }
  }
  void compare(const Twin::Answer& model, const Twin::Answer& rtl) {
    run_.expect("out_pfc_o", model.pfc, rtl.pfc);
    run_.expect("out_obeyed_o", model.obeyed, rtl.obeyed);
    run_.expect("out_ignored_o", model.ignored, rtl.ignored);
    run_.expect("out_paused_o", model.paused, rtl.paused);
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      run_.expect("out_until_o", model.until[p].value, rtl.until[p].value);
    }
  }

  BenchRun& run_;
  PfcReceiver model_;
  Twin rtl_;
  std::vector<std::uint8_t> lossless_;
  std::deque<Due> due_;
};

class Stimulus {
 public:
  Stimulus(BenchRun& run, Lockstep& bench) : run_(run), bench_(bench) {}

  void directed() {
    for (std::uint32_t port = 0; port < kPorts; ++port) {
      for (const int quanta : {65535, 1, 0, 2, 65534, 0}) {
        wire::Pfc pfc{0xff, {}};
        pfc.quanta.fill(static_cast<std::uint16_t>(quanta));
        frame(port, pfc);
        look_around_ends(port);
      }
      stretches(port);
      damaged(port);
    }
    bench_.drain();
  }

  void random() {
    Bursts busy(run_.random());
    Twin::Request r;
    const std::uint64_t late = run_.cycle() + run_.cycles_left() / 2;
    while (run_.cycles_left() > 0) {
      // Late times too: all bits of them count.
      if (run_.cycle() == late) now_ = Ps{now_.value | run_.random().next_u64() >> 1};
      if (!busy.next()) {
        bench_.clock(nullptr);
        continue;
      }
      next(r);
      bench_.clock(&r);
    }
  }

 private:
  void frame(std::uint32_t port, const wire::Pfc& pfc) {
    const Twin::Request r{port, wire::pfc_frame(wire::Mac{2, 0, 0, 0, 0, 1}, pfc), now_};
    bench_.clock(&r);
  }
  void look_around_ends(std::uint32_t port) {
    const Ps end = bench_.model().next_resume(port, now_);
    if (end == kNever) return;
    for (const Ps at : {end - Ps{1}, end, end + Ps{1}}) {
      now_ = std::max(now_, at);
      const Twin::Request r{port, {}, now_};
      bench_.clock(&r);
    }
  }
  /// A shorter time overrides a longer one that runs, and the other way round.
  void stretches(std::uint32_t port) {
    for (const std::uint32_t quanta : {60000u, 7u, 50000u, 0u, 9u}) {
      wire::Pfc pfc{0xff, {}};
      for (std::uint32_t p = 0; p < kPriorities; ++p) {
        pfc.quanta[p] = static_cast<std::uint16_t>(quanta + 11 * p);
      }
      frame(port, pfc);
      now_ += Ps{100};
    }
  }
  /// Each bit of what makes a frame one of PFC, and PAUSE.
  void damaged(std::uint32_t port) {
    const wire::Pfc pfc{0xff, {500, 501, 502, 503, 504, 505, 506, 507}};
    const wire::Buffer good = wire::pfc_frame(wire::Mac{2, 0, 0, 0, 0, 1}, pfc);
    for (unsigned bit = 0; bit < 8 * 34; ++bit) {
      Twin::Request r{port, good, now_};
      r.frame[bit / 8] = static_cast<std::uint8_t>(r.frame[bit / 8] ^ 1u << bit % 8);
      bench_.clock(&r);
      now_ += Ps{1};
    }
    const Twin::Request pause{port, wire::pause_frame(wire::Mac{}, 0xffff), now_};
    bench_.clock(&pause);
  }
  void next(Twin::Request& r) {
    RandomStream& random = run_.random();
    // Half of the time the port of the request before, whose timers are still on their way.
    if (random.below(2) == 0) r.port = random.below(kPorts);
    const Ps end = bench_.model().next_resume(r.port, now_);
    if (end != kNever && random.below(4) == 0) {
      now_ = std::max(now_, end - Ps{random.below(2)});
    } else {
      now_ += Ps{random.below(random.below(8) == 0 ? 100'000'000 : 5'000)};
    }
    r.now = now_;
    r.frame.clear();
    if (random.below(3) == 0) return;
    wire::Pfc pfc{static_cast<std::uint8_t>(random.below(256)), {}};
    for (std::uint16_t& quanta : pfc.quanta) {
      const std::uint32_t draw = random.below(8);
      quanta = static_cast<std::uint16_t>(draw == 0 ? 0 : draw == 1 ? 65535 : random.below(65536));
    }
    r.frame = wire::pfc_frame(
        wire::Mac{2, 0, 0, 0, 0, static_cast<std::uint8_t>(random.below(256))}, pfc);
    if (random.below(16) != 0) return;
    const unsigned bit = random.below(8 * 64);
    r.frame[bit / 8] = static_cast<std::uint8_t>(r.frame[bit / 8] ^ 1u << bit % 8);
  }

  BenchRun& run_;
  Lockstep& bench_;
  Ps now_{1000};
};

Twin::Request read_request(RecordReader& in, std::size_t ports) {
  const bool frame = in.kind() == "frame";
  if (!frame && in.kind() != "look") in.refuse("frame or look");
  Twin::Request r;
  r.port = in.index("PORT", ports);
  if (frame) {
    wire::Pfc pfc{in.number<std::uint8_t>("CLASSES"), {}};
    const auto quanta = in.number<std::uint16_t>("QUANTA");
    for (unsigned p = 0; p < kPriorities; ++p) {
      if (pfc.enabled >> p & 1u) pfc.quanta[p] = quanta;
    }
    r.frame = wire::pfc_frame(wire::Mac{}, pfc);
  }
  r.now.value = in.number<std::uint64_t>("PS");
  return r;
}

void replay(BenchRun& run) {
  RecordReader in(run, "pfc_rx");
  std::vector<BitsPerSecond> rates;
  std::vector<std::uint8_t> lossless;
  in.expect_config("port");
  do {
    rates.push_back(BitsPerSecond{in.number<std::uint64_t>("RATE")});
    lossless.push_back(in.number<std::uint8_t>("LOSSLESS"));
  } while (in.config("port"));
  Lockstep bench(run, rates, lossless);
  while (in.next()) {
    const Twin::Request r = read_request(in, rates.size());
    bench.clock(&r);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  Lockstep bench(run, rates(), masks());
  Stimulus stimulus(run, bench);
  stimulus.directed();
  stimulus.random();
}

}  // namespace

Bench pfc_rx_bench() {
  return {"pfc_rx",
          {"a new time is added to the old one", "PAUSE of 802.3x read as PFC",
           "lossy priorities obey", "a running timer is not overridden", "times read little endian",
           "durations rounded to the nearest ps", "timers of the clock before not forwarded",
           "a pause ends one ps late", "ignored priorities are not told"},
          run_all};
}

}  // namespace sluice::cosim
