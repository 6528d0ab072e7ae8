// SPDX-License-Identifier: Apache-2.0
// Streams nodes to a .et file, in id order unless too many bytes wait behind an open node.
// Leaves out: what is in a node.
#include "recorder/trace_file.h"

namespace sluice::recorder {
namespace {

constexpr unsigned kNodeId = 1;

}  // namespace

TraceFile::~TraceFile() { close(); }

bool TraceFile::open(const std::string& path, const Bytes& metadata) {
  file_ = std::fopen(path.c_str(), "wb");
  if (file_ == nullptr) return false;
  write(delimited(metadata));
  return true;
}

NodeId TraceFile::reserve() {
  held_.emplace_back();
  ++open_nodes_;
  return first_held_ + held_.size() - 1;
}

void TraceFile::fill(NodeId id, const Bytes& node) {
  Bytes message;
  put_uint(message, kNodeId, id);
  message += node;
  ++written_;
  settle(id, State::kReady, delimited(message));
}

void TraceFile::drop(NodeId id) {
  ++dropped_;
  settle(id, State::kGone, {});
}

void TraceFile::settle(NodeId id, State state, const Bytes& bytes) {
  Slot& slot = held_[id - first_held_];
  slot.state = state;
  slot.bytes = bytes;
  held_bytes_ += bytes.size();
  --open_nodes_;
  release_ready();
}

void TraceFile::release_ready() {
  while (!held_.empty() && held_.front().state != State::kOpen) {
    write(held_.front().bytes);
    held_bytes_ -= held_.front().bytes.size();
    held_.pop_front();
    ++first_held_;
  }
  if (held_bytes_ <= held_bytes_limit_) return;
  for (Slot& slot : held_) {
    if (slot.state != State::kReady) continue;
    write(slot.bytes);
    slot = Slot{State::kGone, {}};
  }
  held_bytes_ = 0;
}

void TraceFile::write(const Bytes& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) failed_ = true;
}

bool TraceFile::close() {
  if (file_ == nullptr) return !failed_;
  for (const Slot& slot : held_) write(slot.bytes);  // whatever waits behind a node never filled
  held_.clear();
  if (std::fclose(file_) != 0) failed_ = true;
  file_ = nullptr;
  return !failed_;
}

}  // namespace sluice::recorder
