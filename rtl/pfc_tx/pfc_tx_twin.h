// SPDX-License-Identifier: Apache-2.0
// The sending side of PFC of a chip in RTL, behind the interface of the C++ block, which reads the
// 64 bytes that the RTL built. Leaves out: statistics, which the base counts from its answers.
#pragma once

#include <memory>
#include <vector>

#include "packet/wire/frames.h"
#include "rtl/harness/rtl_options.h"
#include "switch/pfc/pfc.h"

namespace sluice::rtl {

class PfcTxTwin : public PfcSender {
 public:
  static constexpr unsigned kLatency = 3;  ///< clocks from request to response
  static constexpr std::size_t kMaxPorts = 256;

  /// As PfcSender. Throws ConfigError for more ports than the RTL has.
  PfcTxTwin(const PfcParams& params, const std::vector<BitsPerSecond>& rates,
            const RtlOptions& options);
  ~PfcTxTwin() override;

  PfcFrame xoff(std::uint32_t port, std::uint32_t priority, Ps now) override;
  PfcFrame xon(std::uint32_t port, std::uint32_t priority) override;
  PfcFrame refresh(std::uint32_t port, Ps now) override;

  /// Source address of a port's frames.
  static wire::Mac source_of(std::uint32_t port);

  enum class Kind : std::uint8_t { kXoff, kXon, kRefresh };
  struct Request {
    Kind kind = Kind::kXoff;
    std::uint32_t port = 0;
    std::uint32_t priority = 0;
    Ps now{};
  };
  struct Answer {
    bool valid = false;
    wire::Buffer frame;  ///< empty: none to send
    std::uint8_t xoff = 0;
    Ps due{};  ///< kNever while nothing is XOFF
  };
  /// One clock with `request` at the input (null: none), for requests back to back; the answer that
  /// comes out in this clock, that of kLatency clocks ago.
  Answer clock(const Request* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  PfcFrame ask(const Request& request);

  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
