// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the adaptive pick: up to a pick every clock, member, busy, counters and
// latency compared with the C++ block. Policies, groups and grades at random from few values, so
// that ties, equal flow sets in clocks running, gaps of idle_time -1, 0 and +1 and draws at the
// threshold are common; members change between picks and with them; time passes 2^56.
#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "testbenches/cosim/ar_select/ar_select_lockstep.h"

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

/// What a running chip was asked (run --rtl-record): its policy, ports and groups, then picks.
class Replay {
 public:
  explicit Replay(BenchRun& run) : run_(run) {}

  void line(const std::string& text) {
    std::istringstream words(text);
    std::string kind;
    words >> kind;
    if (kind == "policy") {
      policy(words);
    } else if (kind == "alternates") {
      for (std::uint32_t port = 0; words >> port;) setup_.policy.alternate_ports.push_back(port);
      return;
    } else if (kind == "rates") {
      for (std::uint32_t rate = 0; words >> rate;) setup_.rates.push_back(rate);
      bench_.emplace(run_, setup_);
      return;
    } else if (!bench_) {
      run_.bad_record(text);
    } else if (kind == "group") {
      std::vector<std::uint16_t> ports;
      for (std::uint16_t port = 0; words >> port;) ports.push_back(port);
      bench_->add_group(ports);
      sizes_.push_back(ports.size());
      return;
    } else if (kind == "link") {
      std::uint16_t port = 0;
      bool up = false;
      words >> port >> up;
      bench_->set_link_after(port, up);
      bench_->clock(nullptr, {});
    } else if (kind == "capacity") {
      std::uint32_t group = 0;
      std::uint16_t port = 0;
      std::uint32_t weight = 0;
      words >> group >> port >> weight;
      bench_->set_capacity_after(group, port, weight);
      bench_->clock(nullptr, {});
    } else if (kind == "pick") {
      pick(words);
    } else {
      run_.bad_record(text);
    }
    if (!words) run_.bad_record(text);
  }
  void end() {
    if (!bench_) run_.bad_record("");
    bench_->drain();
  }

 private:
  void policy(std::istream& words) {
    SelectorPolicy& p = setup_.policy;
    unsigned keep = 0;
    words >> keep >> p.former_if_best >> p.by_grade >> p.any_free >> p.weighted >> p.flow_sets >>
        p.idle_time.value >> p.alternate_from >> p.alternate_cost >> p.rebalance_delta >>
        p.rebalance_below >> setup_.grades;
    p.keep = static_cast<SelectorPolicy::Keep>(keep);
  }
  void pick(std::istream& words) {
    PickRequest r;
    words >> r.group >> r.flow_hash >> r.now.value >> r.draw >> r.move;
    if (!words || r.group >= sizes_.size()) {
      words.setstate(std::ios::failbit);
      return;
    }
    sights_.resize(sizes_[r.group]);
    for (GradedSelector::Sight& sight : sights_) words >> sight.grade >> sight.demoted;
    if (words) bench_->clock(&r, sights_);
  }

  BenchRun& run_;
  SelectorSetup setup_;
  std::optional<SelectorLockstep> bench_;
  std::vector<std::size_t> sizes_;
  Sights sights_;
};

void run_all(BenchRun& run) {
  if (run.options().replay.empty()) return random(run);
  std::ifstream in(run.options().replay);
  Replay replay(run);
  for (std::string line; run.cycles_left() > 0 && std::getline(in, line);) replay.line(line);
  replay.end();
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
