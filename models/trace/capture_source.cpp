// SPDX-License-Identifier: Apache-2.0
#include "trace/capture_source.h"

#include <fstream>
#include <sstream>

#include "kernel/error.h"
#include "packet/pcapng/format.h"

namespace sluice {
namespace {

std::unique_ptr<std::istream> open(const TraceSource& source) {
  if (source.file.empty()) return std::make_unique<std::istringstream>(source.memory);
  auto stream = std::make_unique<std::ifstream>(source.file, std::ios::binary);
  if (!*stream) throw TraceError(fmt::format("{}: cannot be read", source.name));
  return stream;
}

}  // namespace

CaptureSource::CaptureSource(const TraceSource& source) : stream_(open(source)) {
  reader_.emplace(*stream_, source.name);
}

Ps CaptureSource::since_first(const pcapng::CaptureTime& time) {
  if (!first_) first_ = time;
  const std::int64_t since = pcapng::picoseconds_between(*first_, time);
  if (since >= 0) return Ps{static_cast<std::uint64_t>(since)};
  ++backwards_;
  return Ps{};
}

pcapng::SeenPacket CaptureSource::look(const pcapng::CapturedFrame& frame) {
  const pcapng::CaptureInterface& interface = reader_->interface(frame.interface);
  if (interface.link_type != pcapng::kLinkTypeEthernet) {
    ++not_ethernet_;
    return {};
  }
  return pcapng::look_at(frame.bytes, frame.wire_bytes, interface.fcs_bytes);
}

std::vector<std::string> CaptureSource::notes() const {
  std::vector<std::string> notes;
  if (!reader_->torn().empty()) {
    notes.push_back(
        fmt::format("the file is torn: {}; what was before it was read", reader_->torn()));
  }
  if (not_ethernet_ != 0) {
    notes.push_back(fmt::format("{} frames are of interfaces that are no Ethernet", not_ethernet_));
  }
  if (backwards_ != 0) {
    notes.push_back(fmt::format("{} frames have a time before that of the first", backwards_));
  }
  return notes;
}

}  // namespace sluice
