// SPDX-License-Identifier: Apache-2.0
// The words of `sluice run` that put RTL in place of blocks.
// Leaves out: what they build (rtl_request.h).
#pragma once

#include <tclap/CmdLine.h>

#include <string>

#include "cli/rtl_request.h"

namespace sluice {

/// Declares the options on a command line and reads them after it was parsed.
class RtlArguments {
 public:
  explicit RtlArguments(TCLAP::CmdLine& line);
  /// Throws ConfigError.
  RtlRequest read() const;

 private:
  TCLAP::ValueArg<std::string> blocks_;
  TCLAP::ValueArg<std::string> scope_;
  TCLAP::SwitchArg compare_;
  TCLAP::ValueArg<std::string> fault_;
  TCLAP::ValueArg<std::string> record_;
};

}  // namespace sluice
