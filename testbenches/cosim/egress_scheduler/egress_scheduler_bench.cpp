// SPDX-License-Identifier: Apache-2.0
// Bench of the egress scheduler: up to a request every clock; choice, deficits, whose turn it is,
// held queues, opening times of buckets, readiness and latency. Directed: heads one byte around
// the deficit, deficits up to their limit, buckets one ps around their opening; then bursts at
// random.

#include "testbenches/cosim/egress_scheduler/scheduler_lockstep.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using Twin = rtl::EgressSchedulerTwin;
using Kind = Twin::Kind;
using Request = Twin::Request;

constexpr std::uint32_t kPorts = 12;
constexpr std::uint32_t kLargestHead = (1u << 14) - 1;

/// The default; small quanta, so that a choice takes rounds; quanta that reach the limit; strict
/// queues alone; odd shapers of queues and port; the slowest and the fastest shaper.
std::vector<SchedulerParams> profiles() {
  std::vector<SchedulerParams> all(6);
  all[1].strict_queues.clear();
  all[1].weights = {1, 2, 3, 5, 7, 11, 40, 100};
  all[1].quantum_bytes = Bytes{64};
  all[2].strict_queues = {7};
  all[2].weights = {100, 1, 100, 50, 2, 25, 100, 1};
  all[2].quantum_bytes = Bytes{65536};
  all[3].strict_queues = {0, 1, 2, 3, 4, 5, 6, 7};
  all[4].queue_shapers = {100000, 0, 333333, 7, 12345, 0, 999983, 400000};
  all[4].queue_bursts = {64, 64, 20000, 1000, 9236, 64, 100, 1000000};
  all[4].port_shaper = BitsPerSecond{777'777'777'777};
  all[4].port_burst = Bytes{30000};
  all[5].strict_queues = {0, 7};
  all[5].quantum_bytes = Bytes{300};
  all[5].queue_shapers = {1, 1600000, 0, 0, 1, 3, 1599999, 800000};
  return all;
}

std::vector<std::uint16_t> profile_of_port(std::size_t profiles) {
  std::vector<std::uint16_t> of;
  for (std::uint32_t port = 0; port < kPorts; ++port) {
    of.push_back(static_cast<std::uint16_t>(port % profiles));
  }
  return of;
}

class Stimulus {
 public:
  Stimulus(BenchRun& run, SchedulerLockstep& bench) : run_(run), bench_(bench) {}

  void directed() {
    for (std::uint32_t port = 0; port < kPorts / 2; ++port) {
      edges_of_deficits(port);
      edges_of_buckets(port);
    }
    limit_of_deficits();
    bench_.drain();
  }

  void random() {
    Bursts busy(run_.random());
    Request request;
    bool waits = false;
    std::uint64_t late = run_.cycle() + run_.cycles_left() / 2;
    while (run_.cycles_left() > 0) {
      // Late times too: all bits of them count.
      if (run_.cycle() >= late && !waits) {
        now_ = Ps{now_.value | run_.random().next_u64() >> 1};
        late = UINT64_MAX;
      }
      if (!waits && busy.next()) {
        request = next(request.port);
        waits = true;
      }
      if (bench_.clock(waits ? &request : nullptr)) waits = false;
    }
  }

 private:
  /// Heads that the next grant of a queue just covers, misses by a byte, and exceeds by one.
  void edges_of_deficits(std::uint32_t port) {
    for (std::uint32_t mask : {0x03u, 0x30u, 0xffu, 0x01u, 0x80u}) {
      for (const int step : {0, 1, -1, 0}) {
        for (int turns = 0; turns < 4; ++turns) {
          Request r;
          r.port = port;
          r.waiting = static_cast<std::uint8_t>(mask);
          r.now = now_;
          for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) r.heads[q] = edge(port, q, step);
          bench_.ask(r);
        }
      }
      ask(Kind::kEmptied, port, 5);
      ask(Kind::kEmptied, port, 0);
    }
  }
  /// A queue paused after the first frame of each of its turns.
  void limit_of_deficits() {
    for (int turn = 0; turn < 5; ++turn) {
      Request r;
      r.port = 2;
      r.waiting = 0x03;
      r.heads.fill(84);
      r.now = now_;
      bench_.ask(r);
      r.paused = 0x01;
      bench_.ask(r);
    }
  }
  void edges_of_buckets(std::uint32_t port) {
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      for (int frame = 0; frame < 3; ++frame) {
        ask(Kind::kSent, port, q, 84 + 4567 * static_cast<std::uint32_t>(frame));
        const Ps opens = bench_.model().next_open(port, 1u << q, now_);
        if (opens == kNever) continue;
        for (const std::uint64_t at : {opens.value - 1, opens.value, opens.value + 1}) {
          now_ = Ps{at};
          ask(Kind::kHeld, port, q);
        }
      }
    }
  }
  void ask(Kind kind, std::uint32_t port, std::uint32_t queue, std::uint32_t bytes = 0) {
    Request r;
    r.kind = kind;
    r.port = port;
    r.queue = queue;
    r.bytes = bytes;
    r.now = now_;
    bench_.ask(r);
  }
  /// A head that needs `step` bytes more than some grants give.
  std::uint32_t edge(std::uint32_t port, std::uint32_t queue, int step) {
    const std::int64_t grants = run_.random().below(3);
    const std::int64_t bytes = std::int64_t{bench_.model().deficit(port, queue)} +
                               grants * bench_.quanta(port)[queue] + step;
    return static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes, 64, kLargestHead));
  }

  Request next(std::uint32_t last_port) {
    RandomStream& random = run_.random();
    Request r;
    // Half of the time the port of the request before, whose state is still on its way.
    r.port = random.below(2) == 0 ? last_port : random.below(kPorts);
    r.queue = random.below(kSchedulerQueues);
    r.bytes = 84 + random.below(kLargestHead - 83);
    pass_time(r);
    r.now = now_;
    const std::uint32_t draw = random.below(20);
    r.kind = draw < 11   ? Kind::kPick
             : draw < 14 ? Kind::kEmptied
             : draw < 17 ? Kind::kSent
                         : Kind::kHeld;
    if (r.kind == Kind::kSent && (bench_.model().held(r.port, now_) >> r.queue & 1u) != 0 &&
        random.below(8) != 0) {
      r.kind = Kind::kHeld;
    }
    if (r.kind != Kind::kPick) return r;
    r.waiting = static_cast<std::uint8_t>(random.below(256) | random.below(256));
    r.paused =
        random.below(3) == 0 ? static_cast<std::uint8_t>(random.below(256)) : std::uint8_t{0};
    const bool small = random.below(2) == 0;
    for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
      r.heads[q] = random.below(4) == 0 ? edge(r.port, q, static_cast<int>(random.below(3)) - 1)
                                        : 84 + random.below(small ? 200 : kLargestHead - 83);
    }
    return r;
  }
  /// Mostly the time of a frame; sometimes to the ps at which a bucket opens, or the one before.
  void pass_time(const Request& r) {
    RandomStream& random = run_.random();
    const Ps opens = bench_.model().next_open(r.port, 1u << r.queue, now_);
    if (opens != kNever && random.below(4) == 0) {
      now_ = opens - Ps{random.below(2)};
    } else {
      now_ += Ps{random.below(random.below(16) == 0 ? 1'000'000 : 2'000)};
    }
  }

  BenchRun& run_;
  SchedulerLockstep& bench_;
  Ps now_{1000};
};

SchedulerParams read_profile(RecordReader& in) {
  SchedulerParams params;
  params.strict_queues.clear();
  const auto strict = in.number<std::uint8_t>("STRICT_MASK");
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    if (strict >> q & 1u) params.strict_queues.push_back(q);
  }
  params.quantum_bytes.value = in.number<std::uint64_t>("QUANTUM");
  for (std::uint32_t& weight : params.weights) weight = in.number<std::uint32_t>("WEIGHT");
  params.port_shaper.value = in.number<std::uint64_t>("PORT_RATE");
  params.port_burst.value = in.number<std::uint64_t>("PORT_BURST");
  params.queue_shapers.resize(kSchedulerQueues);
  params.queue_bursts.resize(kSchedulerQueues);
  for (std::uint32_t& rate : params.queue_shapers) rate = in.number<std::uint32_t>("RATE");
  for (std::uint32_t& burst : params.queue_bursts) burst = in.number<std::uint32_t>("BURST");
  return params;
}

Request read_request(RecordReader& in, std::size_t ports) {
  Request r;
  const std::string kind(in.kind());
  if (kind != "pick" && kind != "emptied" && kind != "sent" && kind != "held") {
    in.refuse("pick, emptied, sent or held");
  }
  r.port = in.index("PORT", ports);
  if (kind == "pick") {
    r.kind = Kind::kPick;
    r.waiting = in.number<std::uint8_t>("READY");
    for (std::uint32_t& head : r.heads) head = in.number<std::uint32_t>("HEAD");
    r.now = kNever;
  } else if (kind == "emptied") {
    r.kind = Kind::kEmptied;
    r.queue = in.index("QUEUE", kSchedulerQueues);
  } else if (kind == "sent") {
    r.kind = Kind::kSent;
    r.queue = in.index("QUEUE", kSchedulerQueues);
    r.bytes = in.number<std::uint32_t>("BYTES");
    r.now.value = in.number<std::uint64_t>("PS");
  } else {
    r.kind = Kind::kHeld;
    r.now.value = in.number<std::uint64_t>("PS");
  }
  return r;
}

void replay(BenchRun& run) {
  RecordReader in(run, "egress_scheduler");
  std::vector<SchedulerParams> profiles;
  std::vector<std::uint16_t> ports;
  in.expect_config("profile");
  do {
    profiles.push_back(read_profile(in));
  } while (in.config("profile"));
  in.expect_config("port");
  do {
    ports.push_back(static_cast<std::uint16_t>(in.index("PROFILE", profiles.size())));
  } while (in.config("port"));
  SchedulerLockstep bench(run, profiles, ports);
  while (in.next()) bench.ask(read_request(in, ports.size()));
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  const std::vector<SchedulerParams> all = profiles();
  SchedulerLockstep bench(run, all, profile_of_port(all.size()));
  Stimulus stimulus(run, bench);
  stimulus.directed();
  stimulus.random();
}

}  // namespace

Bench egress_scheduler_bench() {
  return {"egress_scheduler",
          {"an empty queue keeps its deficit", "a request is lost while another takes rounds",
           "a bucket of the clock before not forwarded", "turn of the clock before not forwarded",
           "an idle bucket fills beyond its burst", "parts of a ps are lost",
           "a bucket opens one ps late", "the port's bucket is not looked at",
           "a second quantum in the same turn", "a deficit wraps at 16 MiB",
           "a deficit must exceed the head", "the lowest strict queue first",
           "paused queues are chosen", "an empty queue keeps its turn"},
          run_all};
}

}  // namespace sluice::cosim
