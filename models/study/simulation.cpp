// SPDX-License-Identifier: Apache-2.0
#include "study/simulation.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "fabric/deadlock.h"
#include "host/stall_report.h"
#include "kernel/error.h"

namespace sluice {
namespace {

struct CpuClock {
  std::chrono::steady_clock::time_point wall = std::chrono::steady_clock::now();

  static double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  static std::uint64_t peak_rss_bytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
  double wall_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  }
};

/// Empty unless a lossless priority group lost a frame in some chip.
std::string describe_loss(const Fabric& fabric) {
  std::uint64_t frames = 0;
  const SwitchChip* where = nullptr;
  LosslessLoss first;
  for (const auto& chip : fabric.chips()) {
    const ChipReport report = chip->report();
    if (report.lossless_drops == 0) continue;
    frames += report.lossless_drops;
    if (where != nullptr && report.first_loss.time >= first.time) continue;
    where = chip.get();
    first = report.first_loss;
  }
  if (where == nullptr) return {};
  return fmt::format(
      "NOT LOSSLESS: {} frames of lossless priority groups were dropped, the first at {:.6f} us in "
      "{} port {} PG {} ({})",
      frames, first.time.microseconds(), where->name(), first.port, first.pg,
      info_of(first.reason).name);
}

void refuse_deadlock(const DeadlockDetector& detector, const std::vector<StuckQueue>& circle,
                     Ps now) {
  if (circle.empty()) return;
  throw DeadlockError(fmt::format("deadlock, found at {:.3f} ms: {}", now.seconds() * 1e3,
                                  detector.describe(circle)));
}

}  // namespace

/// Ends a run in which events go on (pause refreshes) but nothing moves.
class Simulation::StallWatch : public WheelWatcher {
 public:
  StallWatch(const Simulation& simulation, WheelWatcher* next)
      : simulation_(simulation), next_(next) {}

  void tick() override {
    if (next_ != nullptr) next_->tick();
    const RunRecorder& recorder = *simulation_.recorder_;
    const std::uint64_t messages =
        recorder.messages_received() + recorder.ops_ended() + simulation_.work_requests_ended();
    const bool raw = simulation_.spec_.is_raw();
    if (raw || messages != messages_) return moved(messages);
    if (simulation_.now() < since_ + kPatience || simulation_.events() < events_ + kEvents) return;
    const std::uint64_t packets = simulation_.delivered_packets();
    if (packets != packets_) {
      packets_ = packets;
      return moved(messages);
    }
    throw StallError(fmt::format(
        "no packet was delivered and no op ended from {:.3f} ms to {:.3f} ms while events went on",
        since_.seconds() * 1e3, simulation_.now().seconds() * 1e3));
  }

 private:
  static constexpr Ps kPatience{1'000'000'000'000};  // 1 s of simulated time …
  static constexpr std::uint64_t kEvents = 100'000;  // … that was not one long computation

  void moved(std::uint64_t messages) {
    messages_ = messages;
    since_ = simulation_.now();
    events_ = simulation_.events();
  }

  const Simulation& simulation_;
  WheelWatcher* next_;
  std::uint64_t messages_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t events_ = 0;
  Ps since_{};
};

Simulation::Simulation(FabricSpec spec, Workload workload, const RunOptions& options)
    : spec_(std::move(spec)),
      workload_(std::move(workload)),
      options_(options),
      context_(options.bucket_shift, options.switch_swap, options.nic_swap),
      plan_(std::make_unique<WorkloadPlan>(workload_)),
      recorder_(std::make_unique<RunRecorder>(*plan_)),
      bridge_(std::make_unique<WheelBridge>("wheel", context_.wheel)),
      fabric_(std::make_unique<Fabric>("fabric", context_, spec_, options.seed,
                                       spec_.is_raw() ? nullptr : plan_.get(), recorder_.get())) {}

Simulation::~Simulation() = default;

std::uint64_t Simulation::allocations() const {
  return context_.wheel.allocations() + context_.messages.allocations() +
         context_.packets.created();
}

std::uint64_t Simulation::delivered_packets() const {
  std::uint64_t packets = 0;
  for (const auto& nic : fabric_->nics()) packets += nic->core().counters().delivered_packets;
  return packets;
}

RunOutcome Simulation::run() {
  const CpuClock clock;
  const double cpu_before = CpuClock::cpu_seconds();
  RunOutcome outcome;
  StallWatch watch(*this, options_.watcher);
  context_.wheel.set_watcher(&watch);
  DeadlockDetector deadlocks(spec_.deadlock, fabric_->topology(), fabric_->chips());
  if (spec_.deadlock.enabled) {
    bridge_->look_every(spec_.deadlock.interval,
                        [&](Ps now) { refuse_deadlock(deadlocks, deadlocks.look(now), now); });
  }
  try {
    bridge_->run(options_.until);
    if (spec_.deadlock.enabled) look_for_deadlock_at_end(deadlocks);
    fabric_->settle();
    fabric_->check_conservation();
    judge(outcome);
  } catch (const DeadlockError& error) {
    fabric_->settle();
    outcome.summary.verdict = Verdict::kDeadlock;
    outcome.exit = error.code();
    outcome.message = error.what();
  } catch (const StallError& error) {
    fabric_->settle();
    outcome.summary.verdict = Verdict::kStalled;
    outcome.exit = error.code();
    const std::string who = describe_stall(*plan_, fabric_->library(), fabric_->executors(),
                                           *recorder_, context_.wheel.now());
    outcome.message = who.empty() ? error.what() : fmt::format("{}; {}", error.what(), who);
  } catch (const RtlMismatchError& error) {
    outcome.summary.verdict = Verdict::kRtlMismatch;
    outcome.exit = error.code();
    outcome.message = error.what();
  } catch (const InvariantError& error) {
    outcome.summary.verdict = Verdict::kInvariant;
    outcome.exit = error.code();
    outcome.message = error.what();
  }
  context_.wheel.set_watcher(nullptr);
  collect(outcome.summary);
  outcome.summary.wall_s = clock.wall_seconds();
  outcome.summary.cpu_s = CpuClock::cpu_seconds() - cpu_before;
  outcome.summary.peak_rss_bytes = CpuClock::peak_rss_bytes();
  return outcome;
}

void Simulation::look_for_deadlock_at_end(DeadlockDetector& detector) const {
  const Ps now = context_.wheel.now();
  refuse_deadlock(
      detector, bridge_->stopped_by_until() ? detector.look(now) : detector.look_at_standstill(now),
      now);
}

void Simulation::judge(RunOutcome& outcome) {
  const std::string loss = describe_loss(*fabric_);
  if (!loss.empty()) {
    outcome.summary.verdict = Verdict::kNotLossless;
    outcome.exit = ExitCode::kNotLossless;
    outcome.message = loss;
    if (!bridge_->stopped_by_until() && !ended()) {
      outcome.message += "; " + describe_stall(*plan_, fabric_->library(), fabric_->executors(),
                                               *recorder_, context_.wheel.now());
    }
    return;
  }
  // Timers that nobody needs any more may be left when all ops have ended.
  if (bridge_->stopped_by_until() && (spec_.is_open_loop() || !ended())) {
    outcome.summary.verdict = Verdict::kStopped;
    return;
  }
  if (ended()) return;
  outcome.summary.verdict = Verdict::kStalled;
  outcome.exit = ExitCode::kStalled;
  outcome.message = spec_.is_verbs()
                        ? describe_open_work_requests()
                        : describe_stall(*plan_, fabric_->library(), fabric_->executors(),
                                         *recorder_, context_.wheel.now());
}

bool Simulation::ended() const {
  if (spec_.is_verbs()) {
    const auto& hosts = fabric_->hosts();
    return std::all_of(hosts.begin(), hosts.end(), [](const auto& host) {
      return host->verbs() == nullptr || host->verbs()->finished();
    });
  }
  return spec_.is_open_loop() || run_complete(fabric_->executors(), *recorder_);
}

Ps Simulation::simulated() const {
  // Timers may outlive the last op; they are no part of a run that came to its end.
  if (spec_.is_verbs() && ended()) {
    Ps last{};
    for (const auto& host : fabric_->hosts()) {
      if (host->verbs() == nullptr) continue;
      for (const VerbsResult& row : host->verbs()->results()) last = std::max(last, row.last_end);
    }
    return last;
  }
  if (!spec_.is_open_loop() && ended()) return recorder_->last_end();
  return bridge_->stopped_by_until() ? options_.until : context_.wheel.now();
}

void Simulation::collect(Summary& summary) const {
  summary.version = version();
  summary.seed = options_.seed;
  summary.config_hash = spec_.config_hash;
  summary.simulated = simulated();
  summary.events = context_.wheel.executed();
  std::uint64_t rx_overflow_drops = 0;
  std::uint64_t corrupt_drops = 0;
  for (const auto& nic : fabric_->nics()) {
    const NicCounters& counters = nic->core().counters();
    summary.packets_delivered += counters.delivered_packets;
    summary.packet_hops += counters.packet_hops;
    summary.bytes_delivered += counters.delivered_bytes;
    summary.retransmitted_packets += counters.retransmitted_packets;
    summary.cnp_sent += counters.cnps_sent;
    corrupt_drops += counters.corrupt_drops;
    for (std::uint32_t port = 0; port < spec_.nic.ports; ++port) {
      const NicPortCounters& of_port = nic->core().port_counters(port);
      summary.pfc.paused += Ps{of_port.paused_ps};
      summary.pfc.xoff_frames += of_port.xoff_sent;
      summary.pfc.xon_frames += of_port.xon_sent;
      rx_overflow_drops += of_port.rx_overflow_drops;
      if (of_port.xoff_sent != 0) {
        summary.pausing_nics.push_back(
            {fmt::format("{}.port{}", nic->name(), port), of_port.xoff_sent});
      }
    }
  }
  std::array<std::uint64_t, kChipDropReasons> drops{};
  drops[static_cast<std::size_t>(ChipDrop::kCorrupt)] = corrupt_drops;
  for (const auto& chip : fabric_->chips()) {
    const ChipReport report = chip->report();
    for (std::size_t i = 0; i < kChipDropReasons; ++i) drops[i] += report.drops[i];
    summary.pfc.xoff_frames += report.pfc_xoff_frames;
    summary.pfc.xon_frames += report.pfc_xon_frames;
    summary.pfc.paused += Ps{report.paused_ps};
    summary.ecn_marked += report.ecn_marked;
    if (report.buffer.peak >= summary.buffer.peak_cells) {
      summary.buffer = {report.buffer.peak, report.buffer.pool, report.buffer.peak_headroom};
    }
  }
  for (std::size_t i = 0; i < kChipDropReasons; ++i) {
    summary.drops.emplace_back(kChipDrops[i].name, drops[i]);
  }
  summary.drops.emplace_back("rx_overflow", rx_overflow_drops);
  for (const auto& raw : fabric_->raw_endpoints()) {
    summary.packets_delivered += raw->core().counters().rx_frames;
    summary.bytes_delivered += raw->core().counters().rx_bytes;
  }
  add_recorded(summary, *recorder_);
  summary.result_hash = mix64(recorder_->completion_hash() + context_.statistics.hash());
  collect_work_requests(summary);
}

std::uint64_t Simulation::work_requests_ended() const {
  std::uint64_t ended = 0;
  for (const auto& host : fabric_->hosts()) {
    if (host->verbs() == nullptr) continue;
    for (const VerbsResult& row : host->verbs()->results()) ended += row.ended_count();
  }
  return ended;
}

/// Rows in the order of the file, whose lines are spread over the hosts.
void Simulation::collect_work_requests(Summary& summary) const {
  std::vector<std::size_t> taken(fabric_->hosts().size());
  for (const VerbsOperation& operation : spec_.verbs) {
    const VerbsSource& source = *fabric_->hosts()[operation.from]->verbs();
    summary.work_requests.push_back(source.results()[taken[operation.from]++]);
    summary.result_hash = mix64(summary.result_hash ^ summary.work_requests.back().hash);
  }
  for (const auto& host : fabric_->hosts()) {
    if (host->verbs() == nullptr) continue;
    const auto& errors = host->verbs()->errors();
    summary.qp_errors.insert(summary.qp_errors.end(), errors.begin(), errors.end());
  }
}

std::string Simulation::describe_open_work_requests() const {
  std::uint64_t wanted = 0;
  for (const VerbsOperation& operation : spec_.verbs) wanted += operation.count;
  std::string text =
      fmt::format("stalled at {:.6f} us: {} of {} work requests have not ended",
                  context_.wheel.now().microseconds(), wanted - work_requests_ended(), wanted);
  for (const auto& nic : fabric_->nics()) {
    const std::string qp = nic->core().stalled_qp();
    if (!qp.empty()) return text + "; " + qp;
  }
  return text;
}

std::string_view version() { return "0.1.0"; }

}  // namespace sluice
