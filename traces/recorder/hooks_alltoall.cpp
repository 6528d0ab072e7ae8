// SPDX-License-Identifier: Apache-2.0
// Hooks of all-to-all in its three forms, blocking and not.
// Leaves out: where in the buffers the parts lie.
#include "recorder/collective_call.h"

using sluice::recorder::Describe;
using sluice::recorder::Hook;

extern "C" {

int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                 int recv_count, MPI_Datatype recv_type, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Alltoall(send, send_count, send_type, recv, recv_count, recv_type, comm),
      Describe(hook, "MPI_Alltoall", comm)
          .all_to_all({send, send_count, send_type}, {recv, recv_count, recv_type}));
}

int MPI_Ialltoall(const void* send, int send_count, MPI_Datatype send_type, void* recv,
                  int recv_count, MPI_Datatype recv_type, MPI_Comm comm, MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Ialltoall(send, send_count, send_type, recv, recv_count, recv_type, comm, request),
      Describe(hook, "MPI_Ialltoall", comm)
          .all_to_all({send, send_count, send_type}, {recv, recv_count, recv_type}),
      request);
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_offsets[],
                  MPI_Datatype send_type, void* recv, const int recv_counts[],
                  const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Alltoallv(send, send_counts, send_offsets, send_type, recv, recv_counts, recv_offsets,
                     recv_type, comm),
      Describe(hook, "MPI_Alltoallv", comm)
          .all_to_all_v({send, send_counts, send_type}, {recv, recv_counts, recv_type}));
}

int MPI_Ialltoallv(const void* send, const int send_counts[], const int send_offsets[],
                   MPI_Datatype send_type, void* recv, const int recv_counts[],
                   const int recv_offsets[], MPI_Datatype recv_type, MPI_Comm comm,
                   MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Ialltoallv(send, send_counts, send_offsets, send_type, recv, recv_counts, recv_offsets,
                      recv_type, comm, request),
      Describe(hook, "MPI_Ialltoallv", comm)
          .all_to_all_v({send, send_counts, send_type}, {recv, recv_counts, recv_type}),
      request);
}

int MPI_Alltoallw(const void* send, const int send_counts[], const int send_offsets[],
                  const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                  const int recv_offsets[], const MPI_Datatype recv_types[], MPI_Comm comm) {
  const Hook hook;
  return hook.collective(
      PMPI_Alltoallw(send, send_counts, send_offsets, send_types, recv, recv_counts, recv_offsets,
                     recv_types, comm),
      Describe(hook, "MPI_Alltoallw", comm)
          .all_to_all_w({send, send_counts, send_types}, {recv, recv_counts, recv_types}));
}

int MPI_Ialltoallw(const void* send, const int send_counts[], const int send_offsets[],
                   const MPI_Datatype send_types[], void* recv, const int recv_counts[],
                   const int recv_offsets[], const MPI_Datatype recv_types[], MPI_Comm comm,
                   MPI_Request* request) {
  const Hook hook;
  return hook.collective(
      PMPI_Ialltoallw(send, send_counts, send_offsets, send_types, recv, recv_counts, recv_offsets,
                      recv_types, comm, request),
      Describe(hook, "MPI_Ialltoallw", comm)
          .all_to_all_w({send, send_counts, send_types}, {recv, recv_counts, recv_types}),
      request);
}

}  // extern "C"
