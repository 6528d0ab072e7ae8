// SPDX-License-Identifier: Apache-2.0
// One rank's .et file: nodes are streamed out in the order of their ids.
// Leaves out: what is in a node. A node may be opened before its content is known (a posted
// receive); later nodes wait for it in memory, up to a bound, after which they are written ahead of
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

#include "recorder/wire.h"

namespace sluice::recorder {

using NodeId = std::uint64_t;

class TraceFile {
 public:
  /// `held_bytes_limit`: how many encoded bytes may wait behind an open node.
  explicit TraceFile(std::size_t held_bytes_limit = kHeldBytesLimit)
      : held_bytes_limit_(held_bytes_limit) {}
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Creates `path` and writes the metadata message. False: errno tells why.
  bool open(const std::string& path, const Bytes& metadata);
  bool is_open() const { return file_ != nullptr; }

  /// Takes the next id; its content follows by `fill` or never by `drop`.
  NodeId reserve();
  /// `node` is the message without its id, which is put in front.
  void fill(NodeId id, const Bytes& node);
  void drop(NodeId id);

  std::uint64_t written() const { return written_; }
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t open_nodes() const { return open_nodes_; }
  /// Flushes and closes. False when any write failed: the file is not complete.
  bool close();

 private:
  static constexpr std::size_t kHeldBytesLimit = std::size_t{64} << 20U;
  enum class State : std::uint8_t { kOpen, kReady, kGone };
  struct Slot {
    State state = State::kOpen;
    Bytes bytes;
  };

  void settle(NodeId id, State state, const Bytes& bytes);
  void release_ready();
  void write(const Bytes& bytes);

  std::size_t held_bytes_limit_;
  std::FILE* file_ = nullptr;
  bool failed_ = false;
  NodeId first_held_ = 1;  ///< id of held_.front()
  std::deque<Slot> held_;
  std::size_t held_bytes_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t open_nodes_ = 0;
};

}  // namespace sluice::recorder
