// SPDX-License-Identifier: Apache-2.0
// Hooks of MPI's start and end, and of what makes and frees communicators.
// Leaves out: Fortran programs, whose binding in Open MPI does not come through here; they are
// refused.
#include <cstdio>
#include <cstdlib>

#include "recorder/recorder.h"

using sluice::recorder::Hook;
using sluice::recorder::Recorder;

namespace {

int started(int result) {
  if (result != MPI_SUCCESS) return result;
  Recorder::instance().start();
  // The first hook of the main thread begins its clock here, so that start-up is not compute.
  const Hook hook;
  hook.thread().pending_ns = 0;
  return result;
}

int made(const Hook& hook, int result, const MPI_Comm* comm) {
  if (hook.active() && result == MPI_SUCCESS && *comm != MPI_COMM_NULL)
    hook.recorder().comm_created(*comm);
  return result;
}

[[noreturn]] void refuse_fortran() {
  std::fputs("sluice recorder: Fortran's MPI binding cannot be recorded\n", stderr);
  std::exit(3);
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) { return started(PMPI_Init(argc, argv)); }

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return started(PMPI_Init_thread(argc, argv, required, provided));
}

int MPI_Finalize() {
  {
    const Hook hook;
    if (hook.active()) hook.recorder().finish();
  }
  return PMPI_Finalize();
}

// The names that Fortran compilers give to MPI_Init and MPI_Init_thread, and those of mpi_f08.
__attribute__((visibility("default"))) void mpi_init_(int*) { refuse_fortran(); }
__attribute__((visibility("default"))) void mpi_init_thread_(int*, int*, int*) { refuse_fortran(); }
__attribute__((visibility("default"))) void mpi_init_f08_(int*) { refuse_fortran(); }
__attribute__((visibility("default"))) void mpi_init_thread_f08_(int*, int*, int*) {
  refuse_fortran();
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_split(comm, color, key, made_comm), made_comm);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_split_type(comm, type, key, info, made_comm), made_comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_dup(comm, made_comm), made_comm);
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_dup_with_info(comm, info, made_comm), made_comm);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made_comm, MPI_Request* request) {
  const Hook hook;
  const int result = PMPI_Comm_idup(comm, made_comm, request);
  // The new handle cannot be asked anything before the request ends, so it ends here.
  if (hook.active() && result == MPI_SUCCESS) PMPI_Wait(request, MPI_STATUS_IGNORE);
  return made(hook, result, made_comm);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_create(comm, group, made_comm), made_comm);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Comm_create_group(comm, group, tag, made_comm), made_comm);
}

int MPI_Cart_create(MPI_Comm comm, int dims, const int sizes[], const int periods[], int reorder,
                    MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Cart_create(comm, dims, sizes, periods, reorder, made_comm), made_comm);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Cart_sub(comm, remain, made_comm), made_comm);
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Graph_create(comm, nodes, index, edges, reorder, made_comm), made_comm);
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm* made_comm) {
  const Hook hook;
  return made(
      hook,
      PMPI_Dist_graph_create(comm, n, sources, degrees, targets, weights, info, reorder, made_comm),
      made_comm);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int source_weights[], int outdegree, const int targets[],
                                   const int target_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook,
              PMPI_Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree,
                                              targets, target_weights, info, reorder, made_comm),
              made_comm);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                         MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made_comm),
              made_comm);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made_comm) {
  const Hook hook;
  return made(hook, PMPI_Intercomm_merge(comm, high, made_comm), made_comm);
}

int MPI_Comm_free(MPI_Comm* comm) {
  const Hook hook;
  if (hook.active()) hook.recorder().comm_freed(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  const Hook hook;
  if (hook.active()) hook.recorder().comm_freed(*comm);
  return PMPI_Comm_disconnect(comm);
}

}  // extern "C"
