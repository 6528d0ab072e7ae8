// SPDX-License-Identifier: Apache-2.0
#include "trace/capture_survey.h"

#include <algorithm>

#include "kernel/error.h"
#include "packet/wire/extensions.h"
#include "trace/capture_source.h"
#include "trace/formats.h"

namespace sluice {
namespace {

using pcapng::SeenKind;
using pcapng::SeenPacket;

void count_roce(CaptureSurvey& survey, std::uint32_t interface, const SeenPacket& packet, Ps at) {
  ++survey.roce;
  ++survey.icrc[static_cast<std::size_t>(packet.icrc)];
  OpcodeRow& opcode = survey.opcodes[packet.bth.opcode];
  ++opcode.packets;
  opcode.payload_bytes += packet.payload_bytes;
  FlowRow& flow =
      survey.flows[{interface, packet.source, packet.destination, packet.bth.destination_qp}];
  if (flow.packets++ == 0) flow.first = at;
  flow.last = std::max(flow.last, at);
  flow.payload_bytes += packet.payload_bytes;
  constexpr std::uint8_t kCe = 3;
  if (packet.ecn == kCe) ++flow.marked;
  const auto form = wire::form_of(packet.bth.opcode);
  if (form && form->request && !form->deth && !flow.psns.add(packet.bth.psn)) ++flow.repeated;
}

void count(CaptureSurvey& survey, std::uint32_t interface, const SeenPacket& packet, Ps at) {
  ++survey.fcs[static_cast<std::size_t>(packet.fcs)];
  switch (packet.kind) {
    case SeenKind::kRoce:
      return count_roce(survey, interface, packet, at);
    case SeenKind::kPfc:
      ++survey.pfc;
      return;
    case SeenKind::kRoceV1:
      ++survey.roce_v1;
      return;
    case SeenKind::kMalformed:
      ++survey.malformed;
      return;
    case SeenKind::kOther:
      ++survey.other;
  }
}

}  // namespace

bool SeenPsns::add(std::uint32_t psn) {
  constexpr std::uint32_t kPsns = 1U << 24;
  if (seen_ == nullptr) {
    seen_ = std::make_unique<std::bitset<kMemory>>();
    newest_ = psn;
    seen_->set(psn % kMemory);
    return true;
  }
  const std::uint32_t ahead = (psn - newest_) % kPsns;
  if (ahead == 0) return false;
  if (ahead < kPsns / 2) {
    // What lies between has not been seen yet.
    for (std::uint32_t i = 1; i < std::min(ahead, kMemory); ++i) {
      seen_->reset((newest_ + i) % kMemory);
    }
    newest_ = psn;
    seen_->set(psn % kMemory);
    return true;
  }
  if (kPsns - ahead >= kMemory || seen_->test(psn % kMemory)) return false;
  seen_->set(psn % kMemory);
  return true;
}

bool is_capture(const std::filesystem::path& path) {
  const TraceSources sources = find_sources({path});
  return sources.traces.size() == 1 &&
         detect_format(sources.traces.front()) == TraceFormat::kCapture;
}

CaptureSurvey survey_capture(const std::filesystem::path& path) {
  const TraceSources sources = find_sources({path});
  CaptureSource source(sources.traces.front());
  pcapng::Reader& reader = source.reader();
  CaptureSurvey survey;
  survey.source = path.string();
  survey.format = reader.format();
  pcapng::CapturedFrame frame;
  while (reader.next(frame)) {
    ++survey.frames;
    survey.wire_bytes += frame.wire_bytes;
    if (frame.bytes.size() < frame.wire_bytes) ++survey.cut;
    const Ps at = source.since_first(frame.time);
    survey.span = std::max(survey.span, at);
    count(survey, frame.interface, source.look(frame), at);
  }
  for (std::uint32_t i = 0; i < reader.interface_count(); ++i) {
    const std::string& name = reader.interface(i).name;
    survey.interfaces.push_back(name.empty() ? fmt::format("interface {}", i) : name);
  }
  survey.notes = source.notes();
  return survey;
}

}  // namespace sluice
