// SPDX-License-Identifier: Apache-2.0
// Hooks of barriers, broadcasts and reductions, blocking and not.
// Leaves out: scans, for which Chakra has no type (hooks_refused.cpp).
#include "recorder/collective_call.h"

using sluice::recorder::Describe;
using sluice::recorder::Hook;

extern "C" {

int MPI_Barrier(MPI_Comm comm) {
  const Hook hook;
  return hook.collective(PMPI_Barrier(comm), Describe(hook, "MPI_Barrier", comm).barrier());
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(PMPI_Ibarrier(comm, request),
                         Describe(hook, "MPI_Ibarrier", comm).barrier(), request);
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(PMPI_Bcast(data, count, type, root, comm),
                         Describe(hook, "MPI_Bcast", comm).broadcast(count, type, root));
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
  const Hook hook;
  return hook.collective(PMPI_Ibcast(data, count, type, root, comm, request),
                         Describe(hook, "MPI_Ibcast", comm).broadcast(count, type, root), request);
}

int MPI_Reduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const Hook hook;
  return hook.collective(PMPI_Reduce(send, recv, count, type, op, root, comm),
                         Describe(hook, "MPI_Reduce", comm).reduce(count, type, root));
}

int MPI_Ireduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(PMPI_Ireduce(send, recv, count, type, op, root, comm, request),
                         Describe(hook, "MPI_Ireduce", comm).reduce(count, type, root), request);
}

int MPI_Allreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const Hook hook;
  return hook.collective(PMPI_Allreduce(send, recv, count, type, op, comm),
                         Describe(hook, "MPI_Allreduce", comm).all_reduce(count, type));
}

int MPI_Iallreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(PMPI_Iallreduce(send, recv, count, type, op, comm, request),
                         Describe(hook, "MPI_Iallreduce", comm).all_reduce(count, type), request);
}

int MPI_Reduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(PMPI_Reduce_scatter(send, recv, counts, type, op, comm),
                         Describe(hook, "MPI_Reduce_scatter", comm).reduce_scatter(counts, type));
}

int MPI_Ireduce_scatter(const void* send, void* recv, const int counts[], MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(PMPI_Ireduce_scatter(send, recv, counts, type, op, comm, request),
                         Describe(hook, "MPI_Ireduce_scatter", comm).reduce_scatter(counts, type),
                         request);
}

int MPI_Reduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Reduce_scatter_block(send, recv, count, type, op, comm),
      Describe(hook, "MPI_Reduce_scatter_block", comm).reduce_scatter_block(count, type));
}

int MPI_Ireduce_scatter_block(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Ireduce_scatter_block(send, recv, count, type, op, comm, request),
      Describe(hook, "MPI_Ireduce_scatter_block", comm).reduce_scatter_block(count, type), request);
}

}  // extern "C"
