// SPDX-License-Identifier: Apache-2.0
#include "rtl/dcqcn_rp/dcqcn_rp_record.h"

#include <fmt/format.h>

#include <array>
#include <sstream>

namespace sluice::rtl {
namespace {

constexpr std::array<std::string_view, 5> kOps{"add", "cnp", "sent", "read", "rtt"};

}  // namespace

std::string dcqcn_setup_line(const DcqcnParams& p, BitsPerSecond line_rate) {
  return fmt::format("setup {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
                     line_rate.value, static_cast<int>(p.algorithm), p.reference_rate.value,
                     p.alpha_gain, p.initial_alpha, p.alpha_period.value, p.rate_timer.value,
                     p.byte_counter.value, p.fast_recovery_stages, p.ai_rate.value,
                     p.hai_rate.value, p.min_rate.value, p.max_rate.value, p.cut_shift,
                     p.min_decrease_percent, p.cut_period.value, int{p.clamp_target},
                     int{p.clamp_target_after_timer}, p.first_cnp_rate.value);
}

std::string dcqcn_request_line(const DcqcnRpTwin::Request& request) {
  return fmt::format("{} {} {} {}", kOps[static_cast<std::size_t>(request.op)], request.flow,
                     request.bytes, request.now.value);
}

bool read_dcqcn_setup(const std::string& line, DcqcnSetup& setup) {
  std::istringstream words(line);
  std::string kind;
  int algorithm = 0;
  DcqcnParams& p = setup.params;
  words >> kind >> setup.line_rate.value >> algorithm >> p.reference_rate.value >> p.alpha_gain >>
      p.initial_alpha >> p.alpha_period.value >> p.rate_timer.value >> p.byte_counter.value >>
      p.fast_recovery_stages >> p.ai_rate.value >> p.hai_rate.value >> p.min_rate.value >>
      p.max_rate.value >> p.cut_shift >> p.min_decrease_percent >> p.cut_period.value >>
      p.clamp_target >> p.clamp_target_after_timer >> p.first_cnp_rate.value;
  p.algorithm = algorithm == 0 ? DcqcnAlgorithm::kPaper : DcqcnAlgorithm::kNvidia;
  return words && kind == "setup";
}

bool read_dcqcn_request(const std::string& line, DcqcnRpTwin::Request& request) {
  std::istringstream words(line);
  std::string kind;
  words >> kind >> request.flow >> request.bytes >> request.now.value;
  for (std::size_t i = 0; words && i < kOps.size(); ++i) {
    if (kind != kOps[i]) continue;
    request.op = static_cast<DcqcnRpTwin::Op>(i);
    return request.flow < DcqcnRpTwin::kMaxFlows;
  }
  return false;
}

}  // namespace sluice::rtl
