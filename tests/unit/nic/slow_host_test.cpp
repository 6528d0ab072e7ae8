// SPDX-License-Identifier: Apache-2.0
// A NIC whose host drains slowly: when frames leave its receive buffer, when PFC goes out, repeats
// and ends, and what is lost where PFC is not obeyed. Leaves out: whole fabrics (golden/b31).
#include <gtest/gtest.h>

#include <vector>

#include "packet/serialisation.h"
#include "unit/nic/nic_rig.h"

namespace sluice::test {
namespace {

/// A sender whose host keeps up and a receiver of `params`; the PFC frames that the receiver sends
/// are kept, and obeyed when asked.
struct SlowRig {
  explicit SlowRig(const NicParams& params, bool obeyed = true)
      : rig({exact_params(400), params}), obeys(obeyed) {
    rig[1].look = [this](Packet& packet, Ps now) {
      if (packet.kind != PacketKind::kPfc) return true;
      pauses.push_back({now, packet.pcp, static_cast<std::uint32_t>(packet.offset_bytes)});
      if (obeys) {
        rig.pause(0, now + rig.propagation, packet.pcp,
                  static_cast<std::uint32_t>(packet.offset_bytes));
      }
      return false;
    };
  }
  struct Pause {
    Ps time;
    std::uint8_t classes;
    std::uint32_t quanta;
  };
  const NicPortCounters& receiver() { return rig[1].nic.port_counters(0); }
  NicRig rig;
  bool obeys;
  std::vector<Pause> pauses;
};

constexpr std::uint32_t kMiddleWire = 4096 + 62 + 20;  // a middle packet, preamble to gap

TEST(SlowHost, TakesAWriteAtTheDrainRate) {
  NicParams params = exact_params(400);
  params.rx_drain_rate = {100'000'000'000};
  SlowRig slow(params);
  slow.rig.write(0, 1, 20 * 4096);
  slow.rig.run();
  ASSERT_EQ(slow.rig[1].received.size(), 1u);
  // First bit to the buffer as ever; then 20 frames leave one after the other at 100 Gb/s.
  const std::uint64_t first = kMiddleWire + kRethBytes;
  const Ps arrived = params.t_tx() + bit_times((first - 12) * 8, params.port_rate) + 150_ns +
                     params.rx_phy_latency;
  const Ps drained = bit_times((first + 19 * kMiddleWire) * 8, {100'000'000'000});
  EXPECT_EQ(slow.rig[1].received[0].time,
            arrived + drained + params.rx_processing_latency + params.pcie_write_latency);
  EXPECT_TRUE(slow.pauses.empty());
  EXPECT_GT(slow.receiver().rx_buffer_peak_bytes, 14u * 4158);
}

TEST(SlowHost, PausesAboveXoffAndEndsThePauseAtXon) {
  NicParams params = exact_params(400);
  params.rx_drain_percent = 50;
  SlowRig slow(params);
  slow.rig.write(0, 1, 1000 * 4096);
  slow.rig.run();
  ASSERT_GE(slow.pauses.size(), 4u);
  for (std::size_t i = 0; i < slow.pauses.size(); ++i) {
    EXPECT_EQ(slow.pauses[i].classes, 1u << params.data_priority);
    EXPECT_EQ(slow.pauses[i].quanta, i % 2 == 0 ? 65535u : 0u) << i;
  }
  // Filled at 400 - 200 Gb/s: 64 frames of 4158 B are more than 262,144 B, and some 127 have come
  // when the buffer holds them; the way there and back takes 3 frame times.
  const double frames = (slow.pauses[0].time - params.t_tx()).seconds() /
                        bit_times(kMiddleWire * 8, params.port_rate).seconds();
  EXPECT_NEAR(frames, 130, 2);
  EXPECT_EQ(slow.receiver().xoff_sent, (slow.pauses.size() + 1) / 2);
  EXPECT_EQ(slow.receiver().xon_sent, slow.pauses.size() / 2);
  EXPECT_EQ(slow.receiver().rx_overflow_drops, 0u);
  EXPECT_EQ(slow.rig[0].nic.counters().retransmitted_packets, 0u);
  EXPECT_EQ(slow.rig[1].received.size(), 1u);
  // Half the rate, seen from the end: all but what the buffer held is paced by the drain.
  const double share = bit_times(1000ull * kMiddleWire * 8, params.port_rate).seconds() /
                       slow.rig[1].received[0].time.seconds();
  EXPECT_NEAR(share, 0.5, 0.01);
}

TEST(SlowHost, ThatTakesNothingRepeatsItsPauseAtHalfItsTime) {
  NicParams params = exact_params(400);
  params.rx_drain_percent = 0;
  SlowRig slow(params);
  slow.rig.write(0, 1, 1000 * 4096);
  slow.rig.run_until(400_us);
  // 65535 quanta at 400 Gb/s are 83.885 us.
  ASSERT_GE(slow.pauses.size(), 9u);
  for (std::size_t i = 1; i < slow.pauses.size(); ++i) {
    EXPECT_EQ(slow.pauses[i].quanta, 65535u);
    EXPECT_EQ(slow.pauses[i].time - slow.pauses[i - 1].time, Ps{83'884'800 / 2});
  }
  EXPECT_EQ(slow.receiver().xon_sent, 0u);
  EXPECT_EQ(slow.receiver().rx_overflow_drops, 0u);
  EXPECT_EQ(slow.rig[1].nic.counters().delivered_packets, 0u);
  EXPECT_GT(slow.receiver().rx_buffer_peak_bytes, params.rx_xoff_bytes.value);
  EXPECT_GT(slow.rig[0].nic.port_counters(0).pause_frames, 8u);
}

TEST(SlowHost, LosesWhatItsBufferHasNoRoomFor) {
  NicParams params = exact_params(400);
  params.rx_drain_percent = 0;
  SlowRig slow(params, false);
  slow.rig.write(0, 1, 200 * 4096);
  slow.rig.run_until(100_us);
  const std::uint64_t room = (params.rx_buffer_bytes.value - kRethBytes) / 4158;
  EXPECT_EQ(slow.receiver().rx_overflow_drops, 200 - room);
  EXPECT_LE(slow.receiver().rx_buffer_peak_bytes, params.rx_buffer_bytes.value);
}

TEST(SlowHost, TakesAcknowledgementsAtOnce) {
  NicParams params = exact_params(400);
  const auto acked_at = [](const NicParams& sender) {
    SlowRig slow(sender);
    slow.rig.write(1, 0, 4096);
    slow.rig.run_until(100_us);
    EXPECT_EQ(slow.rig[1].acked.size(), 1u);
    return slow.rig[1].acked.at(0).time;
  };
  const Ps usual = acked_at(params);
  params.rx_drain_percent = 0;
  EXPECT_EQ(acked_at(params), usual);
}

TEST(PauseSender, SendsNoXonForAnXoffThatNeverLeft) {
  PauseSender sender({400'000'000'000}, 3);
  EXPECT_TRUE(sender.stop());
  EXPECT_FALSE(sender.go_on());
  EXPECT_FALSE(sender.pending());
  EXPECT_TRUE(sender.stop());
  EXPECT_EQ(sender.take(1_us), 65535u);
  EXPECT_EQ(sender.class_enable(), 8u);
  EXPECT_FALSE(sender.refresh(2_us));
  EXPECT_TRUE(sender.refresh(sender.refresh_due()));
  EXPECT_EQ(sender.take(sender.refresh_due()), 65535u);
  EXPECT_TRUE(sender.go_on());
  EXPECT_EQ(sender.take(90_us), 0u);
  EXPECT_EQ(sender.refresh_due(), kNever);
}

}  // namespace
}  // namespace sluice::test
