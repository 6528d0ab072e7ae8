// SPDX-License-Identifier: Apache-2.0
// A capture as a trace source: its stream, times from its first frame, and what is wrong with it.
// Leaves out: meaning; survey and import give it.
#pragma once

#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/time.h"
#include "packet/pcapng/reader.h"
#include "packet/pcapng/seen_packet.h"
#include "trace/source.h"

namespace sluice {

class CaptureSource {
 public:
  /// `source` must outlive it. Throws TraceError.
  explicit CaptureSource(const TraceSource& source);

  pcapng::Reader& reader() { return *reader_; }
  /// Of a frame that `reader` gave; one from before the first counts as at the first.
  Ps since_first(const pcapng::CaptureTime& time);
  pcapng::SeenPacket look(const pcapng::CapturedFrame& frame);
  /// A line each, once all frames were looked at.
  std::vector<std::string> notes() const;

 private:
  std::unique_ptr<std::istream> stream_;
  std::optional<pcapng::Reader> reader_;
  std::optional<pcapng::CaptureTime> first_;
  std::uint64_t backwards_ = 0;
  std::uint64_t not_ethernet_ = 0;
};

}  // namespace sluice
