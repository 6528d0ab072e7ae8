// SPDX-License-Identifier: Apache-2.0
// A responder whose trackers are kept elsewhere: its own ones show what those there hold.
// Leaves out: a responder that keeps them itself, which this costs one test beside the plain path.
#include "nic/responder/responder.h"

namespace sluice {

PsnTracker::Decision Responder::arrive_elsewhere(Flow& flow, std::uint32_t psn,
                                                 std::uint32_t span) {
  const PsnTracker::Decision decision = trackers_->on_packet(number_of(flow), psn, span);
  flow.psns.show(config_.psn, trackers_->view());
  return decision;
}

std::uint32_t Responder::go_back(Flow& flow, std::uint32_t psn) {
  if (!trackers_) return flow.psns.go_back(config_.psn, psn);
  const std::uint32_t came = trackers_->go_back(number_of(flow), psn);
  flow.psns.show(config_.psn, trackers_->view());
  return came;
}

void Responder::silence(Flow& flow) {
  if (!trackers_) return flow.psns.silence();
  trackers_->silence(number_of(flow));
  flow.psns.show(config_.psn, trackers_->view());
}

}  // namespace sluice
