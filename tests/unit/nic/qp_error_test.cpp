// SPDX-License-Identifier: Apache-2.0
// RNR NAKs, credits, refusals, and QPs in the error state (IBTA 9.7.5.2, 9.7.7.2, 9.9.2).
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "packet/aeth.h"
#include "unit/nic/transport_rig.h"

namespace sluice {
namespace {

using test::NicRig;
using test::statuses;

class QpError : public test::AtPsn {};
INSTANTIATE_TEST_SUITE_P(StartPsn, QpError, test::each_psn_start(), test::psn_name);

/// WRITE, `bad`, SEND: the first succeeds, the others end with `status` and flushed.
void expect_refusal(NicParams params, const WorkRequest& bad, CompletionStatus status,
                    std::uint8_t syndrome) {
  NicRig rig(params);
  rig[0].survives_errors = true;
  std::vector<std::uint32_t> naks;
  rig[1].look = [&](Packet& packet, Ps) {
    if (packet.kind == PacketKind::kNak) naks.push_back(packet.message);
    return true;
  };
  rig.post(0,
           {.destination = 1, .bytes = 5000, .cookie = 0, .remote_key = params.verbs.memory_key});
  rig.post(0, bad);
  rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 100, .cookie = 2});
  rig.run();
  EXPECT_EQ(statuses(rig[0]),
            (std::vector{CompletionStatus::kSuccess, status, CompletionStatus::kFlushed}));
  ASSERT_FALSE(naks.empty());
  EXPECT_EQ(naks[0], aeth::word(syndrome, 1));
  EXPECT_EQ(rig[1].nic.counters().messages_received, 1u);
  EXPECT_EQ(rig[0].nic.counters().qp_errors, 1u);
  EXPECT_TRUE(rig[0].nic.idle());
  ASSERT_EQ(rig[0].errors.size(), 1u);
  EXPECT_NE(rig[0].errors[0].find("QP 0 from endpoint 0 to endpoint 1"), std::string::npos);
  // What is posted to a failed QP is flushed at once.
  rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 1, .cookie = 3});
  ASSERT_EQ(rig[0].completions.size(), 4u);
  EXPECT_EQ(rig[0].completions[3].cookie, 3u);
  EXPECT_EQ(rig[0].completions[3].status, CompletionStatus::kFlushed);
}

TEST_P(QpError, RequestsOutsideTheRegionAreRefused) {
  NicParams own = impatient();
  own.verbs.memory_bytes = {1 << 20};
  for (const Operation op : {Operation::kWrite, Operation::kRead}) {
    expect_refusal(own,
                   {.destination = 1,
                    .op = op,
                    .bytes = 4097,
                    .cookie = 1,
                    .remote_address = (1 << 20) - 4096},
                   CompletionStatus::kRemoteAccess, aeth::kNakRemoteAccess);
  }
  expect_refusal(
      own, {.destination = 1, .op = Operation::kFetchAdd, .cookie = 1, .remote_address = 1 << 20},
      CompletionStatus::kRemoteAccess, aeth::kNakRemoteAccess);
}

TEST_P(QpError, TheLastByteOfTheRegionMayBeRead) {
  NicParams own = impatient();
  own.verbs.memory_bytes = {1 << 20};
  NicRig rig(own);
  rig.post(0, {.destination = 1,
               .op = Operation::kRead,
               .bytes = 4096,
               .remote_address = (1 << 20) - 4096});
  rig.run();
  EXPECT_EQ(statuses(rig[0]), std::vector{CompletionStatus::kSuccess});
}

TEST_P(QpError, AWrongKeyIsRefused) {
  NicParams own = impatient();
  own.verbs.memory_key = 7;
  expect_refusal(own, {.destination = 1, .op = Operation::kRead, .bytes = 8, .cookie = 1},
                 CompletionStatus::kRemoteAccess, aeth::kNakRemoteAccess);
}

TEST_P(QpError, AMisalignedAtomicIsInvalid) {
  expect_refusal(
      impatient(),
      {.destination = 1, .op = Operation::kCompareSwap, .cookie = 1, .remote_address = 12},
      CompletionStatus::kRemoteInvalidRequest, aeth::kNakInvalidRequest);
}

TEST_P(QpError, ASendLongerThanItsBufferIsInvalid) {
  NicParams own = impatient();
  own.verbs.receive_buffer_bytes = {8192};
  expect_refusal(own, {.destination = 1, .op = Operation::kSend, .bytes = 8193, .cookie = 1},
                 CompletionStatus::kRemoteInvalidRequest, aeth::kNakInvalidRequest);
}

TEST_P(QpError, MemoryThatFailsIsARemoteOperationalError) {
  NicParams own = impatient();
  own.verbs.memory_error_at = 10'000;
  expect_refusal(
      own,
      {.destination = 1, .op = Operation::kRead, .bytes = 1, .cookie = 1, .remote_address = 10'000},
      CompletionStatus::kRemoteOperational, aeth::kNakRemoteOperational);
}

TEST_P(QpError, MoreReadsThanTheOtherEndCanHoldAreInvalid) {
  NicParams asks = impatient();
  NicParams answers = impatient();
  answers.verbs.outstanding_reads = 2;
  NicRig rig({asks, answers});
  rig[0].survives_errors = true;
  for (std::uint64_t i = 0; i < 5; ++i) {
    rig.post(0, {.destination = 1, .op = Operation::kRead, .bytes = 1 << 16, .cookie = i});
  }
  rig.run();
  using enum CompletionStatus;
  EXPECT_EQ(statuses(rig[0]),
            (std::vector{kSuccess, kSuccess, kRemoteInvalidRequest, kFlushed, kFlushed}));
}

TEST_P(QpError, ALostRefusalIsToldAgain) {
  NicParams own = impatient();
  own.verbs.memory_key = 7;
  NicRig rig(own);
  rig[0].survives_errors = true;
  unsigned naks = 0;
  rig[1].look = [&](Packet& packet, Ps) { return packet.kind != PacketKind::kNak || ++naks != 1; };
  rig.post(0, {.destination = 1, .bytes = 9000});
  rig.run();
  EXPECT_EQ(statuses(rig[0]), std::vector{CompletionStatus::kRemoteAccess});
  EXPECT_EQ(naks, 2u);
}

TEST_P(QpError, RetriesUsedUpEndEverythingInOrderAndTheRunGoesOn) {
  NicParams own = impatient();
  own.retry_count = 2;
  NicRig rig(own, 3);
  rig[0].survives_errors = true;
  rig[0].look = [](Packet& packet, Ps) { return packet.destination != 1; };
  for (std::uint64_t i = 0; i < 3; ++i) {
    rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 9000, .cookie = i});
    rig.post(0, {.destination = 2, .op = Operation::kSend, .bytes = 9000, .cookie = 10 + i});
  }
  bool posted = false;
  rig[0].when_completed = [&](const Completion& completion) {
    if (completion.status != CompletionStatus::kFlushed || posted) return;
    posted = true;  // from inside the flush: it comes last
    rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 1, .cookie = 99});
  };
  rig.run();
  std::vector<std::pair<std::uint64_t, CompletionStatus>> to_1;
  unsigned to_2 = 0;
  for (const Completion& completion : rig[0].completions) {
    if (completion.destination == 1) to_1.emplace_back(completion.cookie, completion.status);
    if (completion.destination == 2 && completion.status == CompletionStatus::kSuccess) ++to_2;
  }
  using enum CompletionStatus;
  EXPECT_EQ(to_1, (std::vector<std::pair<std::uint64_t, CompletionStatus>>{
                      {0, kRetryExceeded}, {1, kFlushed}, {2, kFlushed}, {99, kFlushed}}));
  EXPECT_EQ(to_2, 3u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 3u);
  EXPECT_TRUE(rig[0].nic.idle());
}

TEST_P(QpError, RnrRetriesAreCountedAndSevenMeansNoLimit) {
  for (const std::uint32_t limit : {0u, 3u, 7u}) {
    NicParams own = impatient();
    own.verbs.rnr_retry = limit;
    own.verbs.min_rnr_timer = 1;
    own.verbs.receive_queue_depth = 1;
    own.verbs.receive_repost_delay = 200_us;  // nineteen times 10 us and a bit
    NicRig rig(own);
    rig[0].survives_errors = true;
    rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 9000, .cookie = 0});
    rig.post(0, {.destination = 1, .op = Operation::kWriteImmediate, .bytes = 9000, .cookie = 1});
    rig.run();
    using enum CompletionStatus;
    EXPECT_EQ(statuses(rig[0]), (std::vector{kSuccess, limit == 7 ? kSuccess : kRnrRetryExceeded}));
    const std::uint64_t naks = rig[1].nic.counters().rnr_naks_sent;
    if (limit == 7) {
      EXPECT_GT(naks, 10u);
    } else {
      EXPECT_EQ(naks, limit + 1);
    }
    // The WRITE's first two packets need no receive request and are not repeated for it.
    EXPECT_EQ(rig[0].nic.counters().retransmitted_packets, limit == 7 ? naks : limit);
  }
}

TEST_P(QpError, ASharedReceiveQueueServesAllQps) {
  for (const bool shared : {false, true}) {
    NicParams own = impatient();
    own.verbs.receive_queue_depth = 1;
    own.verbs.receive_queue_shared = shared;
    own.verbs.receive_repost_delay = 50_us;
    own.verbs.min_rnr_timer = 1;
    NicRig rig(own, 3);
    rig.post(0, {.destination = 2, .op = Operation::kSend, .bytes = 100});
    rig.post(1, {.destination = 2, .op = Operation::kSend, .bytes = 100});
    rig.run();
    EXPECT_EQ(rig[2].arrivals.size(), 2u);
    EXPECT_EQ(rig[2].nic.counters().rnr_naks_sent > 0, shared);
  }
}

/// Ten SENDs to a host that keeps `depth` receive requests; RNR NAKs they met.
std::uint64_t rnr_naks(NicParams params, bool credits,
                       std::vector<std::uint32_t>* words = nullptr) {
  params.verbs.end_to_end_credits = credits;
  params.verbs.receive_queue_depth = 4;
  params.verbs.receive_repost_delay = 20_us;
  params.verbs.min_rnr_timer = 1;
  NicRig rig(params);
  rig[1].look = [&](Packet& packet, Ps) {
    if (words != nullptr && packet.kind == PacketKind::kAck) words->push_back(packet.message);
    return true;
  };
  for (std::uint64_t i = 0; i < 10; ++i) {
    rig.post(0, {.destination = 1, .op = Operation::kSend, .bytes = 5000, .cookie = i});
  }
  rig.run();
  EXPECT_EQ(rig[0].completions.size(), 10u);
  EXPECT_EQ(rig[1].arrivals.size(), 10u);
  EXPECT_EQ(rig[0].nic.counters().timeouts, 0u);
  return rig[1].nic.counters().rnr_naks_sent;
}

TEST_P(QpError, CreditsKeepSendsFromRunningIntoRnrNaks) {
  std::vector<std::uint32_t> words;
  const std::uint64_t with = rnr_naks(impatient(), true, &words);
  const std::uint64_t without = rnr_naks(impatient(), false);
  EXPECT_GT(without, 0u);
  // The first SEND goes to ask; its first packet has taken one request of four, its own: MSN 0
  // and 4 credits reach the fourth message, code 4.
  ASSERT_GE(words.size(), 2u);
  EXPECT_EQ(words[0], aeth::word(4, 0));
  EXPECT_EQ(words[1], aeth::word(3, 1));
  // Only the packet that asks while there are none can meet a NAK: once a refill at most.
  EXPECT_LE(with, 6u);
}

TEST_P(QpError, ASharedReceiveQueueGivesNoCredits) {
  NicParams own = impatient();
  own.verbs.receive_queue_shared = true;
  std::vector<std::uint32_t> words;
  rnr_naks(own, true, &words);
  for (const std::uint32_t word : words) EXPECT_EQ(aeth::syndrome_of(word), aeth::kAckUnlimited);
}

TEST_P(QpError, TimeoutsAreSpreadByASeedOnlyWhenAsked) {
  for (const std::uint32_t percent : {0u, 300u}) {
    NicParams own = impatient();
    own.timeout_code = 8;
    own.timeout_spread_percent = percent;
    NicRig rig(own, 9);
    std::vector<Ps> first(9);
    std::vector<Ps> second(9);
    for (std::uint32_t i = 1; i < 9; ++i) {
      rig[i].look = [&, i](Packet&, Ps now) {
        if (first[i].value != 0 && second[i].value == 0) second[i] = now;
        if (first[i].value == 0) first[i] = now;
        return second[i].value != 0;
      };
      rig.write(i, 0, 100);
    }
    rig.run();
    std::vector<Ps> waits;
    for (std::uint32_t i = 1; i < 9; ++i) {
      const Ps wait = second[i] - first[i];
      EXPECT_GE(wait, 1'048'576_ns);
      EXPECT_LE(wait, 4 * 1'048'576_ns);
      if (percent == 0) {
        EXPECT_EQ(wait, 1'048'576_ns);
      } else if (i > 1) {
        EXPECT_NE(wait, waits.back());
      }
      waits.push_back(wait);
    }
  }
}

TEST_P(QpError, AWriteOfACollectiveEndsTheRunNamingTheQp) {
  NicParams own = impatient();
  own.retry_count = 1;
  NicRig rig(own);
  rig[0].look = [](Packet&, Ps) { return false; };
  rig.write(0, 1, 100);
  EXPECT_THROW(rig.run(), StallError);
}

}  // namespace
}  // namespace sluice
