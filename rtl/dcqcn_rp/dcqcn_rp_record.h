// SPDX-License-Identifier: Apache-2.0
// Lines of a record of the reaction point: one with its parameters, then one a request.
// Leaves out: answers; who replays it has the model.
#pragma once

#include <string>

#include "rtl/dcqcn_rp/dcqcn_rp_twin.h"

namespace sluice::rtl {

struct DcqcnSetup {
  DcqcnParams params;
  BitsPerSecond line_rate{};
};

std::string dcqcn_setup_line(const DcqcnParams& params, BitsPerSecond line_rate);
std::string dcqcn_request_line(const DcqcnRpTwin::Request& request);
/// Reads such lines; false for anything else.
bool read_dcqcn_setup(const std::string& line, DcqcnSetup& setup);
bool read_dcqcn_request(const std::string& line, DcqcnRpTwin::Request& request);

}  // namespace sluice::rtl
