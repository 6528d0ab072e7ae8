// SPDX-License-Identifier: Apache-2.0
// What tests of the transport share: the PSNs at which each of them runs, frames recorded as they
// leave a NIC, single losses. Leaves out: the NICs and their wires (nic_rig.h).
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nic/psn.h"
#include "unit/nic/nic_rig.h"

namespace sluice::test {

/// The plain start, the half of the PSN space, three packets before the wrap and one before it.
inline constexpr std::array<std::uint32_t, 4> kPsnStarts{0, (1u << 23) - 1, (1u << 24) - 3,
                                                         (1u << 24) - 1};

/// `params` with `psn` on packet `number`, counted from 0, of every QP.
inline NicParams with_psn(NicParams params, std::uint32_t psn, std::uint32_t number = 0) {
  params.start_psn = psn_add(psn, 0u - number);
  return params;
}

/// A test at one of kPsnStarts. Where what it is about happens later than in the first packets, it
/// names the packet that gets that PSN, so that wrap and half lie within what happens.
class AtPsn : public testing::TestWithParam<std::uint32_t> {
 protected:
  static NicParams at_psn(const NicParams& params, std::uint32_t number = 0) {
    return with_psn(params, GetParam(), number);
  }
  /// A short timer, for tests in which it has to repair something.
  static NicParams impatient(std::uint64_t gbps = 400) {
    NicParams params = at_psn(exact_params(gbps));
    params.timeout_code = 4;  // 65.5 us
    return params;
  }
  /// PSN of packet `number` of a QP that starts at the test's PSN.
  static std::uint32_t psn(std::uint32_t number) { return psn_add(GetParam(), number); }
};

inline auto each_psn_start() { return testing::ValuesIn(kPsnStarts); }
/// The PSN as part of a test's name.
inline std::string psn_name(const testing::TestParamInfo<std::uint32_t>& info) {
  return fmt::format("{:06x}", info.param);
}

struct Frame {
  PacketKind kind;
  std::uint32_t psn;
  std::uint32_t frame_bytes;
  std::uint32_t payload_bytes;
  std::uint8_t flags;
  std::uint32_t word;
};
/// Keeps what leaves a node and loses nothing.
inline auto record(std::vector<Frame>& frames) {
  return [&frames](Packet& p, Ps) {
    frames.push_back({p.kind, p.psn, p.frame_bytes, p.payload_bytes, p.flags, p.message});
    return true;
  };
}

/// Loses the frame `number`, counted from 1, that leaves a node.
inline auto lose(unsigned number) {
  return [number, seen = 0u](Packet&, Ps) mutable { return ++seen != number; };
}

inline std::vector<CompletionStatus> statuses(const NicRig::Node& node) {
  std::vector<CompletionStatus> all;
  for (const Completion& completion : node.completions) all.push_back(completion.status);
  return all;
}

inline NicParams selective(std::uint64_t gbps = 400) {
  NicParams params = exact_params(gbps);
  params.loss_recovery = LossRecovery::kSelectiveRepeat;
  return params;
}

struct TailLoss {
  Ps repaired_after;                 ///< from the lost tail to that of the first repetition
  std::uint64_t packets_sent_again;  ///< by the one timeout that it took
};
/// Loses the last of ten packets of a WRITE, which arrives all the same.
inline TailLoss lose_the_tail(const NicParams& params) {
  NicRig rig(params);
  Ps lost{};
  Ps repeated{};
  unsigned data = 0;
  rig[0].look = [&](Packet&, Ps now) {
    if (++data == 10) lost = now;
    if (data == 11) repeated = now;
    return data != 10;
  };
  rig.write(0, 1, 10 * 4096);
  rig.run();
  EXPECT_EQ(rig[0].nic.counters().timeouts, 1u);
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[0].acked.size(), 1u);
  return {repeated - lost, rig[0].nic.counters().retransmitted_packets};
}

}  // namespace sluice::test
