// SPDX-License-Identifier: Apache-2.0
// What a collective call puts in, from its arguments: one function a kind, for both ways to call
// it. Leaves out: the calls themselves.
#pragma once

#include "recorder/recorder.h"

namespace sluice::recorder {

/// Counts and types of one side of a call, as MPI passes them.
struct Side {
  const void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};
/// The same with a count a member.
struct VSide {
  const void* data = nullptr;
  const int* counts = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;
};
/// The same with a type a member.
struct WSide {
  const void* data = nullptr;
  const int* counts = nullptr;
  const MPI_Datatype* types = nullptr;
};

/// Makes descriptions for calls in `comm` while `hook` is active, empty ones otherwise.
class Describe {
 public:
  Describe(const Hook& hook, const char* name, MPI_Comm comm);

  CollectiveCall barrier() const;
  CollectiveCall broadcast(int count, MPI_Datatype type, int root) const;
  CollectiveCall reduce(int count, MPI_Datatype type, int root) const;
  CollectiveCall all_reduce(int count, MPI_Datatype type) const;
  CollectiveCall all_gather(const Side& send, const Side& recv) const;
  CollectiveCall all_gather_v(const Side& send, const VSide& recv) const;
  CollectiveCall gather(const Side& send, const Side& recv, int root) const;
  CollectiveCall gather_v(const Side& send, const VSide& recv, int root) const;
  CollectiveCall scatter(const Side& send, const Side& recv, int root) const;
  CollectiveCall scatter_v(const VSide& send, const Side& recv, int root) const;
  CollectiveCall all_to_all(const Side& send, const Side& recv) const;
  CollectiveCall all_to_all_v(const VSide& send, const VSide& recv) const;
  CollectiveCall all_to_all_w(const WSide& send, const WSide& recv) const;
  CollectiveCall reduce_scatter(const int counts[], MPI_Datatype type) const;
  CollectiveCall reduce_scatter_block(int count, MPI_Datatype type) const;

 private:
  CollectiveCall call(Collective type, std::uint64_t bytes, int root = kNoRoot) const;
  std::vector<std::uint64_t> bytes_each(const int counts[], MPI_Datatype type) const;

  const char* name_;
  MPI_Comm comm_;
  CommunicatorPtr group_;  ///< null while the hook is not active
};

}  // namespace sluice::recorder
