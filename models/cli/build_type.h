// SPDX-License-Identifier: Apache-2.0
// How this program was built, for --version.
// Leaves out: compiler and flags.
#pragma once

#include <string_view>

namespace sluice {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::string_view kBuildType = "asan";
#elif defined(NDEBUG)
inline constexpr std::string_view kBuildType = "release";
#else
inline constexpr std::string_view kBuildType = "debug";
#endif

}  // namespace sluice
