// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the adaptive pick: up to a pick every clock, member, busy, counters and
// latency compared with the C++ block. Policies, groups and grades at random from few values, so
// that ties, equal flow sets in clocks running, gaps of idle_time -1, 0 and +1 and draws at the
// threshold are common; members change between picks and with them; time passes 2^56.
#include <algorithm>

#include "testbenches/cosim/ar_select/ar_select_lockstep.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using Sights = rtl::ArSelectTwin::Sights;
constexpr std::uint32_t kPorts = 80;

struct Drawn {
  SelectorSetup setup;
  std::vector<std::vector<std::uint16_t>> groups;
};

bool chance(RandomStream& random, std::uint32_t of) { return random.below(of) == 0; }

SelectorPolicy policy_of(RandomStream& random) {
  SelectorPolicy p;
  p.keep = static_cast<SelectorPolicy::Keep>(random.below(3));
  p.former_if_best = chance(random, 2);
  p.by_grade = !chance(random, 4);
  p.any_free = chance(random, 3);
  p.weighted = chance(random, 2);
  const std::uint32_t flow_sets[] = {0, 1, 3, 16, 512};
  p.flow_sets = flow_sets[random.below(5)];
  p.idle_time = Ps{2 + random.below(40)};
  if (chance(random, 2)) {
    p.alternate_from = random.below(4);
    p.alternate_cost = random.below(3);
  }
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    if (chance(random, 4)) p.alternate_ports.push_back(port);
  }
  if (chance(random, 2)) {
    p.rebalance_delta = 1 + random.below(3);
    p.rebalance_below = chance(random, 4) ? std::uint64_t{1} << 32 : random.next_u32();
  }
  return p;
}

Drawn draw_setup(RandomStream& random) {
  Drawn drawn;
  drawn.setup.policy = policy_of(random);
  drawn.setup.grades = chance(random, 4) ? 256 : 2 + random.below(7);
  for (std::uint32_t i = 0; i < kPorts; ++i) {
    drawn.setup.rates.push_back(i == 0 ? 1 : 1 + random.below(8));
  }
  const std::uint32_t groups = 1 + random.below(6);
  for (std::uint32_t g = 0; g < groups; ++g) {
    std::vector<std::uint16_t> ports(kPorts);
    for (std::uint32_t i = 0; i < kPorts; ++i) ports[i] = static_cast<std::uint16_t>(i);
    for (std::uint32_t i = kPorts - 1; i > 0; --i) std::swap(ports[i], ports[random.below(i + 1)]);
    ports.resize(chance(random, 4) ? rtl::ArSelectTwin::kMaxMembers : 1 + random.below(8));
    drawn.groups.push_back(std::move(ports));
  }
  return drawn;
}

class Traffic {
 public:
  Traffic(RandomStream& random, const Drawn& drawn) : random_(random), drawn_(drawn) {
    request_.now = Ps{(std::uint64_t{1} << 56) - 3000};  // of which the RTL sees the lower 56 bits
  }

  const PickRequest& next() {
    const SelectorPolicy& p = drawn_.setup.policy;
    // Half of the time the flow set of the clock before: its update is still on its way.
    if (chance(random_, 2)) {
      request_.group = random_.below(static_cast<std::uint32_t>(drawn_.groups.size()));
      request_.flow_hash = random_.next_u32();
    }
    const std::uint64_t idle = p.idle_time.value;
    const std::uint64_t gaps[] = {1, 1, idle - 1, idle, idle + 1, 3};
    request_.now += Ps{gaps[random_.below(6)]};
    const std::uint32_t draws[] = {0, UINT32_MAX, 1u << 31, random_.next_u32()};
    request_.draw = draws[random_.below(4)];
    const std::uint64_t moves[] = {p.rebalance_below - 1, p.rebalance_below, p.rebalance_below + 1,
                                   random_.next_u32()};
    request_.move = static_cast<std::uint32_t>(moves[random_.below(4)]);
    return request_;
  }
  const Sights& sights() {
    sights_.clear();
    const std::uint32_t span = std::min(drawn_.setup.grades, 1 + random_.below(6));
    const std::uint32_t lift = chance(random_, 2) ? drawn_.setup.grades - span : 0;
    for (std::size_t i = 0; i < drawn_.groups[request_.group].size(); ++i) {
      sights_.push_back({lift + random_.below(span), chance(random_, 8)});
    }
    return sights_;
  }
  void change(SelectorLockstep& bench) {
    const std::uint32_t group = random_.below(static_cast<std::uint32_t>(drawn_.groups.size()));
    const std::vector<std::uint16_t>& ports = drawn_.groups[group];
    const std::uint16_t port = ports[random_.below(static_cast<std::uint32_t>(ports.size()))];
    if (chance(random_, 2)) {
      bench.set_link_after(port, !chance(random_, 3));
    } else {
      const std::uint32_t weights[] = {0, 1, 1, 7, 8191};
      bench.set_capacity_after(group, port, weights[random_.below(5)]);
    }
  }

 private:
  RandomStream& random_;
  const Drawn& drawn_;
  PickRequest request_;
  Sights sights_;
};

void random(BenchRun& run) {
  while (run.cycles_left() > 0) {
    const Drawn drawn = draw_setup(run.random());
    SelectorLockstep bench(run, drawn.setup);
    for (const std::vector<std::uint16_t>& ports : drawn.groups) bench.add_group(ports);
    Traffic traffic(run.random(), drawn);
    Bursts busy(run.random());
    for (unsigned i = 0; i < 500 && run.cycles_left() > 0; ++i) {
      if (chance(run.random(), 32)) traffic.change(bench);
      if (!busy.next()) {
        bench.clock(nullptr, {});
        continue;
      }
      const PickRequest& request = traffic.next();
      bench.clock(&request, traffic.sights());
    }
    bench.drain();
  }
}

SelectorSetup read_setup(RecordReader& in) {
  SelectorSetup setup;
  SelectorPolicy& p = setup.policy;
  in.expect_config("policy");
  p.keep = static_cast<SelectorPolicy::Keep>(
      in.index("KEEP", static_cast<std::size_t>(SelectorPolicy::Keep::kAlways) + 1));
  p.former_if_best = in.flag("FORMER_IF_BEST");
  p.by_grade = in.flag("BY_GRADE");
  p.any_free = in.flag("ANY_FREE");
  p.weighted = in.flag("WEIGHTED");
  p.flow_sets = in.number<decltype(p.flow_sets)>("FLOW_SETS");
  p.idle_time.value = in.number<std::uint64_t>("IDLE_PS");
  p.alternate_from = in.number<decltype(p.alternate_from)>("ALTERNATE_FROM");
  p.alternate_cost = in.number<decltype(p.alternate_cost)>("ALTERNATE_COST");
  p.rebalance_delta = in.number<decltype(p.rebalance_delta)>("REBALANCE_DELTA");
  p.rebalance_below = in.number<decltype(p.rebalance_below)>("REBALANCE_BELOW");
  setup.grades = in.number<std::uint32_t>("GRADES");
  in.expect_config("alternates");
  while (in.more_words()) {
    p.alternate_ports.push_back(in.number<std::uint16_t>("PORT"));
  }
  in.expect_config("rates");
  while (in.more_words()) setup.rates.push_back(in.number<std::uint32_t>("RATE"));
  return setup;
}

/// What a running chip was asked (run --rtl-record): groups, changes of members, picks.
class Replay {
 public:
  Replay(RecordReader& in, const SelectorSetup& setup, SelectorLockstep& bench)
      : in_(in), ports_(setup.rates.size()), bench_(bench) {}

  void line() {
    if (in_.kind() == "pick") {
      pick();
    } else if (in_.kind() == "group") {
      std::vector<std::uint16_t> ports;
      while (in_.more_words()) ports.push_back(port());
      bench_.add_group(ports);
      sizes_.push_back(ports.size());
    } else if (in_.kind() == "link") {
      const std::uint16_t changed = port();
      bench_.set_link_after(changed, in_.flag("UP"));
      bench_.clock(nullptr, {});
    } else if (in_.kind() == "capacity") {
      const std::uint32_t group = in_.index("GROUP", sizes_.size());
      const std::uint16_t changed = port();
      bench_.set_capacity_after(group, changed, in_.number<std::uint32_t>("WEIGHT"));
      bench_.clock(nullptr, {});
    } else {
      in_.refuse("group, link, capacity or pick");
    }
  }

 private:
  std::uint16_t port() { return static_cast<std::uint16_t>(in_.index("PORT", ports_)); }
  void pick() {
    PickRequest r;
    r.group = in_.index("GROUP", sizes_.size());
    r.flow_hash = in_.number<decltype(r.flow_hash)>("FLOW_HASH");
    r.now.value = in_.number<std::uint64_t>("PS");
    r.draw = in_.number<decltype(r.draw)>("DRAW");
    r.move = in_.number<decltype(r.move)>("MOVE");
    sights_.resize(sizes_[r.group]);
    for (GradedSelector::Sight& sight : sights_) {
      sight.grade = in_.number<decltype(sight.grade)>("GRADE");
      sight.demoted = in_.flag("DEMOTED");
    }
    bench_.clock(&r, sights_);
  }

  RecordReader& in_;
  std::size_t ports_;
  SelectorLockstep& bench_;
  std::vector<std::size_t> sizes_;  ///< of the groups
  Sights sights_;
};

void replay(BenchRun& run) {
  RecordReader in(run, "ar_select");
  const SelectorSetup setup = read_setup(in);
  SelectorLockstep bench(run, setup);
  Replay replay(in, setup, bench);
  while (in.next()) replay.line();
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  random(run);
}

}  // namespace

Bench ar_select_bench() {
  return {"ar_select",
          {"a port that is down is picked", "notifications ignored",
           "alternates at equal cost are taken", "primaries and alternates mixed",
           "weights count though they are off", "draw at a member's bound falls to it",
           "flow set of the clock before not forwarded", "a flow set's first member is not empty",
           "stays at exactly the idle time", "rebalances at the probability itself",
           "time of a flow set only renewed on a move"},
          run_all};
}

}  // namespace sluice::cosim
