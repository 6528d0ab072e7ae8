// SPDX-License-Identifier: Apache-2.0
// What each ingress pipe believes of the port grades: a copy taken every `refresh`, the pipes one
// after the other. Between two copies all packets of a pipe act on the same old numbers.
// Leaves out: the time that a copy takes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/time.h"

namespace sluice {

class PipeViews {
 public:
  /// `refresh` 0: no copies, `live()` is true. Phases are drawn from (seed, chip, pipe).
  PipeViews(std::uint32_t pipes, std::uint32_t ports, Ps refresh, std::uint64_t seed,
            std::uint64_t chip);

  bool live() const { return refresh_ == Ps{}; }
  const std::uint8_t* of(std::uint32_t pipe) const { return grades_.data() + pipe * ports_; }
  /// When the next pipe takes its copy; kNever when live.
  Ps next_due() const { return next_due_; }
  /// Copies `grade_of(port)` of `ports` into every pipe that is due at or before `now`.
  template <class GradeOf>
  void refresh(Ps now, const std::vector<std::uint16_t>& ports, const GradeOf& grade_of) {
    for (; next_due_ <= now; advance()) copy(order_[next_].pipe, ports, grade_of);
  }
  /// After a time without traffic: all pipes have the grades of now; next copies are due after it.
  template <class GradeOf>
  void wake(Ps now, const std::vector<std::uint16_t>& ports, const GradeOf& grade_of) {
    if (live()) return;
    for (const Slot& slot : order_) copy(slot.pipe, ports, grade_of);
    seek(now);
  }

 private:
  struct Slot {
    Ps phase;  ///< within a refresh period
    std::uint32_t pipe;
  };

  template <class GradeOf>
  void copy(std::uint32_t pipe, const std::vector<std::uint16_t>& ports, const GradeOf& grade_of) {
    std::uint8_t* view = grades_.data() + pipe * ports_;
    for (const std::uint16_t port : ports) view[port] = static_cast<std::uint8_t>(grade_of(port));
  }
  void advance();
  void seek(Ps now);

  std::size_t ports_;
  Ps refresh_;
  std::vector<Slot> order_;  ///< by phase
  std::vector<std::uint8_t> grades_;
  Ps period_start_{};
  std::size_t next_ = 0;
  Ps next_due_ = kNever;
};

}  // namespace sluice
