// SPDX-License-Identifier: Apache-2.0
// The C++ trackers of a NIC asked like the RTL, and the lines of a record of such requests.
// Leaves out: answers in the record; who replays it has the model.
#pragma once

#include <string>
#include <vector>

#include "rtl/psn_tracker/psn_tracker_twin.h"

namespace sluice::rtl {

/// Flows of C++ trackers, with one function for every request.
class PsnTrackers {
 public:
  explicit PsnTrackers(const PsnTrackerConfig& config) : config_(config) {}

  PsnTracker::Decision ask(const PsnTrackerTwin::Request& request);
  const PsnTracker& operator[](std::uint32_t flow) const { return flows_[flow]; }
  PsnTracker::View view(std::uint32_t flow) const { return flows_[flow].view(config_); }

 private:
  PsnTrackerConfig config_;
  std::vector<PsnTracker> flows_;
};

/// Calls expect(name, model's value, RTL's value) for all that must be equal after `request`.
template <class Expect>
void compare_psn_tracker(const PsnTrackers& model, const PsnTrackerTwin::Request& request,
                         const PsnTracker::Decision& decision, const PsnTrackerTwin::Answer& rtl,
                         const Expect& expect) {
  expect("verdict", static_cast<int>(decision.verdict), static_cast<int>(rtl.decision.verdict));
  expect("nak", decision.nak, rtl.decision.nak);
  expect("nak_psn", decision.nak ? decision.nak_psn : 0, rtl.decision.nak_psn);
  expect("lost", decision.lost, rtl.decision.lost);
  const PsnTracker::View view = model.view(request.flow);
  expect("expected", view.expected, rtl.view.expected);
  expect("asked", view.asked, rtl.view.asked);
  expect("received", view.received, rtl.view.received);
  expect("kept", model[request.flow].kept(), rtl.kept);
  expect("judged", model[request.flow].judged(), rtl.judged);
}

std::string psn_setup_line(const PsnTrackerConfig& config);
std::string psn_request_line(const PsnTrackerTwin::Request& request);
/// Reads such lines; false for anything else.
bool read_psn_setup(const std::string& line, PsnTrackerConfig& config);
bool read_psn_request(const std::string& line, PsnTrackerTwin::Request& request);

}  // namespace sluice::rtl
