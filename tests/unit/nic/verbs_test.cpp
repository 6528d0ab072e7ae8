// SPDX-License-Identifier: Apache-2.0
// SEND, immediates, READ and atomics from end to end, at any start PSN (IBTA 9.4, 9.7).
#include <gtest/gtest.h>

#include <numeric>

#include "packet/aeth.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::exact_params;
using test::Frame;
using test::NicRig;
using test::record;

class Verbs : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, Verbs, test::each_psn_start(), test::psn_name);

constexpr std::uint8_t kBothEnds = packet_flag::kFirst | packet_flag::kLast;

TEST_P(Verbs, EachOperationEndsOnceInOrderAtBothHosts) {
  NicRig rig(impatient());
  constexpr std::array<Operation, 7> kAll{
      Operation::kWrite, Operation::kWriteImmediate, Operation::kSend,    Operation::kSendImmediate,
      Operation::kRead,  Operation::kCompareSwap,    Operation::kFetchAdd};
  for (std::uint64_t i = 0; i < 3 * kAll.size(); ++i) {
    rig.post(0, {.destination = 1,
                 .op = kAll[i % kAll.size()],
                 .bytes = 10'000 + i,
                 .cookie = i,
                 .remote_address = 64,
                 .operand = 1,
                 .immediate = static_cast<std::uint32_t>(100 + i)});
  }
  rig.run();
  ASSERT_EQ(rig[0].completions.size(), 21u);
  for (std::uint64_t i = 0; i < 21; ++i) {
    EXPECT_EQ(rig[0].completions[i].cookie, i);
    EXPECT_EQ(rig[0].completions[i].status, CompletionStatus::kSuccess);
    EXPECT_EQ(rig[0].completions[i].op, kAll[i % 7]);
    EXPECT_EQ(rig[0].completions[i].bytes, is_atomic(kAll[i % 7]) ? 8u : 10'000 + i);
  }
  // A plain WRITE, READ and atomics leave no trace at the other host.
  ASSERT_EQ(rig[1].arrivals.size(), 9u);
  EXPECT_EQ(rig[1].arrivals[0].op, Operation::kWriteImmediate);
  EXPECT_EQ(rig[1].arrivals[0].immediate, 101u);
  EXPECT_EQ(rig[1].arrivals[1].op, Operation::kSend);
  EXPECT_EQ(rig[1].arrivals[1].bytes, 10'002u);
  EXPECT_EQ(rig[1].arrivals[2].immediate, 103u);
  EXPECT_TRUE(rig[1].received.empty());
  EXPECT_EQ(rig[0].nic.counters().naks_received + rig[0].nic.counters().timeouts, 0u);
  EXPECT_EQ(rig.messages.live(), 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
}

TEST_P(Verbs, FramesHaveTheirOwnSizesAndFlags) {
  NicRig rig(impatient());
  std::vector<Frame> sent;
  std::vector<Frame> answered;
  rig[0].look = record(sent);
  rig[1].look = record(answered);
  rig.post(0, {.destination = 1, .op = Operation::kSendImmediate, .bytes = 4097});
  rig.post(0, {.destination = 1, .op = Operation::kWriteImmediate, .bytes = 4});
  rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 0});
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 8195});
  rig.post(0, {.destination = 1, .op = Operation::kFetchAdd});
  rig.run();
  // hardware.md 7.3: data 62, RETH 16, immediate 4, READ request 78, atomic 90; 64 is the least.
  ASSERT_EQ(sent.size(), 6u);
  EXPECT_EQ(sent[0].kind, PacketKind::kSendData);
  EXPECT_EQ(sent[0].frame_bytes, 4096u + 62);
  EXPECT_EQ(sent[0].flags, packet_flag::kFirst);
  EXPECT_EQ(sent[1].frame_bytes, 4u + 62 + 4);
  EXPECT_EQ(sent[1].flags, packet_flag::kLast | packet_flag::kAckReq | packet_flag::kImmediate);
  EXPECT_EQ(sent[2].kind, PacketKind::kWriteData);
  EXPECT_EQ(sent[2].frame_bytes, 4u + 62 + 16 + 4);
  EXPECT_EQ(sent[3].frame_bytes, 64u);
  EXPECT_EQ(sent[4].kind, PacketKind::kReadRequest);
  EXPECT_EQ(sent[4].frame_bytes, 78u);
  EXPECT_EQ(sent[4].flags & kBothEnds, kBothEnds);
  EXPECT_EQ(sent[5].kind, PacketKind::kAtomicRequest);
  EXPECT_EQ(sent[5].frame_bytes, 90u);
  // A READ of three packets takes three PSNs.
  EXPECT_EQ(psn_distance(sent[5].psn, sent[4].psn), 3u);
  std::vector<Frame> data;
  for (const Frame& frame : answered) {
    if (frame.kind != PacketKind::kAck) data.push_back(frame);
  }
  ASSERT_EQ(data.size(), 4u);
  EXPECT_EQ(data[0].frame_bytes, 4096u + 66);
  EXPECT_EQ(data[0].flags, packet_flag::kFirst);
  EXPECT_EQ(data[1].frame_bytes, 4096u + 62);
  EXPECT_EQ(data[1].word, 0u);
  EXPECT_EQ(data[2].frame_bytes, 4u + 66);
  EXPECT_EQ(data[2].payload_bytes, 3u);
  EXPECT_EQ(data[2].flags, packet_flag::kLast);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(data[i].psn, psn_add(sent[4].psn, i));
  EXPECT_EQ(data[3].kind, PacketKind::kAtomicResponse);
  EXPECT_EQ(data[3].frame_bytes, 74u);
  // Requests completed by then: 4 with the READ, 5 with the atomic.
  EXPECT_EQ(data[0].word, aeth::word(aeth::kAckUnlimited, 4));
  EXPECT_EQ(data[3].word, aeth::word(aeth::kAckUnlimited, 5));
}

TEST_P(Verbs, SizesAroundTheMtuArriveWhole) {
  for (const std::uint32_t mtu : {256u, 512u, 1024u, 2048u, 4096u}) {
    for (const Operation op : {Operation::kWrite, Operation::kSend, Operation::kRead}) {
      NicParams own = impatient();
      own.mtu_bytes = mtu;
      NicRig rig(own);
      const std::array<std::uint64_t, 6> sizes{0, 1, mtu - 1, mtu, mtu + 1, 10 * mtu + 1};
      std::uint64_t total = 0;
      for (const std::uint64_t bytes : sizes) {
        rig.post(0, {.destination = 1, .op = op, .bytes = bytes});
        total += bytes;
      }
      rig.run();
      ASSERT_EQ(rig[0].completions.size(), sizes.size());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        EXPECT_EQ(rig[0].completions[i].bytes, sizes[i]);
      }
      const std::uint32_t receiver = op == Operation::kRead ? 0 : 1;
      EXPECT_EQ(rig[receiver].nic.counters().delivered_bytes, total);
      EXPECT_EQ(rig[receiver].nic.counters().delivered_packets, 1u + 1 + 1 + 1 + 2 + 11);
    }
  }
}

TEST_P(Verbs, AtomicsActOnOneWordOfTheOtherHost) {
  NicRig rig(impatient());
  const auto atomic = [&](Operation op, std::uint64_t address, std::uint64_t compare,
                          std::uint64_t operand) {
    rig.post(0, {.destination = 1,
                 .op = op,
                 .remote_address = address,
                 .compare = compare,
                 .operand = operand});
  };
  atomic(Operation::kFetchAdd, 8, 0, 5);
  atomic(Operation::kFetchAdd, 8, 0, ~0ull);   // adds modulo 2^64: 4
  atomic(Operation::kCompareSwap, 8, 5, 100);  // does not match
  atomic(Operation::kCompareSwap, 8, 4, 77);   // does
  atomic(Operation::kFetchAdd, 8, 0, 0);
  atomic(Operation::kFetchAdd, 16, 0, 1);  // another word
  rig.run();
  ASSERT_EQ(rig[0].completions.size(), 6u);
  const std::array<std::uint64_t, 6> found{0, 5, 4, 4, 77, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rig[0].completions[i].result, found[i]) << i;
}

TEST_P(Verbs, OutstandingReadsNeverExceedTheLimit) {
  for (const std::uint32_t limit : {1u, 16u}) {
    NicParams own = impatient();
    own.verbs.outstanding_reads = limit;
    NicRig rig(own, 2, 5_us);
    std::uint32_t asked = 0;
    std::uint32_t answered = 0;
    std::uint32_t most = 0;
    rig[0].look = [&](Packet&, Ps) {
      most = std::max(most, ++asked - answered);
      return true;
    };
    rig[0].when_completed = [&](const Completion&) { ++answered; };
    for (std::uint64_t i = 0; i < 40; ++i) {
      const Operation op = i % 2 == 0 ? Operation::kRead : Operation::kFetchAdd;
      rig.post(0, {.destination = 1, .op = op, .bytes = 100, .cookie = i});
    }
    rig.run();
    EXPECT_EQ(answered, 40u);
    EXPECT_EQ(most, limit);
    EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  }
}

TEST_P(Verbs, WritesGoOnWhileReadsWait) {
  NicRig rig(impatient());
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 1 << 20, .cookie = 0});
  rig.post(0, {.destination = 1, .op = Operation::kWrite, .bytes = 1 << 20, .cookie = 1});
  rig.run();
  ASSERT_EQ(rig[0].completions.size(), 2u);
  EXPECT_EQ(rig[0].completions[0].cookie, 0u);
  // Both directions are full at once: hardly longer than one of them, 256 x 83.6 ns.
  EXPECT_LT(rig[0].completion_times[1], 25_us);
  EXPECT_EQ(rig[0].nic.counters().implied_naks, 0u);
}

TEST_P(Verbs, TwoGibibyteMessagesAreSplitAndCompleteOnce) {
  NicParams own = impatient();
  own.timeout_code = 14;
  NicRig rig(own);
  std::uint64_t wanted = 0;
  for (const std::uint64_t bytes : {(std::uint64_t{1} << 31), (std::uint64_t{1} << 31) + 5}) {
    for (const Operation op : {Operation::kWrite, Operation::kRead}) {
      rig.post(0, {.destination = 1, .op = op, .bytes = bytes});
      wanted += bytes;
    }
  }
  EXPECT_EQ(rig.messages.live(), 6u);
  rig.run();
  ASSERT_EQ(rig[0].completions.size(), 4u);
  EXPECT_EQ(rig[0].completions[2].bytes, (std::uint64_t{1} << 31) + 5);
  EXPECT_EQ(rig[0].nic.counters().delivered_bytes + rig[1].nic.counters().delivered_bytes, wanted);
  EXPECT_EQ(rig[0].nic.counters().data_packets_sent, 524'288u + 524'288 + 1);
  EXPECT_EQ(rig[0].nic.counters().read_requests_sent, 3u);
}

TEST(VerbsSplit, EightGibibytesBecomeFourMessagesOfOneCompletion) {
  for (const Operation op :
       {Operation::kWriteImmediate, Operation::kSendImmediate, Operation::kRead}) {
    NicRig rig(exact_params());
    rig.post(
        0,
        {.destination = 1, .op = op, .bytes = std::uint64_t{1} << 33, .remote_address = 1 << 20});
    ASSERT_EQ(rig.messages.live(), 4u);
    std::uint32_t reporting = 0;
    for (MessageId id = 0; id < 4; ++id) {
      EXPECT_EQ(rig.messages[id].bytes, kMaxMessageBytes);
      EXPECT_EQ(rig.messages[id].packets, 524'288u);
      EXPECT_EQ(rig.messages.detail(id).remote_address, (1u << 20) + (std::uint64_t{id} << 31));
      if (rig.messages[id].reports) ++reporting;
      // The immediate comes with the last alone.
      const bool immediate = rig.messages[id].op == Operation::kWriteImmediate ||
                             rig.messages[id].op == Operation::kSendImmediate;
      EXPECT_EQ(immediate, id == 3 && op != Operation::kRead);
    }
    EXPECT_EQ(reporting, 1u);
  }
}

TEST_P(Verbs, LossesOfEveryKindOfPacketAreRepairedOnceAndInOrder) {
  NicParams own = impatient();
  own.ack_every = 5;
  own.mtu_bytes = 1024;
  own.retry_count = 7;
  NicRig rig(own);
  RandomStream random(GetParam(), 0, RandomPurpose::kTest);
  rig[0].look = [&](Packet&, Ps) { return random.below(30) != 0; };
  rig[1].look = [&](Packet&, Ps) { return random.below(30) != 0; };
  std::uint64_t to_1 = 0;
  std::uint64_t to_0 = 0;
  std::uint64_t added = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const auto op = static_cast<Operation>(random.below(7));
    const std::uint64_t bytes = random.below(20'000);
    if (op == Operation::kRead) to_0 += bytes;
    if (!wants_response(op)) to_1 += bytes;
    if (op == Operation::kFetchAdd) ++added;
    rig.post(0, {.destination = 1,
                 .op = op,
                 .bytes = bytes,
                 .cookie = i,
                 .remote_address = op == Operation::kFetchAdd ? 8u : 16u,
                 .operand = 1});
  }
  rig.run();
  ASSERT_EQ(rig[0].completions.size(), 400u);
  for (std::uint64_t i = 0; i < 400; ++i) {
    EXPECT_EQ(rig[0].completions[i].cookie, i);
    EXPECT_EQ(rig[0].completions[i].status, CompletionStatus::kSuccess);
  }
  EXPECT_EQ(rig[1].nic.counters().delivered_bytes, to_1);
  // Atomic answers are accepted packets without payload.
  EXPECT_EQ(rig[0].nic.counters().delivered_bytes, to_0);
  EXPECT_GT(rig[0].nic.counters().implied_naks, 0u);
  EXPECT_GT(rig[1].nic.counters().repeated_requests, 0u);
  // Each addition took effect exactly once, whatever was repeated.
  std::uint64_t next = 0;
  for (const Completion& completion : rig[0].completions) {
    if (completion.op == Operation::kFetchAdd) {
      EXPECT_EQ(completion.result, next++);
    }
  }
  EXPECT_EQ(next, added);
  EXPECT_EQ(rig.messages.live(), 0u);
  EXPECT_EQ(rig.packets.live(), 0u);
}

TEST_P(Verbs, ReadAnswersArePacedByTheCongestionControlOfWhoSendsThem) {
  NicParams own = impatient();
  own.timeout_code = 14;
  const auto time_of = [&](bool marked) {
    NicRig rig(own);
    rig[1].look = [marked](Packet& packet, Ps) {
      if (marked && packet.kind == PacketKind::kReadResponse) packet.ecn = Ecn::kCe;
      return true;
    };
    rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 4 << 20});
    rig.run();
    EXPECT_EQ(rig[0].completions.size(), 1u);
    EXPECT_EQ(rig[0].nic.counters().cnps_sent > 0, marked);
    EXPECT_EQ(rig[0].nic.counters().cnps_sent, rig[1].nic.counters().cnps_received);
    return rig[0].completion_times.at(0);
  };
  EXPECT_GT(time_of(true), 2 * time_of(false));
}

TEST_P(Verbs, ReadLatencyIsPartOfTheAnswer) {
  const auto time_of = [&](Ps latency) {
    NicParams own = impatient();
    own.verbs.read_latency = latency;
    NicRig rig(own);
    rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 8});
    rig.run();
    return rig[0].completion_times.at(0);
  };
  EXPECT_EQ(time_of(1600_ns) - time_of(600_ns), 1000_ns);
}

TEST_P(Verbs, BothDirectionsOfAPairShareNothingButThePort) {
  NicRig rig(impatient());
  for (std::uint32_t node = 0; node < 2; ++node) {
    rig.post(node, {.destination = 1 - node, .op = Operation::kRead, .bytes = 100'000});
    rig.post(node, {.destination = 1 - node, .op = Operation::kSend, .bytes = 100'000});
    rig.post(node, {.destination = 1 - node, .op = Operation::kFetchAdd, .operand = 1});
  }
  rig.run();
  for (std::uint32_t node = 0; node < 2; ++node) {
    EXPECT_EQ(rig[node].completions.size(), 3u);
    EXPECT_EQ(rig[node].arrivals.size(), 1u);
    EXPECT_EQ(rig[node].nic.counters().delivered_bytes, 200'000u);
  }
}

}  // namespace
}  // namespace sluice
