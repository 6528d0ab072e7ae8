// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the shared buffer's admission: up to a request every clock, drop reason, XOFF,
// XON, all counts of the request's group, queue, slice and chip, watermarks and latency compared
// with the C++ block. Directed: one group filled to its last drop and emptied, all ports at once;
// then bursts at random that fill and drain.
#include <algorithm>
#include <deque>

#include "rtl/mmu_admission/mmu_admission_twin.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"
#include "testbenches/cosim/mmu_admission/mmu_replay.h"
#include "testbenches/cosim/mmu_admission/mmu_sets.h"

namespace sluice::cosim {
namespace {

using rtl::MmuAdmissionTwin;
using rtl::MmuState;

/// What the model has answered, to be sure that the stimulus reached it.
struct Met {
  std::array<std::uint64_t, kDropReasons> drops{};
  std::uint64_t xoffs = 0;
  std::uint64_t xons = 0;
};

class Lockstep {
 public:
  Lockstep(BenchRun& run, Met& met, const MmuParams& params, const MmuGeometry& geometry)
      : run_(run),
        met_(met),
        model_(make_mmu(params, geometry)),
        rtl_(params, geometry, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  /// One clock with an admission; true: the packet is in the buffer.
  bool admit(const MmuRequest& r) {
    const AdmitResult result = model_->admit(r);
    ++met_.drops[static_cast<std::size_t>(result.drop)];
    met_.xoffs += result.xoff;
    expect_later(r, result, false);
    clock({r, false});
    return result.drop == DropReason::kNone;
  }
  void release(const MmuRequest& r) {
    const bool xon = model_->release(r);
    met_.xons += xon;
    expect_later(r, {}, xon);
    clock({r, true});
  }
  std::uint32_t free_cells() const { return model_->totals().total - model_->totals().used; }
  void idle() { compare(rtl_.clock(nullptr)); }
  void drain() {
    for (unsigned i = 0; i <= MmuAdmissionTwin::kLatency; ++i) idle();
    rtl_.check_conservation();
  }

 private:
  struct Due {
    std::uint64_t cycle;
    AdmitResult result;
    bool xon;
    MmuRequest request;
    MmuState state;
  };

  void expect_later(const MmuRequest& r, const AdmitResult& result, bool xon) {
    run_.count_transaction();
    due_.push_back({rtl_.cycle() + MmuAdmissionTwin::kLatency, result, xon, r,
                    MmuState::of(*model_, r, rtl_.slice_of(r))});
  }
  void clock(const MmuAdmissionTwin::Command& command) { compare(rtl_.clock(&command)); }
  void compare(const rtl::MmuAnswer& answer) {
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (is_due) {
      const Due& due = due_.front();
      run_.expect("out_drop_o", static_cast<std::uint64_t>(due.result.drop),
                  static_cast<std::uint64_t>(answer.drop));
      run_.expect("out_slice_o", rtl_.slice_of(due.request), answer.slice);
      rtl::compare_states(due.state, MmuState::of(rtl_, due.request, answer.slice),
                          [this](std::string_view name, std::uint64_t model, std::uint64_t rtl) {
                            run_.expect(name, model, rtl);
                          });
      run_.expect("out_pg_total_o", due.state.pg.total(), answer.pg_total);
      run_.expect("out_xoff_o", due.result.xoff, answer.xoff);
      run_.expect("out_xon_o", due.xon, answer.xon);
      due_.pop_front();
    }
    run_.at_cycle(rtl_.cycle());
  }

  BenchRun& run_;
  Met& met_;
  std::unique_ptr<Mmu> model_;
  MmuAdmissionTwin rtl_;
  std::deque<Due> due_;
};

/// Packets through one MMU, back to back, until a cycle is reached.
class Traffic {
 public:
  Traffic(BenchRun& run, Met& met, const MmuSet& set, std::uint64_t end)
      : run_(run), set_(set), end_(end), bench_(run, met, set.params, set.geometry) {}

  void drive() {
    too_large();
    for (const std::uint8_t n : {std::uint8_t{3}, std::uint8_t{0}}) {
      fill_and_empty({0, n, 1, n, set_.small});
      fill_and_empty({1, n, 1, 3, (set_.small + 3) / 4});
      fill_all_ports(n);
    }
    one_by_one();
    across_slices();
    random();
    empty(0);
    bench_.drain();
  }

 private:
  bool time_left(std::uint64_t reserve = 0) const { return run_.cycle() + reserve < end_; }
  std::uint32_t below(std::uint32_t n) { return run_.random().below(n); }
  bool admit(const MmuRequest& r) {
    if (!bench_.admit(r)) return false;
    held_.push_back(r);
    return true;
  }
  void release(std::size_t i) {
    const MmuRequest r = held_[i];
    held_[i] = held_.back();
    held_.pop_back();
    bench_.release(r);
  }
  void empty(std::size_t left) {
    while (held_.size() > left) release(held_.size() - 1);
  }

  /// Packets around the cells that there are, into an empty buffer and after one cell.
  void too_large() {
    for (int held = 0; held < 2; ++held) {
      for (const std::uint8_t n : {std::uint8_t{3}, std::uint8_t{0}}) {
        const std::uint32_t free = bench_.free_cells();
        for (std::uint32_t cells = free - 1; cells <= free + 1 && cells <= UINT16_MAX; ++cells) {
          admit({0, n, 1, n, cells});
        }
      }
      if (held == 0) admit({0, 3, 1, 3, 1});
    }
    empty(0);
  }
  /// One group, in clocks running: through minimum, shared and headroom to drops, and back.
  void fill_and_empty(const MmuRequest& r) {
    for (int refused = 0; refused < 3 && time_left();) refused += !admit(r);
    empty(0);
  }
  /// All ports take turns, so that pools and the headroom that groups share end.
  void fill_all_ports(std::uint8_t n) {
    const std::uint32_t ports = std::min(set_.geometry.ports, 8u);
    for (std::uint32_t refused = 0, i = 0; refused < 3 * ports && time_left(); ++i) {
      const auto in = static_cast<std::uint16_t>(i % ports);
      const auto out = static_cast<std::uint16_t>(i / 3 % ports);
      refused += !admit({in, static_cast<std::uint8_t>(n + i / 7 % 2), out, n, set_.small});
    }
    empty(0);
  }
  /// The same packet comes and goes around a limit: every step of XOFF and XON on its own.
  void one_by_one() {
    const MmuRequest big{0, 3, 2, 3, set_.small};
    const MmuRequest one{0, 3, 2, 3, std::max(1u, set_.small / 9)};
    for (int refused = 0; refused < 1 && time_left();) refused += !admit(big);
    for (int i = 0; i < 60 && time_left(); ++i) {
      if (!held_.empty()) release(0);
      admit(one);
      if (held_.size() > 1) release(held_.size() - 1);
    }
    empty(0);
  }

  /// One group stopped towards several egress ports, so in several slices where those count; and
  /// stopped by a packet lost in one slice while all it holds lies in another.
  void across_slices() {
    const auto ports = static_cast<std::uint16_t>(std::min(set_.geometry.ports, 8u));
    for (std::uint16_t out = 0; out < ports; ++out) {
      for (int refused = 0; refused < 1 && time_left();) {
        refused += !admit({0, 3, out, 3, set_.small});
      }
    }
    const auto nearest = [](const MmuRequest& a, const MmuRequest& b) {
      return a.egress_port < b.egress_port;
    };
    while (!held_.empty()) {
      const auto next = std::min_element(held_.begin(), held_.end(), nearest);
      release(static_cast<std::size_t>(next - held_.begin()));
    }
    for (std::uint16_t out = 0; out < ports && time_left(8); ++out) {
      admit({0, 3, 0, 3, 1});
      admit({0, 3, out, 3, UINT16_MAX});
      empty(0);
    }
  }

  /// A packet near the burst's: often the very same accounts as in the clock before.
  MmuRequest next_packet() {
    if (below(24) == 0) hot_ = any_packet();
    MmuRequest r = hot_;
    const MmuRequest other = any_packet();
    switch (below(8)) {
      case 0:
        r.ingress_port = other.ingress_port;
        break;
      case 1:
        r.egress_port = other.egress_port;
        break;
      case 2:
        r.pg = other.pg;
        break;
      case 3:
        r.queue = other.queue;
        break;
      case 4:
        r = other;
        break;
      default:
        break;
    }
    r.cells = static_cast<std::uint16_t>(1 + below(below(8) == 0 ? set_.large : set_.small));
    return r;
  }
  MmuRequest any_packet() {
    static constexpr std::array<std::uint8_t, 8> kClasses{3, 3, 4, 3, 0, 0, 5, 7};
    const std::uint8_t pg = kClasses[below(8)];
    return {static_cast<std::uint16_t>(below(set_.geometry.ports)), pg,
            static_cast<std::uint16_t>(below(set_.geometry.ports)),
            below(4) == 0 ? kClasses[below(8)] : pg, 1};
  }
  void random() {
    Bursts busy(run_.random());
    std::uint32_t admits_of_16 = 8;
    for (std::uint64_t step = 0; time_left(held_.size()); ++step) {
      // Fill for a while, then drain for a while, at rates that change.
      if (step % 128 == 0) admits_of_16 = below(2) == 0 ? 9 + below(8) : 1 + below(8);
      if (!busy.next()) {
        bench_.idle();
      } else if (held_.empty() || below(16) < admits_of_16) {
        admit(next_packet());
      } else {
        // The last packet is often the one of the clock before.
        release(below(2) == 0 ? held_.size() - 1 : below(static_cast<std::uint32_t>(held_.size())));
      }
    }
  }

  BenchRun& run_;
  const MmuSet& set_;
  std::uint64_t end_;
  Lockstep bench_;
  std::vector<MmuRequest> held_;
  MmuRequest hot_{0, 3, 1, 3, 1};
};

/// What a running chip was asked (run --rtl-record).
void replay(BenchRun& run) {
  RecordReader in(run, "mmu_admission");
  const MmuSetup setup = read_mmu_setup(in);
  Met met;
  Lockstep bench(run, met, setup.params, setup.geometry);
  while (in.next()) {
    const MmuReplayed read = read_mmu_request(in, setup.geometry);
    if (read.release) bench.release(read.request);
    if (!read.release) bench.admit(read.request);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::vector<MmuSet> sets = mmu_sets();
  Met met;
  for (std::size_t i = 0; i < sets.size() && run.cycles_left() > 0; ++i) {
    Traffic(run, met, sets[i], run.cycle() + run.cycles_left() / (sets.size() - i)).drive();
  }
  if (run.options().cycles < 20000) return;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    run.expect(drop_reason_name(static_cast<DropReason>(i)), true, met.drops[i] != 0);
  }
  run.expect("XOFF met", true, met.xoffs != 0);
  run.expect("XON met", true, met.xons != 0);
}

}  // namespace

Bench mmu_admission_bench() {
  return {"mmu_admission",
          {"cells of lossless queues given back to the pool of lossy ones",
           "a queue's counts of the clock before not forwarded",
           "a group's minimum of the clock before not forwarded",
           "an ingress port's counts of the clock before not forwarded",
           "XOFF of the clock before not forwarded",
           "XOFF a cell late",
           "limit without the packet itself",
           "shared cells given back before headroom",
           "private headroom counted in the shared headroom pool",
           "an empty group is stopped",
           "XON with headroom in use",
           "the last cell of a minimum not used",
           "slice of the ingress port where it should be the egress port's",
           "limit of a port without its other groups",
           "a full queue hides a full group",
           "cells of a port's reserve given back to the pool",
           "XON a cell late",
           "the last free cell not used",
           "XON while another slice is stopped",
           "an empty group still stopped by another slice",
           "a group's counts of the clock before not forwarded",
           "a queue's minimum of the clock before not forwarded",
           "an egress port's counts of the clock before not forwarded",
           "limit of ports in the lossy pool too"},
          run_all};
}

}  // namespace sluice::cosim
