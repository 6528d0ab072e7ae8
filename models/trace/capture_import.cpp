// SPDX-License-Identifier: Apache-2.0
// RoCEv2 messages of a capture as offered load: each request message becomes an op of its size at
// its relative time (docs/formats.md says what is kept). Leaves out: pacing inside a message,
// acknowledgements, losses and marks, which the model makes anew.
#include <algorithm>
#include <map>
#include <vector>

#include "kernel/error.h"
#include "packet/wire/extensions.h"
#include "trace/capture_source.h"
#include "trace/capture_survey.h"
#include "trace/formats.h"

namespace sluice {
namespace {

using pcapng::IpAddress;
using pcapng::SeenKind;
using pcapng::SeenPacket;

constexpr std::string_view kBeganBefore = "message began before the capture";
constexpr std::string_view kEndedAfter = "message ended after the capture";
constexpr std::string_view kAtomic = "atomic operation";
constexpr std::string_view kDatagram = "unreliable datagram";

struct CapturedMessage {
  enum class Kind : std::uint8_t { kSend, kWrite, kRead };
  Ps time{};
  Kind kind = Kind::kWrite;
  IpAddress source;  ///< of the request
  IpAddress destination;
  std::uint64_t bytes = 0;
};

class MessageCollector {
 public:
  explicit MessageCollector(Ledger& ledger) : ledger_(ledger) {}

  void add(const SeenPacket& packet, Ps at);
  /// No packet follows: messages in the order of their times.
  std::vector<CapturedMessage> finish();
  std::uint64_t repeated() const { return repeated_; }

 private:
  struct Flow {
    SeenPsns psns;
    bool open = false;  ///< a SEND whose last packet has not come
    CapturedMessage message;
    bool writing = false;       ///< a WRITE whose first packet was seen is under way
    std::uint64_t orphans = 0;  ///< bytes of a message whose first packet is not in the capture
  };

  void skip(std::string_view reason, std::uint64_t bytes) {
    ledger_.bytes_in += bytes;
    ledger_.skip(reason, bytes);
  }
  void add_send(Flow& flow, const SeenPacket& packet, const wire::OpcodeForm& form, Ps at);
  void add_write(Flow& flow, const SeenPacket& packet, const wire::OpcodeForm& form, Ps at);
  void add_orphan(Flow& flow, const SeenPacket& packet, bool last);
  void close_open(Flow& flow);

  Ledger& ledger_;
  std::map<FlowKey, Flow> flows_;
  std::vector<CapturedMessage> messages_;
  std::uint64_t repeated_ = 0;
};

void MessageCollector::add_orphan(Flow& flow, const SeenPacket& packet, bool last) {
  flow.orphans += packet.payload_bytes;
  if (!last) return;
  skip(kBeganBefore, flow.orphans);
  flow.orphans = 0;
}

void MessageCollector::close_open(Flow& flow) {
  if (flow.open) skip(kEndedAfter, flow.message.bytes);
  flow.open = false;
}

void MessageCollector::add_send(Flow& flow, const SeenPacket& packet, const wire::OpcodeForm& form,
                                Ps at) {
  if (form.first) {
    close_open(flow);
    flow.open = true;
    flow.message = {at, CapturedMessage::Kind::kSend, packet.source, packet.destination, 0};
  }
  if (!flow.open) return add_orphan(flow, packet, form.last);
  flow.message.bytes += packet.payload_bytes;
  if (!form.last) return;
  messages_.push_back(flow.message);
  flow.open = false;
}

/// The first packet tells the whole message's size.
void MessageCollector::add_write(Flow& flow, const SeenPacket& packet, const wire::OpcodeForm& form,
                                 Ps at) {
  if (form.first) {
    messages_.push_back({at, CapturedMessage::Kind::kWrite, packet.source, packet.destination,
                         packet.extensions.reth->dma_bytes});
    flow.writing = true;
  }
  if (!flow.writing) return add_orphan(flow, packet, form.last);
  if (form.last) flow.writing = false;
}

void MessageCollector::add(const SeenPacket& packet, Ps at) {
  const auto form = wire::form_of(packet.bth.opcode);
  if (!form || !form->request) return;
  Flow& flow = flows_[{0, packet.source, packet.destination, packet.bth.destination_qp}];
  // The same packet at another interface, or sent again.
  if (!form->deth && !flow.psns.add(packet.bth.psn)) {
    ++repeated_;
    return;
  }
  if (form->deth) return skip(kDatagram, packet.payload_bytes);
  if (form->atomic) return skip(kAtomic, sizeof(std::uint64_t));
  if (wire::is_write(packet.bth.opcode)) return add_write(flow, packet, *form, at);
  if (wire::is_send(packet.bth.opcode)) return add_send(flow, packet, *form, at);
  messages_.push_back({at, CapturedMessage::Kind::kRead, packet.source, packet.destination,
                       packet.extensions.reth->dma_bytes});
}

std::vector<CapturedMessage> MessageCollector::finish() {
  for (auto& [key, flow] : flows_) {
    close_open(flow);
    if (flow.orphans != 0) skip(kBeganBefore, flow.orphans);
  }
  std::stable_sort(
      messages_.begin(), messages_.end(),
      [](const CapturedMessage& a, const CapturedMessage& b) { return a.time < b.time; });
  return std::move(messages_);
}

/// One rank an address, in the order in which messages name them.
class RankStreams {
 public:
  explicit RankStreams(Workload& workload) : workload_(workload) {}

  void add(const CapturedMessage& message, Ps start);
  const std::vector<IpAddress>& addresses() const { return addresses_; }

 private:
  std::uint32_t rank_of(const IpAddress& address);
  void wait_until(std::uint32_t rank, Ps time);
  void append(std::uint32_t rank, Op op);

  Workload& workload_;
  std::map<IpAddress, std::uint32_t> ranks_;
  std::vector<IpAddress> addresses_;
  struct Clock {
    Ps time{};
    std::uint32_t op = UINT32_MAX;  ///< that ends then
  };
  std::vector<Clock> clocks_;
};

std::uint32_t RankStreams::rank_of(const IpAddress& address) {
  const auto [at, added] = ranks_.try_emplace(address, workload_.rank_count());
  if (added) {
    addresses_.push_back(address);
    workload_.ranks.emplace_back();
    clocks_.emplace_back();
  }
  return at->second;
}

/// A chain of computations is the rank's clock.
void RankStreams::wait_until(std::uint32_t rank, Ps time) {
  Clock& clock = clocks_[rank];
  if (time <= clock.time) return;
  Op gap;
  gap.kind = OpKind::kCompute;
  gap.compute = time - clock.time;
  append(rank, gap);
  clock.time = time;
  clock.op = static_cast<std::uint32_t>(workload_.ranks[rank].ops.size() - 1);
}

/// Starts when the rank's clock says so.
void RankStreams::append(std::uint32_t rank, Op op) {
  RankStream& stream = workload_.ranks[rank];
  const std::uint32_t clock = clocks_[rank].op;
  if (clock != UINT32_MAX) {
    op.first_dep = static_cast<std::uint32_t>(stream.deps.size());
    op.dep_count = 1;
    stream.deps.push_back(clock);
  }
  stream.ops.push_back(op);
}

void RankStreams::add(const CapturedMessage& message, Ps start) {
  const std::uint32_t requester = rank_of(message.source);
  const std::uint32_t responder = rank_of(message.destination);
  const bool read = message.kind == CapturedMessage::Kind::kRead;
  const std::uint32_t from = read ? responder : requester;
  const std::uint32_t to = read ? requester : responder;
  wait_until(from, message.time - start);
  Op op;
  op.kind = message.kind == CapturedMessage::Kind::kSend ? OpKind::kSend : OpKind::kWrite;
  op.peer = to;
  op.bytes = message.bytes;
  append(from, op);
  if (op.kind != OpKind::kSend) return;
  // Its receive is there from the start, as receives posted in time are.
  op.kind = OpKind::kRecv;
  op.peer = from;
  workload_.ranks[to].ops.push_back(op);
}

std::string describe(const std::vector<IpAddress>& addresses) {
  constexpr std::size_t kListed = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(addresses.size(), kListed); ++i) {
    text += fmt::format("{}{} is rank {}", i == 0 ? "" : ", ", addresses[i].text(), i);
  }
  if (addresses.size() > kListed) {
    text += fmt::format(", and so on to rank {}", addresses.size() - 1);
  }
  return text;
}

}  // namespace

TraceImport import_capture(const TraceSource& trace, const std::string& name) {
  CaptureSource source(trace);
  TraceImport result;
  result.workload.source = name;
  result.format = source.reader().format();
  MessageCollector collector(result.workload.ledger);
  pcapng::CapturedFrame frame;
  while (source.reader().next(frame)) {
    const Ps at = source.since_first(frame.time);
    const SeenPacket packet = source.look(frame);
    if (packet.kind == SeenKind::kRoce) collector.add(packet, at);
  }
  const std::vector<CapturedMessage> messages = collector.finish();
  if (messages.empty()) {
    throw TraceError(
        fmt::format("{}: no RoCEv2 message begins in this capture: nothing to replay", trace.name));
  }
  RankStreams streams(result.workload);
  for (const CapturedMessage& message : messages) streams.add(message, messages.front().time);
  result.notes = source.notes();
  result.notes.push_back(describe(streams.addresses()));
  if (collector.repeated() != 0) {
    result.notes.push_back(
        fmt::format("{} packets were seen before, at another interface or sent again: not counted",
                    collector.repeated()));
  }
  return result;
}

}  // namespace sluice
