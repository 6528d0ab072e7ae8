// SPDX-License-Identifier: Apache-2.0
#include "rtl/psn_tracker/psn_tracker_record.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <sstream>

namespace sluice::rtl {
namespace {

using Op = PsnTrackerTwin::Op;

constexpr std::array<std::string_view, 4> kOps{"add", "packet", "go_back", "silence"};

}  // namespace

PsnTrackerTwin::Answer PsnTrackers::ask(const PsnTrackerTwin::Request& request) {
  if (request.op == Op::kAdd) {
    if (request.flow >= flows_.size()) flows_.resize(request.flow + 1);
    flows_[request.flow] = PsnTracker(request.psn);
  }
  PsnTracker& flow = flows_[request.flow];
  PsnTrackerTwin::Answer answer;
  answer.valid = true;
  if (request.op == Op::kPacket) {
    answer.decision = flow.on_packet(config_, request.psn, request.span);
  } else if (request.op == Op::kGoBack) {
    answer.came = flow.go_back(config_, request.psn);
  } else if (request.op == Op::kSilence) {
    flow.silence();
  }
  answer.view = flow.view(config_);
  answer.kept = flow.kept();
  answer.judged = flow.judged();
  return answer;
}

std::string psn_setup_line(const PsnTrackerConfig& config) {
  return fmt::format("setup {} {} {} {}", int{config.keeps_early}, int{config.selective},
                     config.window, config.reorder_packets);
}

std::string psn_request_line(const PsnTrackerTwin::Request& request) {
  return fmt::format("{} {} {} {}", kOps[static_cast<std::size_t>(request.op)], request.flow,
                     request.psn, request.span);
}

bool read_psn_setup(const std::string& line, PsnTrackerConfig& config) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> config.keeps_early >> config.selective >> config.window >>
      config.reorder_packets;
  return words && kind == "setup" && std::has_single_bit(config.window) && config.window >= 64;
}

bool read_psn_request(const std::string& line, PsnTrackerTwin::Request& request) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> request.flow >> request.psn >> request.span;
  for (std::size_t i = 0; words && i < kOps.size(); ++i) {
    if (kind != kOps[i]) continue;
    request.op = static_cast<Op>(i);
    return request.flow < PsnTrackerTwin::kMaxQps && request.psn <= kPsnMask && request.span >= 1 &&
           request.span <= kPsnMask;
  }
  return false;
}

}  // namespace sluice::rtl
