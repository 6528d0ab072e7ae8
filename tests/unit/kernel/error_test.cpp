// SPDX-License-Identifier: Apache-2.0
// Error kinds, their exit codes and the text of a broken invariant.
#include "kernel/error.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice {
namespace {

TEST(SluiceCheck, NamesTheDetailTheConditionAndThePlace) {
  const int free = 3, used = 4;
  const int line = __LINE__ + 2;
  try {
    SLUICE_CHECK(free + used == 8, "cells: free {} + used {} is not 8", free, used);
    FAIL() << "the check passed";
  } catch (const InvariantError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("cells: free 3 + used 4 is not 8 (invariant `free + used == 8` broke at "),
              0U)
        << text;
    EXPECT_NE(text.find("error_test.cpp:" + std::to_string(line) + ")"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

TEST(SluiceCheck, CutsThePathOfTheSourceTreeAway) {
  try {
    throw_invariant("/somewhere/else/models/switch/mmu/mmu.cpp", 12, "a == b", "detail");
  } catch (const InvariantError& error) {
    EXPECT_STREQ(error.what(), "detail (invariant `a == b` broke at models/switch/mmu/mmu.cpp:12)");
  }
}

TEST(SluiceCheck, EvaluatesTheConditionOnceAndTheDetailOnlyOnFailure) {
  int conditions = 0, details = 0;
  const auto detail = [&details] { return ++details; };
  SLUICE_CHECK(++conditions > 0, "{}", detail());
  EXPECT_EQ(conditions, 1);
  EXPECT_EQ(details, 0);
  EXPECT_THROW(SLUICE_CHECK(++conditions < 0, "{}", detail()), InvariantError);
  EXPECT_EQ(conditions, 2);
  EXPECT_EQ(details, 1);
}

// Exit codes are part of the interface (docs/architecture.md): scripts depend on the numbers.
TEST(Errors, CarryTheDocumentedExitCodes) {
  EXPECT_EQ(static_cast<int>(ConfigError("x").code()), 2);
  EXPECT_EQ(static_cast<int>(TraceError("x").code()), 3);
  EXPECT_EQ(static_cast<int>(StallError("x").code()), 5);
  EXPECT_EQ(static_cast<int>(InvariantError("x").code()), 7);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kNotLossless), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kRtlMismatch), 6);
}

TEST(Errors, AreCaughtAsOneKind) {
  EXPECT_THROW(throw ConfigError("a"), Error);
  try {
    throw TraceError("trace.txt:4: what");
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "trace.txt:4: what");
    EXPECT_EQ(error.code(), ExitCode::kTrace);
  }
}

}  // namespace
}  // namespace sluice
