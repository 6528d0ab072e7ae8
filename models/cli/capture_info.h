// SPDX-License-Identifier: Apache-2.0
// `trace info` of a capture: text and JSON of a survey (trace/capture_survey.h).
// Leaves out: reading the file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "trace/capture_survey.h"

namespace sluice {

std::string capture_text(const CaptureSurvey& survey);
nlohmann::ordered_json capture_json(const CaptureSurvey& survey);

}  // namespace sluice
