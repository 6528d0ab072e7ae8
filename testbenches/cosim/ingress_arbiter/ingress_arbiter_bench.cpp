// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the ingress arbiter, both policies: every clock all outputs are compared with
// the C++ block.
// Directed: latency through an empty arbiter, each port alone, all ports at once, a pipeline that
// stalls with full FIFOs; then bursts at random, a duty cycle a port and one for the pipeline.
#include <array>

#include "rtl/ingress_arbiter/ingress_arbiter_twin.h"
#include "testbenches/cosim/harness/bench.h"

namespace sluice::cosim {
namespace {

class Lockstep {
 public:
  Lockstep(BenchRun& run, ArbiterPolicy policy)
      : run_(run),
        ports_(rtl::IngressArbiterTwin::params(policy).ports),
        model_(rtl::IngressArbiterTwin::params(policy)),
        rtl_(policy, run.rtl_options()) {
    in_.desc.resize(ports_);
    run_.at_cycle(rtl_.cycle());
    compare();
  }

  std::uint32_t ports() const { return ports_; }
  /// One clock: ports of `want` bring a packet. One that was not ready stays as it is until it is.
  void clock(std::uint64_t want, bool out_ready) {
    in_.out_ready = out_ready;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const bool waits = (in_.valid >> port & 1u) != 0;
      if (waits || (want >> port & 1u) == 0) continue;
      in_.valid |= std::uint64_t{1} << port;
      in_.desc[port] = run_.random().next_u32();
      run_.count_transaction();
    }
    const std::uint64_t taken = in_.valid & model_.outputs().ready;
    model_.clock(in_);
    rtl_.clock(in_);
    in_.valid &= ~taken;
    compare();
    run_.at_cycle(rtl_.cycle());
  }
  void drain() {
    for (int i = 0; i < 64 && (in_.valid != 0 || model_.outputs().valid); ++i) clock(0, true);
  }
  bool valid() const { return model_.outputs().valid; }

 private:
  void compare() {
    const IngressArbiter::Outputs model = model_.outputs();
    const IngressArbiter::Outputs rtl = rtl_.outputs();
    run_.expect("in_ready_o", model.ready, rtl.ready);
    run_.expect("out_valid_o", model.valid, rtl.valid);
    if (!model.valid) return;
    run_.expect("out_port_o", model.port, rtl.port);
    run_.expect("out_desc_o", model.desc, rtl.desc);
  }

  BenchRun& run_;
  std::uint32_t ports_;
  IngressArbiter model_;
  rtl::IngressArbiterTwin rtl_;
  IngressArbiter::Inputs in_;
};

void directed(BenchRun& run, Lockstep& bench) {
  const std::uint64_t all = (std::uint64_t{1} << bench.ports()) - 1;
  for (std::uint32_t port = 0; port < bench.ports(); ++port) {
    bench.clock(std::uint64_t{1} << port, true);
    for (unsigned i = 1; i < rtl::IngressArbiterTwin::kLatency; ++i) {
      run.expect("latency", 0, bench.valid());
      bench.clock(0, true);
    }
    run.expect("latency", 1, bench.valid());
    bench.drain();
  }
  for (int i = 0; i < 40; ++i) bench.clock(all, true);
  for (int i = 0; i < 12; ++i) bench.clock(all, false);
  bench.drain();
  for (int i = 0; i < 40; ++i) bench.clock(0x81, i % 3 != 0);
  bench.drain();
}

void random(BenchRun& run, Lockstep& bench, std::uint64_t until_left) {
  std::vector<Bursts> coming(bench.ports(), Bursts(run.random()));
  Bursts taken(run.random());
  while (run.cycles_left() > until_left) {
    std::uint64_t want = 0;
    for (std::uint32_t port = 0; port < bench.ports(); ++port) {
      // Ports together bring about what the pipeline takes: queues build up and run empty.
      if (coming[port].next() && run.random().below(4) == 0) want |= std::uint64_t{1} << port;
    }
    bench.clock(want, taken.next());
  }
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) run.bad_record("ingress_arbiter is in no fabric");
  // Several times from reset: what it forgets starts at random.
  constexpr std::array kPolicies{ArbiterPolicy::kRoundRobin, ArbiterPolicy::kOldestFirst};
  for (int i = 0; i < 8; ++i) {
    Lockstep bench(run, kPolicies[i % 2]);
    directed(run, bench);
  }
  const std::uint64_t half = run.cycles_left() / 2;
  for (const ArbiterPolicy policy : kPolicies) {
    Lockstep bench(run, policy);
    random(run, bench, policy == kPolicies[0] ? half : 0);
  }
}

}  // namespace

Bench ingress_arbiter_bench() {
  return {"ingress_arbiter",
          {"a stalled pipeline loses its packet", "the lowest port always comes first",
           "the turn moves though nobody waits", "the turn stays at the port that had it",
           "the output stays valid when nothing follows", "a FIFO is full one packet early",
           "a full FIFO takes a packet", "FIFOs are not empty after reset",
           "a FIFO's read pointer wraps one too early",
           "a packet that comes as another goes is not counted",
           "oldest first: a clock is over with its first packet",
           "oldest first: of one clock the highest port comes first",
           "oldest first: a packet that was not taken is noted",
           "oldest first: of a clock's packets only the last one granted is known"},
          run_all};
}

}  // namespace sluice::cosim
