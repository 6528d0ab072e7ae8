// SPDX-License-Identifier: Apache-2.0
#include "rtl/psn_tracker/psn_tracker_record.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace sluice::rtl {
namespace {

using Op = PsnTrackerTwin::Op;

constexpr std::array<std::string_view, 5> kOps{"add", "packet", "go_back", "skip", "silence"};

}  // namespace

PsnTracker::Decision PsnTrackers::ask(const PsnTrackerTwin::Request& request) {
  switch (request.op) {
    case Op::kAdd:
      if (request.flow >= flows_.size()) flows_.resize(request.flow + 1);
      flows_[request.flow] = PsnTracker(request.psn);
      return {};
    case Op::kPacket:
      return flows_[request.flow].on_packet(config_, request.psn);
    case Op::kGoBack:
      flows_[request.flow].go_back(config_, request.psn);
      return {};
    case Op::kSkip:
      // What the C++ block does at once, with the packet that stands for several PSNs.
      if (request.psn != 0) {
        flows_[request.flow].on_packet(config_, flows_[request.flow].expected(), request.psn);
      }
      return {};
    default:
      flows_[request.flow].silence();
      return {};
  }
}

std::string psn_setup_line(const PsnTrackerConfig& config) {
  return fmt::format("setup {} {} {} {}", int{config.keeps_early}, int{config.selective},
                     config.window, config.reorder_packets);
}

std::string psn_request_line(const PsnTrackerTwin::Request& request) {
  return fmt::format("{} {} {}", kOps[static_cast<std::size_t>(request.op)], request.flow,
                     request.psn);
}

bool read_psn_setup(const std::string& line, PsnTrackerConfig& config) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> config.keeps_early >> config.selective >> config.window >>
      config.reorder_packets;
  return words && kind == "setup";
}

bool read_psn_request(const std::string& line, PsnTrackerTwin::Request& request) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> request.flow >> request.psn;
  for (std::size_t i = 0; words && i < kOps.size(); ++i) {
    if (kind != kOps[i]) continue;
    request.op = static_cast<Op>(i);
    return request.flow < PsnTrackerTwin::kMaxQps && request.psn <= kPsnMask;
  }
  return false;
}

}  // namespace sluice::rtl
