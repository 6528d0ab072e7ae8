// SPDX-License-Identifier: Apache-2.0
// Hooks of gathers, scatters and all-gathers, blocking and not.
// Leaves out: where in the buffers the parts lie.
#include "recorder/collective_call.h"

using sluice::recorder::Describe;
using sluice::recorder::Hook;

extern "C" {

int MPI_Gather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int recv_count,
               MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Gather(send, send_count, send_type, recv, recv_count, recv_type, root, comm),
      Describe(hook, "MPI_Gather", comm)
          .gather({send, send_count, send_type}, {recv, recv_count, recv_type}, root));
}

int MPI_Igather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Igather(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request),
      Describe(hook, "MPI_Igather", comm)
          .gather({send, send_count, send_type}, {recv, recv_count, recv_type}, root),
      request);
}

int MPI_Gatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                const int recv_counts[], const int recv_offsets[], MPI_Datatype recv_type, int root,
                MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Gatherv(send, send_count, send_type, recv, recv_counts, recv_offsets, recv_type, root,
                   comm),
      Describe(hook, "MPI_Gatherv", comm)
          .gather_v({send, send_count, send_type}, {recv, recv_counts, recv_type}, root));
}

int MPI_Igatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 const int recv_counts[], const int recv_offsets[], MPI_Datatype recv_type,
                 int root, MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Igatherv(send, send_count, send_type, recv, recv_counts, recv_offsets, recv_type, root,
                    comm, request),
      Describe(hook, "MPI_Igatherv", comm)
          .gather_v({send, send_count, send_type}, {recv, recv_counts, recv_type}, root),
      request);
}

int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Scatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm),
      Describe(hook, "MPI_Scatter", comm)
          .scatter({send, send_count, send_type}, {recv, recv_count, recv_type}, root));
}

int MPI_Iscatter(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                 MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Iscatter(send, send_count, send_type, recv, recv_count, recv_type, root, comm, request),
      Describe(hook, "MPI_Iscatter", comm)
          .scatter({send, send_count, send_type}, {recv, recv_count, recv_type}, root),
      request);
}

int MPI_Scatterv(const void* send, const int send_counts[], const int send_offsets[],
                 MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type,
                 int root, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Scatterv(send, send_counts, send_offsets, send_type, recv, recv_count, recv_type, root,
                    comm),
      Describe(hook, "MPI_Scatterv", comm)
          .scatter_v({send, send_counts, send_type}, {recv, recv_count, recv_type}, root));
}

int MPI_Iscatterv(const void* send, const int send_counts[], const int send_offsets[],
                  MPI_Datatype send_type, void* recv, int recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Iscatterv(send, send_counts, send_offsets, send_type, recv, recv_count, recv_type, root,
                     comm, request),
      Describe(hook, "MPI_Iscatterv", comm)
          .scatter_v({send, send_counts, send_type}, {recv, recv_count, recv_type}, root),
      request);
}

int MPI_Allgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Allgather(send, send_count, send_type, recv, recv_count, recv_type, comm),
      Describe(hook, "MPI_Allgather", comm)
          .all_gather({send, send_count, send_type}, {recv, recv_count, recv_type}));
}

int MPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                   int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Iallgather(send, send_count, send_type, recv, recv_count, recv_type, comm, request),
      Describe(hook, "MPI_Iallgather", comm)
          .all_gather({send, send_count, send_type}, {recv, recv_count, recv_type}),
      request);
}

int MPI_Allgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                   const int recv_counts[], const int recv_offsets[], MPI_Datatype recv_type,
                   MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Allgatherv(send, send_count, send_type, recv, recv_counts, recv_offsets, recv_type,
                      comm),
      Describe(hook, "MPI_Allgatherv", comm)
          .all_gather_v({send, send_count, send_type}, {recv, recv_counts, recv_type}));
}

int MPI_Iallgatherv(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                    const int recv_counts[], const int recv_offsets[], MPI_Datatype recv_type,
                    MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Iallgatherv(send, send_count, send_type, recv, recv_counts, recv_offsets, recv_type,
                       comm, request),
      Describe(hook, "MPI_Iallgatherv", comm)
          .all_gather_v({send, send_count, send_type}, {recv, recv_counts, recv_type}),
      request);
}

}  // extern "C"
