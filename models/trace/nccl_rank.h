// SPDX-License-Identifier: Apache-2.0
// The ops of one rank of an NCCL log, in order of enqueueing, with the order that NCCL keeps: that
// of the communicator and that of the CUDA stream. Leaves out: ops that move nothing.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "workload/workload.h"

namespace sluice {

/// Sends and receives that follow each other on one communicator and stream with one opCount are
/// one group call: they run together, and the next op waits for all of them. Two of them with the
/// same peer and direction keep their order, which both ends see alike, so nothing can wait in a
/// circle.
class NcclRank {
 public:
  void add_collective(std::uint32_t comm, std::uint32_t stream, const Op& op);
  void add_message(std::uint32_t comm, std::uint32_t stream, std::uint64_t op_count, const Op& op);

  RankStream take() { return std::move(out_); }

 private:
  using Ops = std::vector<std::uint32_t>;
  struct Lane {         ///< a communicator
    Ops last;           ///< what the next op waits for, unless a batch is open
    bool open = false;  ///< a batch of messages
    std::uint32_t stream = 0;
    std::uint64_t op_count = 0;
    Ops before;  ///< what the whole batch waits for
    Ops batch;
    std::map<std::pair<OpKind, std::uint32_t>, std::uint32_t> latest;  ///< (kind, peer)
  };
  struct Stream {
    Ops last;
    std::uint32_t open_comm = UINT32_MAX;
  };

  /// Closes batches that an op on (comm, stream) cannot join.
  void prepare(std::uint32_t comm, std::uint32_t stream);
  void close(std::uint32_t comm);
  Ops waits_for(std::uint32_t comm, std::uint32_t stream);
  std::uint32_t emit(Op op, const Ops& deps);

  std::map<std::uint32_t, Lane> lanes_;
  std::map<std::uint32_t, Stream> streams_;
  RankStream out_;
};

}  // namespace sluice
