// SPDX-License-Identifier: Apache-2.0
// PCI Express in arithmetic: golden rows G1-41 and G1-42, TLPs, outstanding reads, posted credits.
#include "nic/pcie/pcie_link.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sluice {
namespace {

PcieParams generation(std::uint32_t number, std::uint32_t max_payload = 256) {
  PcieParams params;
  params.generation = number;
  params.max_payload_bytes = max_payload;
  return params;
}
double gigabytes(double per_second) { return per_second / 1e9; }

TEST(GoldenG1, G1_41_Gen5x16CarriesWhatItsCodingAndTlpsLeave) {
  EXPECT_NEAR(gigabytes(PcieLink(generation(5)).bytes_per_second()), 63.015, 0.063);
  EXPECT_NEAR(gigabytes(PcieLink(generation(5, 128)).payload_bytes_per_second()), 53.07, 0.053);
  EXPECT_NEAR(gigabytes(PcieLink(generation(5, 256)).payload_bytes_per_second()), 57.61, 0.057);
  EXPECT_NEAR(gigabytes(PcieLink(generation(5, 512)).payload_bytes_per_second()), 60.19, 0.060);
}

TEST(GoldenG1, G1_42_Gen6x16CarriesWhatItsFlitsAndTlpsLeave) {
  EXPECT_NEAR(gigabytes(PcieLink(generation(6)).bytes_per_second()), 118.000, 0.118);
  EXPECT_NEAR(gigabytes(PcieLink(generation(6, 128)).payload_bytes_per_second()), 104.89, 0.104);
  EXPECT_NEAR(gigabytes(PcieLink(generation(6, 256)).payload_bytes_per_second()), 111.06, 0.111);
  EXPECT_NEAR(gigabytes(PcieLink(generation(6, 512)).payload_bytes_per_second()), 114.42, 0.114);
}

TEST(PcieLink, HalfTheLanesCarryHalf) {
  PcieParams params;
  params.lanes = 8;
  EXPECT_DOUBLE_EQ(PcieLink(params).bytes_per_second(), 59e9);
}

TEST(PcieLink, EveryTlpHasAHeader) {
  const PcieLink gen6(generation(6));
  EXPECT_EQ(gen6.tlp_bytes(0), 0u);
  EXPECT_EQ(gen6.tlp_bytes(1), 17u);
  EXPECT_EQ(gen6.tlp_bytes(256), 272u);
  EXPECT_EQ(gen6.tlp_bytes(257), 257u + 32);
  EXPECT_EQ(PcieLink(generation(5)).tlp_bytes(4096), 4096u + 16 * 24);
}

TEST(PcieLink, OutstandingReadsOverLatencyBoundReading) {
  PcieParams params;
  params.outstanding_reads = 16;  // 16 x 512 B in 600 ns
  EXPECT_NEAR(PcieLink(params).read_bytes_per_second(), 16 * 512 / 600e-9, 1);
  params.read_request_bytes = 1024;
  EXPECT_NEAR(PcieLink(params).read_bytes_per_second(), 16 * 1024 / 600e-9, 1);
  params.read_latency = 1200_ns;
  EXPECT_NEAR(PcieLink(params).read_bytes_per_second(), 16 * 1024 / 1200e-9, 1);
  params.outstanding_reads = 256;
  EXPECT_DOUBLE_EQ(PcieLink(params).read_bytes_per_second(),
                   PcieLink(params).payload_bytes_per_second());
}

TEST(PcieLink, PostedCreditsOverTheirReturnBoundWriting) {
  PcieParams params;
  params.posted_credits = 64;  // 64 TLPs of 256 B in 500 ns
  EXPECT_NEAR(PcieLink(params).write_bytes_per_second(), 64 * 256 / 500e-9, 1);
  params.credit_return_latency = 1000_ns;
  EXPECT_NEAR(PcieLink(params).write_bytes_per_second(), 64 * 256 / 1000e-9, 1);
}

/// Time of `count` packets of 4096 B, one after the other, in ps.
template <class Transfer>
double lasting(PcieLink& link, int count, Transfer transfer) {
  Ps now{};
  for (int i = 0; i < count; ++i) now = transfer(link, now);
  return static_cast<double>(now.value);
}

TEST(PcieLink, ReadsAndWritesLastAsLongAsTheirBytes) {
  const auto read = [](PcieLink& link, Ps now) { return link.read(4096, now); };
  const auto write = [](PcieLink& link, Ps now) { return link.write(4096, now); };
  PcieParams slow = generation(5);
  slow.prefetch_bytes = Bytes{0};
  constexpr int kPackets = 10'000;
  const double bytes = kPackets * 4096.0;
  {
    PcieLink link(slow);
    EXPECT_NEAR(lasting(link, kPackets, read), bytes / link.read_bytes_per_second() * 1e12,
                kPackets);
  }
  {
    PcieLink link(slow);
    EXPECT_NEAR(lasting(link, kPackets, write), bytes / link.write_bytes_per_second() * 1e12,
                kPackets);
  }
  slow.posted_credits = 32;
  PcieLink link(slow);
  EXPECT_NEAR(lasting(link, kPackets, write), bytes / (32 * 256 / 500e-9) * 1e12, kPackets);
}

TEST(PcieLink, ReadsRunAheadByThePrefetchAndNoFarther) {
  PcieParams params = generation(5);
  params.prefetch_bytes = Bytes{64 * 1024};
  PcieLink link(params);
  // Sixteen packets have been read while nothing left; the seventeenth has to be waited for.
  const Ps now = 10_us;
  int at_once = 0;
  while (link.read(4096, now) == now) ++at_once;
  EXPECT_EQ(at_once, 16);
  PcieLink busy(params);
  busy.begin_reading(now);
  EXPECT_GT(busy.read(4096, now), now);
}

TEST(PcieLink, ReadRequestsTakeTheirPartOfTheOtherDirection) {
  PcieParams params = generation(5);
  params.prefetch_bytes = Bytes{0};
  PcieLink link(params);
  const Ps alone = PcieLink(params).write(4096, 1_us);
  link.read(1 << 20, 1_us);  // 2048 requests of 24 B before it
  const Ps behind = link.write(4096, 1_us);
  EXPECT_NEAR(static_cast<double>((behind - alone).value), 2048 * 24 / 63.015e9 * 1e12, 1000);
}

}  // namespace
}  // namespace sluice
