// SPDX-License-Identifier: Apache-2.0
// The order of a port's QPs, where something other than QpScheduler keeps it (an RTL twin).
// Leaves out: any such place (rtl/).
#pragma once

#include <cstdint>
#include <vector>

#include "nic/requester/qp.h"

namespace sluice {

/// The functions of QpScheduler, without the callers' records; each answers with the state after.
class QpSchedule {
 public:
  struct View {
    std::uint32_t current = kNoQp;  ///< kNoQp: no QP is ready
    Ps earliest_waiting = kNever;
  };

  virtual ~QpSchedule() = default;
  virtual View make_ready(std::uint32_t qp) = 0;
  virtual View remove_current() = 0;
  virtual View count_packet() = 0;
  virtual View wait(std::uint32_t qp, Ps time) = 0;
  /// Adds the QPs that it woke to `woken`.
  virtual View wake_due(Ps now, std::vector<std::uint32_t>& woken) = 0;
};

}  // namespace sluice
