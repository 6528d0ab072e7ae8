// SPDX-License-Identifier: Apache-2.0
// Parameters of DCQCN's reaction point (sender) and notification point (receiver), with the paper's
// set as default and NVIDIA's as an alternative (docs/blocks/dcqcn.md). Leaves out: RTT-based
// control.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kernel/parameter.h"
#include "nic/cnp_scope.h"

namespace sluice {

enum class DcqcnAlgorithm : std::uint8_t {
  kPaper,   ///< cuts at the CNP; alpha rises at the CNP (Zhu et al., SIGCOMM 2015)
  kNvidia,  ///< cuts and alpha on their own clocks, which look whether a CNP was seen
};

struct DcqcnParams {
  DcqcnAlgorithm algorithm = DcqcnAlgorithm::kPaper;
  /// Line rate that ai_rate, hai_rate, min_rate and byte_counter are given at; they scale with the
  /// port's. 0: taken as they are.
  BitsPerSecond reference_rate{40'000'000'000};
  std::uint32_t alpha_gain = 4;        ///< g in 1/1024
  std::uint32_t initial_alpha = 1024;  ///< in 1/1024
  Ps alpha_period = 55_us;
  Ps rate_timer = 55_us;
  Bytes byte_counter{10'000'000};  ///< 0: no byte counter
  std::uint32_t fast_recovery_stages = 5;
  BitsPerSecond ai_rate{40'000'000};
  BitsPerSecond hai_rate{200'000'000};
  BitsPerSecond min_rate{40'000'000};
  BitsPerSecond max_rate{0};               ///< 0: the line rate
  std::uint32_t cut_shift = 1;             ///< the cut is alpha / 2^shift
  std::uint32_t min_decrease_percent = 0;  ///< a cut leaves at least this part of the rate
  Ps cut_period = 4_us;                    ///< nvidia: at most one cut a period
  bool clamp_target = true;                ///< every cut sets the target to the current rate
  bool clamp_target_after_timer = true;  ///< else also the first cut after an increase by the timer
  BitsPerSecond first_cnp_rate{0};       ///< 0: the first CNP cuts like any other
  Ps min_time_between_cnps = 50_us;
  CnpScope cnp_scope = CnpScope::kQp;

  void describe(ParameterVisitor& visitor);
  void validate() const;
};

/// The NVConfig defaults.
DcqcnParams dcqcn_nvidia();
/// The set of HPCC's simulator (Li et al., SIGCOMM 2019), whose steps are given at 25G.
DcqcnParams dcqcn_hpcc();

inline constexpr std::array<std::string_view, 3> kDcqcnPresets{"paper", "nvidia", "hpcc"};
/// One of those names; anything else is the paper's.
DcqcnParams dcqcn_preset(std::string_view name);

}  // namespace sluice
