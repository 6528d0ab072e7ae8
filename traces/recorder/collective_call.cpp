// SPDX-License-Identifier: Apache-2.0
// Byte counts of collectives as Chakra defines comm_size (docs/formats.md table 0): an all-gather
// counts its input shard, a reduce-scatter its whole input, an all-to-all all that this rank puts
// in. Leaves out: what a datatype's holes would add; sizes are those of the data.
#include "recorder/collective_call.h"

#include <algorithm>
#include <numeric>

namespace sluice::recorder {
namespace {

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

bool all_equal(const std::vector<std::uint64_t>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// The list where it says more than the size alone.
std::vector<std::uint64_t> if_uneven(std::vector<std::uint64_t> values) {
  if (all_equal(values)) values.clear();
  return values;
}

std::uint64_t bytes_of(const Side& side) { return recorder::bytes_of(side.count, side.type); }

}  // namespace

Describe::Describe(const Hook& hook, const char* name, MPI_Comm comm) : name_(name), comm_(comm) {
  if (hook.active()) group_ = hook.recorder().group_of(comm, name);
}

CollectiveCall Describe::call(Collective type, std::uint64_t bytes, int root) const {
  CollectiveCall result;
  result.name = name_;
  result.type = type;
  result.comm = comm_;
  result.bytes = bytes;
  result.root = root;
  return result;
}

std::vector<std::uint64_t> Describe::bytes_each(const int counts[], MPI_Datatype type) const {
  std::vector<std::uint64_t> result(static_cast<std::size_t>(group_->size()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = recorder::bytes_of(counts[i], type);
  return result;
}

CollectiveCall Describe::barrier() const { return call(Collective::kBarrier, 0); }

CollectiveCall Describe::broadcast(int count, MPI_Datatype type, int root) const {
  return call(Collective::kBroadcast, recorder::bytes_of(count, type), root);
}

CollectiveCall Describe::reduce(int count, MPI_Datatype type, int root) const {
  return call(Collective::kReduce, recorder::bytes_of(count, type), root);
}

CollectiveCall Describe::all_reduce(int count, MPI_Datatype type) const {
  return call(Collective::kAllReduce, recorder::bytes_of(count, type));
}

CollectiveCall Describe::all_gather(const Side& send, const Side& recv) const {
  return call(Collective::kAllGather, bytes_of(send.data == MPI_IN_PLACE ? recv : send));
}

CollectiveCall Describe::all_gather_v(const Side& send, const VSide& recv) const {
  if (!group_) return {};
  const auto counts = bytes_each(recv.counts, recv.type);
  CollectiveCall result =
      call(Collective::kAllGather, counts[static_cast<std::size_t>(group_->self)]);
  if (send.data != MPI_IN_PLACE) result.bytes = bytes_of(send);
  result.counts = if_uneven(counts);
  return result;
}

CollectiveCall Describe::gather(const Side& send, const Side& recv, int root) const {
  return call(Collective::kGather, bytes_of(send.data == MPI_IN_PLACE ? recv : send), root);
}

CollectiveCall Describe::gather_v(const Side& send, const VSide& recv, int root) const {
  if (!group_) return {};
  CollectiveCall result = call(Collective::kGather, 0, root);
  if (group_->self == root) {  // only the root knows the others' counts
    const auto counts = bytes_each(recv.counts, recv.type);
    result.bytes = counts[static_cast<std::size_t>(root)];
    result.counts = if_uneven(counts);
  }
  if (send.data != MPI_IN_PLACE) result.bytes = bytes_of(send);
  return result;
}

CollectiveCall Describe::scatter(const Side& send, const Side& recv, int root) const {
  if (!group_) return {};
  return call(Collective::kScatter, bytes_of(group_->self == root ? send : recv), root);
}

CollectiveCall Describe::scatter_v(const VSide& send, const Side& recv, int root) const {
  if (!group_) return {};
  CollectiveCall result = call(Collective::kScatter, 0, root);
  if (group_->self == root) {
    const auto counts = bytes_each(send.counts, send.type);
    result.bytes = counts[static_cast<std::size_t>(root)];
    result.counts = if_uneven(counts);
  } else {
    result.bytes = bytes_of(recv);
  }
  return result;
}

CollectiveCall Describe::all_to_all(const Side& send, const Side& recv) const {
  if (!group_) return {};
  const auto size = static_cast<std::uint64_t>(group_->size());
  return call(Collective::kAllToAll, size * bytes_of(send.data == MPI_IN_PLACE ? recv : send));
}

CollectiveCall Describe::all_to_all_v(const VSide& send, const VSide& recv) const {
  if (!group_) return {};
  const VSide& given = send.data == MPI_IN_PLACE ? recv : send;
  CollectiveCall result = call(Collective::kAllToAll, 0);
  result.send_splits = bytes_each(given.counts, given.type);
  result.recv_splits = bytes_each(recv.counts, recv.type);
  result.bytes = sum(result.send_splits);
  return result;
}

CollectiveCall Describe::all_to_all_w(const WSide& send, const WSide& recv) const {
  if (!group_) return {};
  const WSide& given = send.data == MPI_IN_PLACE ? recv : send;
  CollectiveCall result = call(Collective::kAllToAll, 0);
  for (int i = 0; i < group_->size(); ++i) {
    result.send_splits.push_back(recorder::bytes_of(given.counts[i], given.types[i]));
    result.recv_splits.push_back(recorder::bytes_of(recv.counts[i], recv.types[i]));
  }
  result.bytes = sum(result.send_splits);
  return result;
}

CollectiveCall Describe::reduce_scatter(const int counts[], MPI_Datatype type) const {
  if (!group_) return {};
  const auto bytes = bytes_each(counts, type);
  CollectiveCall result = call(Collective::kReduceScatter, sum(bytes));
  result.counts = if_uneven(bytes);
  return result;
}

CollectiveCall Describe::reduce_scatter_block(int count, MPI_Datatype type) const {
  if (!group_) return {};
  const auto size = static_cast<std::uint64_t>(group_->size());
  return call(Collective::kReduceScatterBlock, size * recorder::bytes_of(count, type));
}

}  // namespace sluice::recorder
