// SPDX-License-Identifier: Apache-2.0
// The ops of one rank of an NCCL log, in order of enqueueing, with the order that NCCL keeps.
// Leaves out: ops that move nothing.
#include "trace/nccl_rank.h"

#include <algorithm>

namespace sluice {

std::uint32_t NcclRank::emit(Op op, const Ops& deps) {
  op.first_dep = static_cast<std::uint32_t>(out_.deps.size());
  op.dep_count = static_cast<std::uint32_t>(deps.size());
  out_.deps.insert(out_.deps.end(), deps.begin(), deps.end());
  out_.ops.push_back(op);
  return static_cast<std::uint32_t>(out_.ops.size() - 1);
}

void NcclRank::close(std::uint32_t comm) {
  constexpr std::size_t kFew = 4;
  Lane& lane = lanes_[comm];
  if (!lane.open) return;
  lane.open = false;
  Stream& stream = streams_[lane.stream];
  stream.open_comm = UINT32_MAX;
  lane.last = std::move(lane.batch);
  // An op of no duration where the next batch would have an edge to each of this one.
  if (lane.last.size() > kFew) {
    Op end;
    end.source = out_.ops[lane.last.back()].source;
    lane.last = {emit(end, lane.last)};
  }
  stream.last = lane.last;
  lane.batch.clear();
  lane.latest.clear();
}

void NcclRank::prepare(std::uint32_t comm, std::uint32_t stream) {
  const std::uint32_t other = streams_[stream].open_comm;
  if (other != UINT32_MAX && other != comm) close(other);
  if (lanes_[comm].open && lanes_[comm].stream != stream) close(comm);
}

NcclRank::Ops NcclRank::waits_for(std::uint32_t comm, std::uint32_t stream) {
  Ops ops = lanes_[comm].last;
  const Ops& other = streams_[stream].last;
  ops.insert(ops.end(), other.begin(), other.end());
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  return ops;
}

void NcclRank::add_collective(std::uint32_t comm, std::uint32_t stream, const Op& op) {
  prepare(comm, stream);
  close(comm);
  const Ops last = {emit(op, waits_for(comm, stream))};
  lanes_[comm].last = last;
  streams_[stream].last = last;
}

void NcclRank::add_message(std::uint32_t comm, std::uint32_t stream, std::uint64_t op_count,
                           const Op& op) {
  prepare(comm, stream);
  Lane& lane = lanes_[comm];
  if (lane.open && lane.op_count != op_count) close(comm);
  if (!lane.open) {
    lane.before = waits_for(comm, stream);
    lane.open = true;
    lane.stream = stream;
    lane.op_count = op_count;
    streams_[stream].open_comm = comm;
  }
  const auto [latest, is_first] = lane.latest.try_emplace({op.kind, op.peer}, 0);
  const std::uint32_t index = emit(op, is_first ? lane.before : Ops{latest->second});
  latest->second = index;
  lane.batch.push_back(index);
}

}  // namespace sluice
