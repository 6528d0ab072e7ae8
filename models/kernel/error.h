// SPDX-License-Identifier: Apache-2.0
// Errors that end a run, each kind with its own process exit code (docs/architecture.md).
// Leaves out: printing; only the command line turns an error into text on stderr.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

namespace sluice {

/// Process exit codes; scripts depend on them.
enum class ExitCode : int {
  kOk = 0,
  kInternal = 1,     ///< a fault of Sluice itself
  kUsage = 2,        ///< bad command line or configuration
  kTrace = 3,        ///< bad trace
  kNotLossless = 4,  ///< a lossless priority group dropped
  kStalled = 5,      ///< deadlock or stall
  kRtlMismatch = 6,  ///< RTL differs from the model
  kInvariant = 7,    ///< an invariant broke
};

/// Base of all errors that Sluice raises on purpose: one line of text and an exit code.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& text) : std::runtime_error(text), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// Bad command line or configuration (exit 2): name file, line, key path, value, what was expected.
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& text) : Error(ExitCode::kUsage, text) {}
};

/// Bad trace (exit 3): name file, line or byte, what, why.
class TraceError : public Error {
 public:
  explicit TraceError(const std::string& text) : Error(ExitCode::kTrace, text) {}
};

/// Nothing can move any more, or a collective lacks a member (exit 5).
class StallError : public Error {
 public:
  explicit StallError(const std::string& text) : Error(ExitCode::kStalled, text) {}
};

/// A conservation law or an order that must always hold was broken (exit 7).
class InvariantError : public Error {
 public:
  explicit InvariantError(const std::string& text) : Error(ExitCode::kInvariant, text) {}
};

/// An RTL block and its model answered differently (exit 6): name block, instance, time, request.
class RtlMismatchError : public Error {
 public:
  explicit RtlMismatchError(const std::string& text) : Error(ExitCode::kRtlMismatch, text) {}
};

/// Throws InvariantError; out of line so that a check costs its test alone.
[[noreturn]] void throw_invariant(const char* file, int line, const char* condition,
                                  const std::string& detail);

}  // namespace sluice

/// Checks an invariant in every build type; the rest is an fmt format and its arguments, evaluated
/// only on failure.
#define SLUICE_CHECK(condition, ...)                                                         \
  do {                                                                                       \
    if (!(condition)) [[unlikely]]                                                           \
      ::sluice::throw_invariant(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)
