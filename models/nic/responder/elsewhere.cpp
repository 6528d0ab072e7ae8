// SPDX-License-Identifier: Apache-2.0
// A responder whose trackers are kept elsewhere: its own ones show what those there hold.
// Leaves out: a responder that keeps them itself, which this costs one test beside the plain path.
#include "nic/responder/responder.h"

namespace sluice {

PsnTracker::Decision Responder::arrive_elsewhere(Flow& flow, std::uint32_t psn) {
  const PsnTracker::Decision decision = trackers_->on_packet(number_of(flow), psn);
  flow.psns.show(config_.psn, trackers_->view());
  return decision;
}

void Responder::go_back(Flow& flow, std::uint32_t psn) {
  if (!trackers_) return flow.psns.go_back(psn);
  trackers_->go_back(number_of(flow), psn);
  flow.psns.show(config_.psn, trackers_->view());
}

void Responder::skip(Flow& flow, std::uint32_t more) {
  if (!trackers_) return flow.psns.skip(more);
  trackers_->skip(number_of(flow), more);
  flow.psns.show(config_.psn, trackers_->view());
}

void Responder::silence(Flow& flow) {
  if (!trackers_) return flow.psns.silence();
  trackers_->silence(number_of(flow));
  flow.psns.show(config_.psn, trackers_->view());
}

}  // namespace sluice
