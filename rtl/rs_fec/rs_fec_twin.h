// SPDX-License-Identifier: Apache-2.0
// Encoder and syndrome check of RS(544,514) in RTL, a clock at a time. Leaves out: a place in a
// running fabric, whose links carry no symbols.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "link/fec/rs544.h"
#include "rtl/harness/rtl_options.h"

namespace sluice::rtl {

class RsFecTwin {
 public:
  static constexpr unsigned kLatency = 1;
  static constexpr std::size_t kSymbols = 2;  ///< a clock
  using Word = std::array<fec::Symbol, kSymbols>;

  explicit RsFecTwin(const RtlOptions& options);
  ~RsFecTwin();

  /// Before the edge: whether the encoder took its word. After it: what came out.
  struct Clock {
    bool taken = false;
    std::optional<Word> code;
    bool code_last = false;
    bool checked = false;
    bool error = false;
    std::array<fec::Symbol, fec::kParitySymbols> syndromes{};
  };
  Clock clock(const std::optional<Word>& data, const std::optional<Word>& code);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
