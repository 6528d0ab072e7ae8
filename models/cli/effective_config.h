// SPDX-License-Identifier: Apache-2.0
// A configuration back as YAML that reads to the same values: the file with its overrides applied.
// Leaves out: comments, and defaults that nobody wrote.
#pragma once

#include <string>

#include "config/config_value.h"

namespace sluice {

std::string yaml_text(const ConfigValue& root);

}  // namespace sluice
