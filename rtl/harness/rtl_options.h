// SPDX-License-Identifier: Apache-2.0
// How one RTL instance is started. Leaves out: what it is an instance of (rtl_model.h).
#pragma once

#include <cstdint>
#include <string>

#include "kernel/error.h"

namespace sluice::rtl {

struct RtlOptions {
  std::uint32_t x_seed = 1;  ///< start values of registers without reset, and of X; not 0
  int fault = 0;             ///< fault placed by hand to activate (`SLUICE_FAULT`); 0: none
  std::string fst{};         ///< waveform file; empty: none
  std::uint64_t fst_from = 0;
  std::uint64_t fst_to = UINT64_MAX;  ///< last cycle shown
  std::uint64_t first_cycle = 0;      ///< cycle count at the start, so that runs may be joined
};

/// An assertion of the RTL failed, or it did not answer.
class RtlError : public RtlMismatchError {
 public:
  using RtlMismatchError::RtlMismatchError;
};

}  // namespace sluice::rtl
