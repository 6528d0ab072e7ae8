// SPDX-License-Identifier: Apache-2.0
// A responder whose trackers are kept elsewhere: its own ones show what those there hold.
// Leaves out: a responder that keeps them itself, which this costs one test beside the plain path.
#include "kernel/error.h"
#include "nic/responder/responder.h"

namespace sluice {
namespace {

/// What only the C++ block does.
void refuse_early(const PsnTrackerConfig& config, const char* what) {
  if (!config.keeps_early) return;
  throw ConfigError(fmt::format(
      "psn_tracker kept elsewhere: {} where early packets are kept (selective_repeat or "
      "out_of_order_placement) is in the C++ block alone",
      what));
}

}  // namespace

PsnTracker::Decision Responder::arrive_elsewhere(Flow& flow, std::uint32_t psn,
                                                 std::uint32_t span) {
  if (span > 1) refuse_early(config_.psn, "a READ of several packets");
  const PsnTracker::Decision decision = trackers_->on_packet(number_of(flow), psn);
  if (span > 1 && decision.verdict == PsnTracker::Verdict::kInOrder) {
    trackers_->skip(number_of(flow), span - 1);
  }
  flow.psns.show(config_.psn, trackers_->view());
  return decision;
}

std::uint32_t Responder::go_back(Flow& flow, std::uint32_t psn) {
  if (!trackers_) return flow.psns.go_back(config_.psn, psn);
  refuse_early(config_.psn, "a message that begins again");
  const std::uint32_t came = psn_distance(flow.psns.expected(), psn);
  trackers_->go_back(number_of(flow), psn);
  flow.psns.show(config_.psn, trackers_->view());
  return came;
}

void Responder::silence(Flow& flow) {
  if (!trackers_) return flow.psns.silence();
  trackers_->silence(number_of(flow));
  flow.psns.show(config_.psn, trackers_->view());
}

}  // namespace sluice
