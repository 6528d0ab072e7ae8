// SPDX-License-Identifier: Apache-2.0
// A plane that dies under a QP and comes back: found by probes, its packets sent by the other one,
// used again afterwards. Times are those of the probes' interval and timeout.
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

class PlaneFailure : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, PlaneFailure, test::each_psn_start(), test::psn_name);

/// Of the packets that are under way at 50 us: 11.97 a microsecond have left on each plane.
constexpr std::uint32_t kUnderWayAt50Us = 1190;

NicParams watched() {
  NicParams params = exact_params(400);
  params.ports = 2;
  params.plane_choice = PlaneChoice::kPerPacket;
  params.out_of_order_placement = true;
  params.loss_recovery = LossRecovery::kSelectiveRepeat;
  params.probe.interval = 5_us;
  params.probe.timeout = 20_us;
  return params;
}

/// Nothing passes a port's wires, either way, in [from, until).
void cut(NicRig& rig, std::uint32_t port, Ps from, Ps until = kNever) {
  for (std::uint32_t node = 0; node < 2; ++node) {
    rig[node].look_at_port = [port, from, until](Packet&, std::uint32_t at, Ps now) {
      return at != port || now < from || now >= until;
    };
  }
}

TEST_P(PlaneFailure, TheOtherPlaneFinishesTheMessageAndTheTimeLostIsReported) {
  for (const bool selective : {true, false}) {
    for (const PlaneChoice choice : {PlaneChoice::kPerPacket, PlaneChoice::kPerMessage}) {
      NicParams params = at_psn(watched(), kUnderWayAt50Us);
      params.plane_choice = choice;
      if (!selective) params.loss_recovery = LossRecovery::kGoBackN;
      NicRig rig(params);
      // With one plane a message, the first message takes plane 1.
      cut(rig, 1, 50_us);
      rig.write(0, 1, 4000 * 4096);
      rig.run();
      ASSERT_EQ(rig[1].received.size(), 1u);
      const NicCounters& sender = rig[0].nic.counters();
      EXPECT_EQ(sender.plane_failures, 1u);
      EXPECT_EQ(sender.plane_recoveries, 0u);
      EXPECT_GT(sender.plane_lost_packets, 0u);
      EXPECT_EQ(sender.timeouts, 0u);
      // Three probes of 20 us, the first at most 5 us and a round trip after the last reply.
      EXPECT_GE(sender.plane_detection_ps, 60'000'000u);
      EXPECT_LE(sender.plane_detection_ps, 70'000'000u);
      const double end = rig[1].received[0].time.seconds() * 1e6;
      // At worst nothing of what came after the cut counted until it was found.
      EXPECT_LT(end, 50 + 70 + 4000 * 0.0836 + 20);
      EXPECT_GT(end, 50 + (4000 - 2 * 600) * 0.0836);
      EXPECT_EQ(rig.packets.live(), 0u);
    }
  }
}

TEST_P(PlaneFailure, APlaneThatReturnsIsUsedAgainAsBefore) {
  NicRig rig(at_psn(watched(), kUnderWayAt50Us));
  cut(rig, 1, 50_us, 250_us);
  rig.write(0, 1, 20'000 * 4096);
  std::uint64_t sent[4][2];
  const Ps instants[] = {10_us, 40_us, 300_us, 600_us};
  for (int i = 0; i < 4; ++i) {
    rig.run_until(instants[i]);
    for (std::uint32_t port = 0; port < 2; ++port) {
      sent[i][port] = rig[0].nic.port_counters(port).tx_frames;
    }
  }
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  const NicCounters& sender = rig[0].nic.counters();
  EXPECT_EQ(sender.plane_failures, 1u);
  EXPECT_EQ(sender.plane_recoveries, 1u);
  // Found by 120 us, seen to be back within one probe of 20 us and a round trip.
  EXPECT_NEAR(static_cast<double>(sender.plane_down_ps) * 1e-6, 250 + 10 - 115, 20);
  for (std::uint32_t port = 0; port < 2; ++port) {
    const double before = static_cast<double>(sent[1][port] - sent[0][port]) / 30;
    const double after = static_cast<double>(sent[3][port] - sent[2][port]) / 300;
    EXPECT_GE(after, 0.99 * before) << "port " << port;
  }
}

TEST_P(PlaneFailure, WithoutAnyPlaneTheQpFailsInBoundedTime) {
  NicParams params = at_psn(watched(), kUnderWayAt50Us);
  params.timeout_code = 4;  // 65.5 us
  params.retry_count = 3;
  NicRig rig(params);
  for (std::uint32_t node = 0; node < 2; ++node) {
    rig[node].look_at_port = [](Packet&, std::uint32_t, Ps now) { return now < 50_us; };
  }
  rig.write(0, 1, 4000 * 4096);
  try {
    rig.run();
    FAIL() << "nobody noticed";
  } catch (const StallError& error) {
    EXPECT_NE(std::string(error.what()).find("QP 0 from endpoint 0 to endpoint 1"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(rig[0].nic.counters().plane_failures, 2u);
  EXPECT_LT(rig.wheel.now(), 50_us + 5 * 66_us + 120_us);
}

TEST_P(PlaneFailure, MoreMissesOrNoneMayBeAskedFor) {
  const auto detection = [](std::uint32_t threshold) {
    NicParams params = at_psn(watched(), kUnderWayAt50Us);
    params.plane_failure_threshold = threshold;
    NicRig rig(params);
    cut(rig, 1, 50_us);
    rig.write(0, 1, 8000 * 4096);
    rig.run_until(600_us);
    EXPECT_EQ(rig[0].nic.counters().plane_failures, threshold == 0 ? 0u : 1u);
    return static_cast<double>(rig[0].nic.counters().plane_detection_ps) * 1e-6;
  };
  EXPECT_NEAR(detection(3), 65, 5);
  EXPECT_NEAR(detection(6), 125, 5);
  EXPECT_EQ(detection(0), 0);
}

TEST_P(PlaneFailure, ThePlaneReturnsAfterAsManyRepliesAsAskedFor) {
  const auto down = [](std::uint32_t threshold) {
    NicParams params = at_psn(watched(), kUnderWayAt50Us);
    params.plane_recovery_threshold = threshold;
    NicRig rig(params);
    cut(rig, 1, 50_us, 200_us);
    rig.write(0, 1, 20'000 * 4096);
    rig.run_until(500_us);
    EXPECT_EQ(rig[0].nic.counters().plane_recoveries, 1u);
    return static_cast<double>(rig[0].nic.counters().plane_down_ps) * 1e-6;
  };
  EXPECT_NEAR(down(11) - down(1), 10 * 5, 1) << "a reply every 5 us";
}

TEST_P(PlaneFailure, QpsOnOneDeadPlaneMoveToTheOther) {
  NicParams params = at_psn(watched(), 230);
  params.plane_choice = PlaneChoice::kPerQp;
  NicRig rig(params, 3);
  cut(rig, 1, 20_us);
  rig[2].look_at_port = rig[1].look_at_port;
  rig.write(0, 1, 1000 * 4096);
  rig.write(0, 2, 1000 * 4096);  // QP 1, plane 1
  rig.run();
  EXPECT_EQ(rig[1].received.size(), 1u);
  EXPECT_EQ(rig[2].received.size(), 1u);
  EXPECT_GE(rig[0].nic.port_counters(0).tx_frames, 2000u - 300u);
}

TEST_P(PlaneFailure, TheyReturnWithTheirPlaneEvenFromAFailureOfAll) {
  for (const PlaneChoice choice : {PlaneChoice::kPerQp, PlaneChoice::kPerMessage}) {
    NicParams params = at_psn(watched(), 230);
    params.plane_choice = choice;
    NicRig rig(params, 3);
    for (std::uint32_t node = 0; node < 3; ++node) {
      rig[node].look_at_port = [](Packet&, std::uint32_t port, Ps now) {
        return now < 20_us || now > (port == 1 ? 200_us : 400_us);
      };
    }
    rig.write(0, 1, 20'000 * 4096);
    rig.write(0, 2, 20'000 * 4096);
    rig.run_until(500_us);
    EXPECT_EQ(rig[0].nic.counters().plane_failures, 4u);
    EXPECT_EQ(rig[0].nic.counters().plane_recoveries, 4u);
    const std::uint64_t sent[] = {rig[0].nic.port_counters(0).tx_frames,
                                  rig[0].nic.port_counters(1).tx_frames};
    EXPECT_GT(sent[1], 150 * 11u) << "plane 1 alone";
    rig.run_until(600_us);
    // A message stays where it is; the next one has the choice.
    for (std::uint32_t port = 0; choice == PlaneChoice::kPerQp && port < 2; ++port) {
      EXPECT_NEAR(static_cast<double>(rig[0].nic.port_counters(port).tx_frames - sent[port]),
                  100 * 11.97, 60)
          << port;
    }
    rig.run();
    EXPECT_EQ(rig[1].received.size() + rig[2].received.size(), 2u);
  }
}

}  // namespace
}  // namespace sluice
