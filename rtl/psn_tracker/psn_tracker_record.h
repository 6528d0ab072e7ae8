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

  PsnTrackerTwin::Answer ask(const PsnTrackerTwin::Request& request);
  bool has(std::uint32_t flow) const { return flow < flows_.size(); }
  const PsnTracker& operator[](std::uint32_t flow) const { return flows_[flow]; }

 private:
  PsnTrackerConfig config_;
  std::vector<PsnTracker> flows_;
};

/// Calls expect(name, model's value, RTL's value) for all that must be equal of two answers.
template <class Expect>
void compare_psn_tracker(const PsnTrackerTwin::Answer& model, const PsnTrackerTwin::Answer& rtl,
                         const Expect& expect) {
  expect("verdict", static_cast<int>(model.decision.verdict),
         static_cast<int>(rtl.decision.verdict));
  expect("nak", model.decision.nak, rtl.decision.nak);
  expect("nak_psn", model.decision.nak ? model.decision.nak_psn : 0, rtl.decision.nak_psn);
  expect("lost", model.decision.lost, rtl.decision.lost);
  expect("came", model.came, rtl.came);
  expect("expected", model.view.expected, rtl.view.expected);
  expect("asked", model.view.asked, rtl.view.asked);
  expect("received", model.view.received, rtl.view.received);
  expect("kept", model.kept, rtl.kept);
  expect("judged", model.judged, rtl.judged);
}

std::string psn_setup_line(const PsnTrackerConfig& config);
std::string psn_request_line(const PsnTrackerTwin::Request& request);
/// Reads such lines; false for anything else.
bool read_psn_setup(const std::string& line, PsnTrackerConfig& config);
bool read_psn_request(const std::string& line, PsnTrackerTwin::Request& request);

}  // namespace sluice::rtl
