// SPDX-License-Identifier: Apache-2.0
#include "kernel/error.h"

#include <string_view>

namespace sluice {

void throw_invariant(const char* file, int line, const char* condition, const std::string& detail) {
  std::string_view path(file);
  if (auto at = path.rfind("models/"); at != std::string_view::npos) path.remove_prefix(at);
  throw InvariantError(
      fmt::format("{} (invariant `{}` broke at {}:{})", detail, condition, path, line));
}

}  // namespace sluice
