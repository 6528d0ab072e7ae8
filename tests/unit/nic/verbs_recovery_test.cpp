// SPDX-License-Identifier: Apache-2.0
// Every operation with every loss recovery, placement and choice of planes, between two NICs whose
// wires lose frames, both ways. Leaves out: a switch (system.verbs) and frames that come twice
// (tests/fuzz).
#include <gtest/gtest.h>

#include <optional>

#include "kernel/random.h"
#include "unit/nic/nic_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::NicRig;

struct Recovery {
  const char* name;
  LossRecovery recovery;
  bool placement;
};
struct Planes {
  const char* name;
  std::uint32_t ports;
  PlaneChoice choice;
};
constexpr Recovery kRecoveries[] = {
    {"GoBackN", LossRecovery::kGoBackN, false},
    {"GoBackNPlacement", LossRecovery::kGoBackN, true},
    {"GoBack0", LossRecovery::kGoBack0, false},
    {"SelectiveRepeat", LossRecovery::kSelectiveRepeat, false},
    {"SelectiveRepeatPlacement", LossRecovery::kSelectiveRepeat, true}};
constexpr Planes kPlanes[] = {{"OnePlane", 1, PlaneChoice::kPerQp},
                              {"TwoPerQp", 2, PlaneChoice::kPerQp},
                              {"TwoPerMessage", 2, PlaneChoice::kPerMessage},
                              {"TwoPerPacket", 2, PlaneChoice::kPerPacket},
                              {"FourPerPacket", 4, PlaneChoice::kPerPacket}};
constexpr const char* kOperations[] = {"Write", "WriteImmediate", "Send",     "SendImmediate",
                                       "Read",  "CompareSwap",    "FetchAdd", "Mixture"};
constexpr unsigned kMixture = 7;
constexpr std::uint32_t kMtu = 1024;

using Case = std::tuple<unsigned, Recovery, Planes>;

NicParams params_of(const Recovery& recovery, const Planes& planes, bool limited_receives) {
  NicParams params = exact_params(400);
  params.mtu_bytes = kMtu;
  params.loss_recovery = recovery.recovery;
  params.out_of_order_placement = recovery.placement;
  params.ports = planes.ports;
  params.plane_choice = planes.choice;
  params.plane_failure_threshold = 0;
  params.reorder_packets = 12;
  params.psn_window = 128;
  params.timeout_code = 4;
  params.ack_every = 5;
  params.start_psn = 0xFFFFC0;  // wraps
  params.verbs.outstanding_reads = 4;
  params.verbs.min_rnr_timer = 1;
  if (limited_receives) {
    params.verbs.receive_queue_depth = 3;
    params.verbs.receive_repost_delay = 3_us;
  }
  return params;
}

WorkRequest request_of(unsigned op, LossRecovery recovery, std::uint64_t number,
                       RandomStream& random) {
  if (op == kMixture) op = random.below(7);
  const auto operation = static_cast<Operation>(op);
  // Some without payload, some of one packet, some longer than what the responder keeps track of.
  // Not where a whole message would have to come without a loss.
  const bool long_one = random.below(20) == 0 && recovery != LossRecovery::kGoBack0;
  const std::uint32_t most = long_one ? 200 * kMtu : random.below(3) * 5 * kMtu;
  return {.destination = 1,
          .op = operation,
          .bytes = is_atomic(operation) ? 0 : random.below(most + 1),
          .cookie = number,
          .remote_address = operation == Operation::kCompareSwap ? 16u : 8u,
          .compare = number,
          .operand = operation == Operation::kCompareSwap ? number + 1 : 1,
          .immediate = static_cast<std::uint32_t>(number + 1000)};
}

class VerbsRecovery : public testing::TestWithParam<Case> {
 protected:
  /// Posts `count` work requests, loses one frame in `loss` and checks all that came of them.
  void run(std::uint32_t seed, std::uint32_t loss, bool limited_receives, Ps one_way);
  void check(NicRig& rig) const;
  void check_counts(NicRig& rig) const;

  std::vector<WorkRequest> posted_;
};

void VerbsRecovery::run(std::uint32_t seed, std::uint32_t loss, bool limited_receives, Ps one_way) {
  const auto& [op, recovery, planes] = GetParam();
  constexpr std::uint64_t kCount = 80;
  NicRig rig(params_of(recovery, planes, limited_receives), 2, one_way);
  RandomStream random(seed, 0, RandomPurpose::kTest);
  for (std::uint32_t node = 0; node < 2; ++node) {
    rig[node].look = [&random, loss](Packet&, Ps) { return random.below(loss) != 0; };
    rig[node].skew = {0_ns, 300_ns, 90_ns, 700_ns};
  }
  posted_.clear();
  for (std::uint64_t i = 0; i < kCount; ++i) {
    posted_.push_back(request_of(op, recovery.recovery, i, random));
    rig.post(0, posted_.back());
  }
  rig.run();
  check(rig);
  check_counts(rig);
  EXPECT_EQ(rig.messages.live(), 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
}

/// Each ended once and in order, atomics took effect once and in order, receive requests likewise.
void VerbsRecovery::check(NicRig& rig) const {
  ASSERT_EQ(rig[0].completions.size(), posted_.size());
  std::uint64_t added = 0;
  std::optional<std::uint64_t> swapped;
  std::size_t arrived = 0;
  for (std::size_t i = 0; i < posted_.size(); ++i) {
    const Completion& completion = rig[0].completions[i];
    EXPECT_EQ(completion.cookie, i);
    EXPECT_EQ(completion.status, CompletionStatus::kSuccess);
    if (posted_[i].op == Operation::kFetchAdd) {
      EXPECT_EQ(completion.result, added++);
    }
    if (posted_[i].op == Operation::kCompareSwap) {
      // The word is 0 until request 0 finds it so; then each finds what the one before stored.
      EXPECT_EQ(completion.result, swapped.value_or(0));
      if (swapped.value_or(0) == i) swapped = i + 1;
    }
    if (!takes_receive(posted_[i].op)) continue;
    ASSERT_LT(arrived, rig[1].arrivals.size());
    const Arrival& arrival = rig[1].arrivals[arrived++];
    EXPECT_EQ(arrival.op, posted_[i].op);
    EXPECT_EQ(arrival.bytes, posted_[i].bytes);
    if (posted_[i].op != Operation::kSend) {
      EXPECT_EQ(arrival.immediate, 1000 + i);
    }
  }
  EXPECT_EQ(rig[1].arrivals.size(), arrived);
}

/// Every byte, packet and message was taken exactly once.
void VerbsRecovery::check_counts(NicRig& rig) const {
  std::uint64_t bytes[2] = {};
  std::uint64_t packets[2] = {};
  for (const WorkRequest& request : posted_) {
    const unsigned taker = wants_response(request.op) ? 0 : 1;
    bytes[taker] += request.bytes;
    packets[taker] += packets_of(request.bytes, kMtu);
  }
  for (std::uint32_t node = 0; node < 2; ++node) {
    EXPECT_EQ(rig[node].nic.counters().delivered_bytes, bytes[node]) << "node " << node;
    EXPECT_EQ(rig[node].nic.counters().delivered_packets, packets[node]) << "node " << node;
    EXPECT_EQ(rig[node].nic.counters().packet_hops, packets[node]) << "node " << node;
  }
  EXPECT_EQ(rig[1].nic.counters().messages_received, posted_.size());
}

TEST_P(VerbsRecovery, LossesAreRepairedOnceAndInOrder) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    run(seed, 30, false, seed % 2 == 0 ? 150_ns : 2_us);
  }
}

TEST_P(VerbsRecovery, LossesAmongRnrNaksAreRepairedOnceAndInOrder) {
  for (std::uint32_t seed = 5; seed <= 7; ++seed) {
    SCOPED_TRACE(seed);
    run(seed, 40, true, seed % 2 == 0 ? 150_ns : 2_us);
  }
}

TEST_P(VerbsRecovery, WithoutLossInOrderNothingIsSentTwice) {
  const auto& [op, recovery, planes] = GetParam();
  const bool overtakes = planes.ports > 1 && planes.choice != PlaneChoice::kPerQp;
  if (overtakes) return;
  NicRig rig(params_of(recovery, planes, false));
  RandomStream random(9, 0, RandomPurpose::kTest);
  for (std::uint64_t i = 0; i < 80; ++i) {
    posted_.push_back(request_of(op, recovery.recovery, i, random));
    rig.post(0, posted_.back());
  }
  rig.run();
  check(rig);
  check_counts(rig);
  for (std::uint32_t node = 0; node < 2; ++node) {
    const NicCounters& counters = rig[node].nic.counters();
    EXPECT_EQ(counters.retransmitted_packets, 0u);
    EXPECT_EQ(counters.naks_sent + counters.implied_naks + counters.timeouts, 0u);
    EXPECT_EQ(counters.stale_responses + counters.repeated_requests, 0u);
  }
}

/// Refused: see NicParams.RefusesPlanesThatOvertakeWithGoBack0.
bool refused(const Recovery& recovery, const Planes& planes) {
  return recovery.recovery == LossRecovery::kGoBack0 && planes.choice != PlaneChoice::kPerQp;
}
std::vector<Case> cases() {
  std::vector<Case> all;
  for (unsigned op = 0; op < std::size(kOperations); ++op) {
    for (const Recovery& recovery : kRecoveries) {
      for (const Planes& planes : kPlanes) {
        if (!refused(recovery, planes)) all.emplace_back(op, recovery, planes);
      }
    }
  }
  return all;
}
std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [op, recovery, planes] = info.param;
  return std::string(kOperations[op]) + recovery.name + planes.name;
}
INSTANTIATE_TEST_SUITE_P(Modes, VerbsRecovery, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace sluice
