// SPDX-License-Identifier: Apache-2.0
// The obeying side of PFC of a chip in RTL, behind the interface of the C++ block: frames reach it
// as the 64 bytes of the wire. Leaves out: statistics, which the base counts from its answers.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "packet/wire/frames.h"
#include "rtl/harness/rtl_options.h"
#include "switch/pfc/pfc.h"

namespace sluice::rtl {

class PfcRxTwin : public PfcReceiver {
 public:
  static constexpr unsigned kLatency = 3;  ///< clocks from request to response
  static constexpr std::size_t kMaxPorts = 256;

  /// As PfcReceiver. Throws ConfigError for more ports than the RTL has or a rate that it cannot
  /// express.
  PfcRxTwin(const std::vector<BitsPerSecond>& rates, const std::vector<std::uint8_t>& lossless,
            const RtlOptions& options);
  ~PfcRxTwin() override;

  void receive(std::uint32_t port, PfcFrame frame, Ps now) override;

  struct Request {
    std::uint32_t port = 0;
    wire::Buffer frame;  ///< 64 bytes; empty: a look at the timers
    Ps now{};
  };
  struct Answer {
    bool valid = false;
    bool pfc = false;
    std::uint8_t obeyed = 0;
    std::uint8_t ignored = 0;
    std::uint8_t paused = 0;
    std::array<Ps, kPriorities> until{};
  };
  /// One clock with `request` at the input (null: none), for requests back to back; the answer that
  /// comes out in this clock, that of kLatency clocks ago.
  Answer clock(const Request* request);
  std::uint64_t cycle() const;

 protected:
  std::uint8_t paused_slow(std::uint32_t port, Ps now) override;

 private:
  struct Rtl;
  Answer ask(const Request& request);

  std::unique_ptr<Rtl> rtl_;
};

}  // namespace sluice::rtl
