// SPDX-License-Identifier: Apache-2.0
// Captures as traces: what a survey counts and what an import offers as load, on files of known
// content and on one recorded elsewhere.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kernel/error.h"
#include "packet/pcapng/writer.h"
#include "packet/serialisation.h"
#include "packet/wire/compose.h"
#include "source_dir.h"
#include "trace/capture_survey.h"
#include "trace/trace.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;
using namespace packet_flag;
constexpr std::uint32_t kMtu = 1024;

class Capture : public testing::Test {
 protected:
  Capture() : path_(testing::TempDir() + "capture_" + std::to_string(::getpid()) + ".pcapng") {
    writer_.emplace(path_);
    writer_->add_interface("nic0.port0", BitsPerSecond{400'000'000'000});
    writer_->add_interface("leaf0.port1", BitsPerSecond{400'000'000'000});
  }
  ~Capture() override { fs::remove(path_); }

  /// One packet of a message of `message_bytes` from endpoint 0 to endpoint 1, a microsecond a PSN.
  void packet(PacketKind kind, std::uint32_t psn, std::uint8_t flags, std::uint32_t payload,
              std::uint64_t message_bytes, std::uint32_t interface = 0) {
    Packet packet;
    packet.kind = kind;
    packet.source = 0;
    packet.destination = 1;
    packet.psn = psn;
    packet.flags = flags;
    packet.payload_bytes = static_cast<std::uint16_t>(payload);
    if (kind == PacketKind::kReadRequest) packet.offset_bytes = message_bytes;
    const bool first = (flags & kFirst) != 0;
    packet.frame_bytes = static_cast<std::uint16_t>(
        kind == PacketKind::kReadRequest     ? read_request_frame_bytes()
        : kind == PacketKind::kAtomicRequest ? atomic_request_frame_bytes()
        : kind == PacketKind::kUdSend        ? ud_send_frame_bytes(payload)
        : kind == PacketKind::kSendData      ? send_frame_bytes(payload)
                                             : write_frame_bytes(payload, first));
    wire::FrameContext context;
    context.endpoints = 2;
    context.destination_qp = 3;
    context.message.bytes = message_bytes;
    write(packet, context, Ps{std::uint64_t{psn} * 1'000'000}, interface);
  }
  void write(const Packet& packet, const wire::FrameContext& context, Ps time,
             std::uint32_t interface = 0) {
    writer_->write(interface, time, wire::compose_frame(packet, context));
  }
  TraceImport imported() {
    writer_->close();
    return import_trace({path_});
  }
  CaptureSurvey surveyed() {
    writer_->close();
    return survey_capture(path_);
  }

  std::string path_;
  std::optional<pcapng::Writer> writer_;
};

TEST_F(Capture, OfWritesIsOfferedAtItsRelativeTimes) {
  packet(PacketKind::kWriteData, 5, kFirst, kMtu, 2500);
  packet(PacketKind::kWriteData, 6, 0, kMtu, 2500);
  packet(PacketKind::kWriteData, 7, kLast, 452, 2500);
  packet(PacketKind::kWriteData, 9, kFirst | kLast, 100, 100);
  const TraceImport got = imported();
  EXPECT_EQ(got.format, "pcapng");
  ASSERT_EQ(got.workload.rank_count(), 2u);
  const RankStream& sender = got.workload.ranks[0];
  ASSERT_EQ(sender.ops.size(), 3u);
  EXPECT_EQ(sender.ops[0].kind, OpKind::kWrite);
  EXPECT_EQ(sender.ops[0].bytes, 2500u);
  EXPECT_EQ(sender.ops[0].dep_count, 0u);
  EXPECT_EQ(sender.ops[1].kind, OpKind::kCompute);
  EXPECT_EQ(sender.ops[1].compute, Ps{4'000'000});
  EXPECT_EQ(sender.ops[2].bytes, 100u);
  EXPECT_EQ(sender.deps.at(sender.ops[2].first_dep), 1u);
  EXPECT_TRUE(got.workload.ranks[1].ops.empty());
  EXPECT_EQ(got.workload.ledger.bytes_in, 2600u);
  EXPECT_EQ(got.workload.ledger.bytes_skipped, 0u);
}

TEST_F(Capture, OfSendsHasTheirReceivesOnTheOtherSide) {
  packet(PacketKind::kSendData, 1, kFirst, kMtu, 0);
  packet(PacketKind::kSendData, 2, kLast, 10, 0);
  const TraceImport got = imported();
  ASSERT_EQ(got.workload.ranks[0].ops.size(), 1u);
  EXPECT_EQ(got.workload.ranks[0].ops[0].kind, OpKind::kSend);
  EXPECT_EQ(got.workload.ranks[0].ops[0].bytes, 1034u);
  ASSERT_EQ(got.workload.ranks[1].ops.size(), 1u);
  EXPECT_EQ(got.workload.ranks[1].ops[0].kind, OpKind::kRecv);
  EXPECT_EQ(got.workload.ranks[1].ops[0].bytes, 1034u);
}

TEST_F(Capture, OfAReadSendsFromTheSideThatHasTheData) {
  packet(PacketKind::kReadRequest, 1, kFirst | kLast, 0, 70'000);
  const TraceImport got = imported();
  EXPECT_TRUE(got.workload.ranks[0].ops.empty());
  ASSERT_EQ(got.workload.ranks[1].ops.size(), 1u);
  EXPECT_EQ(got.workload.ranks[1].ops[0].kind, OpKind::kWrite);
  EXPECT_EQ(got.workload.ranks[1].ops[0].peer, 0u);
  EXPECT_EQ(got.workload.ranks[1].ops[0].bytes, 70'000u);
}

TEST_F(Capture, CountsAPacketOnceHoweverOftenItWasSeen) {
  packet(PacketKind::kWriteData, 1, kFirst | kLast, 100, 100);
  packet(PacketKind::kWriteData, 1, kFirst | kLast, 100, 100, 1);
  packet(PacketKind::kSendData, 2, kFirst, kMtu, 0);
  packet(PacketKind::kSendData, 2, kFirst, kMtu, 0, 1);
  packet(PacketKind::kSendData, 3, kLast, 1, 0);
  packet(PacketKind::kSendData, 3, kLast, 1, 0, 1);
  const TraceImport got = imported();
  EXPECT_EQ(got.workload.ledger.bytes_in, 100u + 1025u);
}

TEST_F(Capture, SkipsWithAReasonWhatItCannotOffer) {
  packet(PacketKind::kWriteData, 1, 0, kMtu, 5000);
  packet(PacketKind::kWriteData, 2, kLast, 20, 5000);
  packet(PacketKind::kWriteData, 3, kFirst | kLast, 7, 7);
  packet(PacketKind::kAtomicRequest, 4, kFirst | kLast, 0, 8);
  packet(PacketKind::kUdSend, 5, kFirst | kLast, 300, 300);
  packet(PacketKind::kSendData, 6, kFirst, kMtu, 0);
  const Ledger ledger = imported().workload.ledger;
  EXPECT_EQ(ledger.bytes_in, 1044u + 7 + 8 + 300 + 1024);
  EXPECT_EQ(ledger.bytes_skipped, 1044u + 8 + 300 + 1024);
  const auto skipped = [&](std::string_view reason) {
    for (const SkippedOps& row : ledger.skipped) {
      if (row.reason == reason) return row.bytes;
    }
    return std::uint64_t{0};
  };
  EXPECT_EQ(skipped("message began before the capture"), 1044u);
  EXPECT_EQ(skipped("message ended after the capture"), 1024u);
  EXPECT_EQ(skipped("atomic operation"), 8u);
  EXPECT_EQ(skipped("unreliable datagram"), 300u);
}

TEST_F(Capture, WithoutAMessageIsRefused) {
  packet(PacketKind::kWriteData, 1, 0, kMtu, 5000);
  try {
    imported();
    FAIL();
  } catch (const TraceError& error) {
    EXPECT_NE(std::string(error.what()).find("no RoCEv2 message begins"), std::string::npos);
  }
}

TEST_F(Capture, SurveyCountsFlowsOpcodesAndChecks) {
  packet(PacketKind::kWriteData, 0xFFFFFF, kFirst, kMtu, 2048);
  packet(PacketKind::kWriteData, 0, kLast, kMtu, 2048);
  packet(PacketKind::kWriteData, 0xFFFFFF, kFirst, kMtu, 2048);  // again
  Packet pause;
  pause.kind = PacketKind::kPfc;
  pause.frame_bytes = 64;
  write(pause, {}, Ps{3});
  wire::Buffer damaged(100);
  writer_->write(0, Ps{4}, damaged);
  const CaptureSurvey survey = surveyed();
  EXPECT_EQ(survey.frames, 5u);
  EXPECT_EQ(survey.roce, 3u);
  EXPECT_EQ(survey.pfc, 1u);
  EXPECT_EQ(survey.other, 1u);
  EXPECT_EQ(survey.icrc[static_cast<std::size_t>(pcapng::Check::kGood)], 3u);
  EXPECT_EQ(survey.fcs[static_cast<std::size_t>(pcapng::Check::kGood)], 4u);
  EXPECT_EQ(survey.fcs[static_cast<std::size_t>(pcapng::Check::kBad)], 1u);
  EXPECT_EQ(survey.opcodes.at(0x06).packets, 2u);
  EXPECT_EQ(survey.opcodes.at(0x08).payload_bytes, 1024u);
  ASSERT_EQ(survey.flows.size(), 1u);
  const auto& [key, row] = *survey.flows.begin();
  EXPECT_EQ(key.source.text(), "10.0.0.0");
  EXPECT_EQ(key.destination.text(), "10.0.0.1");
  EXPECT_EQ(key.destination_qp, 3u);
  EXPECT_EQ(row.packets, 3u);
  EXPECT_EQ(row.payload_bytes, 3072u);
  EXPECT_EQ(row.repeated, 1u);
}

TEST(SeenPsns, KnowOldAndNewOverTheWrap) {
  SeenPsns psns;
  EXPECT_TRUE(psns.add(0xFFFFFE));
  EXPECT_TRUE(psns.add(1));  // 0xFFFFFF and 0 were lost
  EXPECT_FALSE(psns.add(1));
  EXPECT_TRUE(psns.add(0));
  EXPECT_FALSE(psns.add(0));
  EXPECT_TRUE(psns.add(0xFFFFFF));
  EXPECT_FALSE(psns.add(0xFFFFFE));
  EXPECT_TRUE(psns.add(100'000));
  EXPECT_FALSE(psns.add(2)) << "too far back to be new";
}

// A capture of ConnectX adapters: RC SENDs of 192 B and 2 KB and their ACKs, beside the TCP that
// set the connection up.
class CorpusCapture : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(path_)) GTEST_SKIP() << "no corpus beside the source tree";
  }
  fs::path path_ =
      fs::path(SLUICE_SOURCE_DIR "/../shared/corpus/pcap/roce_rc_send_192B_2KB_part1.pcap");
};

TEST_F(CorpusCapture, HasNoPacketWhoseIcrcDoesNotVerify) {
  ASSERT_TRUE(is_capture(path_));
  const CaptureSurvey survey = survey_capture(path_);
  EXPECT_EQ(survey.format, "pcap");
  EXPECT_EQ(survey.frames, 70u);
  EXPECT_EQ(survey.roce, 56u);
  EXPECT_EQ(survey.icrc[static_cast<std::size_t>(pcapng::Check::kGood)], 56u);
  EXPECT_EQ(survey.malformed, 0u);
  EXPECT_EQ(survey.notes.size(), 0u);
}

TEST_F(CorpusCapture, IsOfferedMessageByMessage) {
  const TraceImport got = import_trace({path_});
  EXPECT_EQ(got.workload.rank_count(), 2u);
  std::uint64_t sends = 0;
  std::uint64_t bytes = 0;
  for (const RankStream& rank : got.workload.ranks) {
    for (const Op& op : rank.ops) {
      if (op.kind != OpKind::kSend) continue;
      ++sends;
      bytes += op.bytes;
    }
  }
  // One of 141 B from the first address; 18 of two packets of 1024 B from the other.
  EXPECT_EQ(sends, 19u);
  EXPECT_EQ(bytes, 141u + 18 * 2048);
  EXPECT_EQ(got.workload.ledger.bytes_in, bytes);
  EXPECT_EQ(got.workload.ledger.bytes_skipped, 0u);
}

}  // namespace
}  // namespace sluice
