// SPDX-License-Identifier: Apache-2.0
// DCQCN's reaction point in fixed point: rates in kbit/s, alpha in Q30, timers caught up when the
// rate is read. Same result as stepping every timer when it is due (docs/blocks/dcqcn.md). Leaves
// out: rate changes of a frame already paced; the notification point (responder).
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/clock_rate.h"
#include "nic/congestion/dcqcn_params.h"
#include "nic/rate_control.h"

namespace sluice {

/// One flow. At the maximum rate the increase timers stand still.
struct alignas(64) DcqcnFlow {
  std::uint32_t rate_kbps = 0;
  std::uint32_t target_kbps = 0;
  std::uint32_t alpha = 0;      ///< Q30: 2^30 is 1
  std::int32_t bytes_left = 0;  ///< to the next byte-counter event
  Ps next_alpha{};
  Ps next_increase{};
  Ps next_cut{};                  ///< nvidia: tick of the cut clock
  std::uint64_t ps_per_byte = 0;  ///< Q40.24, of rate_kbps
  std::uint16_t timer_stage = 0;  ///< saturates
  std::uint16_t byte_stage = 0;
  bool started = false;  ///< a CNP has come
  bool cnp_in_alpha_period = false;
  bool cut_pending = false;
  bool increased = false;           ///< since the last cut
  bool increased_by_bytes = false;  ///< that increase was the byte counter's
};
static_assert(sizeof(DcqcnFlow) == 64);

/// The parameters as the block computes with them: scaled to the line rate, rates in kbit/s.
struct DcqcnFixed {
  std::uint32_t max_kbps = 0;
  std::uint32_t min_kbps = 0;
  std::uint32_t ai_kbps = 0;
  std::uint32_t hai_kbps = 0;
  std::uint32_t first_cnp_kbps = 0;  ///< 0: the first CNP cuts like any other
  std::int32_t byte_counter = 0;     ///< bytes; 0: none
};
/// Throws ConfigError for a byte counter beyond 31 bits.
DcqcnFixed dcqcn_fixed(const DcqcnParams& params, BitsPerSecond line_rate);

/// What a Dcqcn has done so far, as a machine counts it that does one step a clock.
struct DcqcnWork {
  std::uint64_t steps = 0;         ///< alpha updates, cuts at their clock, increases
  std::uint64_t skips = 0;         ///< periods of a clock skipped by a division
  std::uint64_t rate_changes = 0;  ///< each needs picoseconds per byte anew
};

class Dcqcn final : public RateControl {
 public:
  static constexpr unsigned kAlphaBits = 30;
  /// Picoseconds per byte keep this many fraction bits: 1 kbit/s still fits, 3.2 Tb/s is within
  /// 2e-8.
  static constexpr unsigned kPaceFractionBits = 24;

  Dcqcn(const DcqcnParams& params, BitsPerSecond line_rate);

  bool add_flow() override;
  bool on_cnp(std::uint32_t flow, Ps now) override;
  /// DCQCN does not look at round-trip times.
  bool on_rtt(std::uint32_t flow, Ps, Ps) override { return limited(flows_[flow]); }
  Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) override;

  /// Executes what is due up to, not including, `now`: the state as a reader at `now` sees it.
  const DcqcnFlow& at(std::uint32_t flow, Ps now);
  /// As at(), with what is due at `now` itself.
  const DcqcnFlow& after(std::uint32_t flow, Ps now) { return at(flow, now + Ps{1}); }

  /// The state as it lies in memory, nothing caught up.
  const DcqcnFlow& stored(std::uint32_t flow) const { return flows_[flow]; }
  const DcqcnWork& work() const { return work_; }
  std::uint32_t max_kbps() const { return fixed_.max_kbps; }

 private:
  bool limited(const DcqcnFlow& flow) const {
    return flow.rate_kbps < fixed_.max_kbps || flow.cut_pending;
  }
  /// When the next cut or timed increase is due.
  Ps due(const DcqcnFlow& flow) const {
    const Ps cut = flow.cut_pending ? flow.next_cut : kNever;
    const Ps increase = flow.rate_kbps < fixed_.max_kbps ? flow.next_increase : kNever;
    return cut < increase ? cut : increase;
  }
  void advance(DcqcnFlow& flow, Ps before) {
    if (due(flow) < before) [[unlikely]]
      execute_due(flow, before);
  }
  void execute_due(DcqcnFlow& flow, Ps before);
  void count_bytes(DcqcnFlow& flow);
  void catch_up_alpha(DcqcnFlow& flow, Ps before);
  void cut(DcqcnFlow& flow, Ps now);
  void increase(DcqcnFlow& flow, bool by_bytes);
  void restart_increase(DcqcnFlow& flow, Ps now);
  void set_rate(DcqcnFlow& flow, std::uint64_t kbps);

  DcqcnParams params_;
  DcqcnFixed fixed_;
  DcqcnWork work_;
  std::vector<DcqcnFlow> flows_;
};

}  // namespace sluice
