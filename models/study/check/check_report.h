// SPDX-License-Identifier: Apache-2.0
// A check's report for people and for scripts. The names in the JSON are stable.
// Leaves out: working the figures out (check.h).
#pragma once

#include <string>

#include "study/check/check.h"

namespace sluice {

std::string check_text(const CheckReport& report);
std::string check_json(const CheckReport& report);

std::string_view severity_name(Severity severity);

}  // namespace sluice
