// SPDX-License-Identifier: Apache-2.0
// What model and RTL of the reaction point must agree on: the flow's whole state, and the work that
// a request took. Leaves out: where they differ (swap, bench).
#pragma once

#include "nic/congestion/dcqcn.h"

namespace sluice::rtl {

/// Calls expect(name, model's value, RTL's value) for every field.
template <class Expect>
void compare_dcqcn(const DcqcnFlow& model, const DcqcnFlow& rtl, const Expect& expect) {
  expect("rate_kbps", model.rate_kbps, rtl.rate_kbps);
  expect("target_kbps", model.target_kbps, rtl.target_kbps);
  expect("alpha", model.alpha, rtl.alpha);
  expect("bytes_left", static_cast<std::uint32_t>(model.bytes_left),
         static_cast<std::uint32_t>(rtl.bytes_left));
  expect("next_alpha", model.next_alpha.value, rtl.next_alpha.value);
  expect("next_increase", model.next_increase.value, rtl.next_increase.value);
  expect("next_cut", model.next_cut.value, rtl.next_cut.value);
  expect("ps_per_byte", model.ps_per_byte, rtl.ps_per_byte);
  expect("timer_stage", model.timer_stage, rtl.timer_stage);
  expect("byte_stage", model.byte_stage, rtl.byte_stage);
  expect("started", model.started, rtl.started);
  expect("cnp_in_alpha_period", model.cnp_in_alpha_period, rtl.cnp_in_alpha_period);
  expect("cut_pending", model.cut_pending, rtl.cut_pending);
  expect("increased", model.increased, rtl.increased);
  expect("increased_by_bytes", model.increased_by_bytes, rtl.increased_by_bytes);
}

/// What one request took, as the RTL counts it.
inline DcqcnWork work_between(const DcqcnWork& before, const DcqcnWork& after) {
  return {after.steps - before.steps, after.skips - before.skips,
          after.rate_changes != before.rate_changes ? 1u : 0u};
}

}  // namespace sluice::rtl
