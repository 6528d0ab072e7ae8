// SPDX-License-Identifier: Apache-2.0
#include "cli/heartbeat.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "study/simulation.h"

namespace sluice {
namespace {

constexpr std::chrono::seconds kPeriod{1};

/// Memory in use now; 0 where the system does not say.
std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string eta_text(double done, double wall_s) {
  if (done <= 0) return "ETA unknown";
  return fmt::format("ETA {:.0f} s", wall_s * (1 - done) / done);
}

}  // namespace

Heartbeat::Heartbeat(std::ostream& err, bool in_place, Ps until)
    : err_(err), in_place_(in_place), until_(until), start_(Clock::now()), last_(start_) {}

void Heartbeat::tick() {
  if (simulation_ == nullptr) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < kPeriod) return;
  const auto seconds = [](Clock::duration time) {
    return std::chrono::duration<double>(time).count();
  };
  print(seconds(now - start_), seconds(now - last_));
  last_ = now;
  last_events_ = simulation_->events();
}

void Heartbeat::print(double wall_s, double since_last_s) {
  const std::uint64_t ended = simulation_->ops_ended();
  const std::uint64_t total = simulation_->ops_total();
  // Of the two ends that a run may come to, the nearer one.
  const double ops_done = ratio(ended, total);
  const double time_done = until_ == kNever ? 0 : ratio(simulation_->now().value, until_.value);
  const double events = static_cast<double>(simulation_->events() - last_events_);
  err_ << (in_place_ ? "\r" : "")
       << fmt::format(
              "sluice: {:.3f} us simulated, {:.2f} M events/s, {:.1f} % of trace "
              "({}/{} ops), {}, RSS {} MiB",
              simulation_->now().microseconds(), events / since_last_s * 1e-6, ops_done * 100,
              ended, total, eta_text(std::max(ops_done, time_done), wall_s), resident_bytes() >> 20)
       << (in_place_ ? "\x1b[K" : "\n") << std::flush;
  printed_ = true;
}

void Heartbeat::finish() {
  if (printed_ && in_place_) err_ << "\r\x1b[K" << std::flush;
  simulation_ = nullptr;
}

}  // namespace sluice
