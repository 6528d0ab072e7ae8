// SPDX-License-Identifier: Apache-2.0
// The ICRC engine in RTL, a clock at a time. Leaves out: a place in a running fabric, whose packets
// carry no bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

class IcrcEngineTwin {
 public:
  static constexpr unsigned kLatency = 2;  ///< clocks from tail word to result
  static constexpr std::size_t kWordBytes = 64;

  explicit IcrcEngineTwin(const RtlOptions& options);
  ~IcrcEngineTwin();

  /// What passed the ports in one clock.
  struct Clock {
    bool accepted = false;  ///< the word at the input
    bool valid = false;     ///< a result was taken
    std::uint32_t crc = 0;
    bool good = false;
  };
  /// One clock with `word` (1 to 64 bytes, fewer only with `last`; empty: none) at the input.
  Clock clock(std::span<const std::uint8_t> word, bool last, bool out_ready);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
