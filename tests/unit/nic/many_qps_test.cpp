// SPDX-License-Identifier: Apache-2.0
// Ten thousand QPs of one NIC share its port: Jain's index of bytes over a window that is no whole
// number of rounds. Leaves out: what it costs (tests/bench/nic_qps_bench.cpp).
#include <gtest/gtest.h>

#include <vector>

#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

constexpr std::uint32_t kQps = 10'000;

/// Jain's index of the bytes that each QP sends between 1 and 1 + `rounds` rounds of all QPs.
double jain_over(const NicParams& params, double rounds) {
  NicRig rig(params, 1);
  std::vector<double> bytes(kQps + 1);
  const Ps frame = bit_times(4178 * 8, params.port_rate);
  const Ps round = frame * (std::uint64_t{kQps} * params.burst_packets);
  rig[0].look = [&](Packet& packet, Ps now) {
    if (now > round) bytes[packet.destination] += packet.frame_bytes;
    return false;  // nobody is there
  };
  for (std::uint32_t to = 1; to <= kQps; ++to) rig.write(0, to, 1 << 20);
  rig.run_until(round + Ps{static_cast<std::uint64_t>(rounds * static_cast<double>(round.value))});
  EXPECT_EQ(rig[0].nic.requester().qp_count(), kQps);
  double sum = 0;
  double squares = 0;
  for (std::uint32_t to = 1; to <= kQps; ++to) {
    sum += bytes[to];
    squares += bytes[to] * bytes[to];
  }
  EXPECT_GT(sum, rounds * kQps * params.burst_packets * 4158 * 0.999) << "the port was idle";
  return sum * sum / (kQps * squares);
}

TEST(NicScheduler, TenThousandQpsGetTheSame) {
  NicParams params = exact_params(400);
  params.burst_packets = 1;
  EXPECT_GE(jain_over(params, 10.5), 0.99);
  params.burst_packets = 8;
  EXPECT_GE(jain_over(params, 6.5), 0.99);
}

TEST(NicScheduler, TenThousandPacedQpsGetTheSame) {
  NicParams params = exact_params(400);
  params.burst_packets = 1;
  params.qp_rate_limit = {100'000'000};  // a packet each 334 us; a round takes 836 us
  params.qp_rate_burst_bytes = {0};
  EXPECT_GE(jain_over(params, 10.5), 0.99);
}

}  // namespace
}  // namespace sluice
