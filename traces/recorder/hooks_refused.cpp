// SPDX-License-Identifier: Apache-2.0
// Calls that move bytes and cannot be written as Chakra nodes: refused, so that no byte is lost.
// Leaves out: file access (MPI_File_*), which is no message between ranks.
#include "recorder/recorder.h"

using sluice::recorder::Hook;

namespace {

/// Ends the program while recording; inside MPI's own calls the call goes on.
void refuse(const Hook& hook, const char* name) {
  if (hook.active()) hook.recorder().refuse(std::string(name) + " cannot be recorded");
}

}  // namespace

extern "C" {

int MPI_Scan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f) {
  const Hook hook;
  refuse(hook, "MPI_Scan");
  return PMPI_Scan(a, b, c, d, e, f);
}

int MPI_Exscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f) {
  const Hook hook;
  refuse(hook, "MPI_Exscan");
  return PMPI_Exscan(a, b, c, d, e, f);
}

int MPI_Iscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g) {
  const Hook hook;
  refuse(hook, "MPI_Iscan");
  return PMPI_Iscan(a, b, c, d, e, f, g);
}

int MPI_Iexscan(const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f,
                MPI_Request* g) {
  const Hook hook;
  refuse(hook, "MPI_Iexscan");
  return PMPI_Iexscan(a, b, c, d, e, f, g);
}

int MPI_Neighbor_allgather(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
                           MPI_Comm g) {
  const Hook hook;
  refuse(hook, "MPI_Neighbor_allgather");
  return PMPI_Neighbor_allgather(a, b, c, d, e, f, g);
}

int MPI_Ineighbor_allgather(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
                            MPI_Comm g, MPI_Request* z) {
  const Hook hook;
  refuse(hook, "MPI_Ineighbor_allgather");
  return PMPI_Ineighbor_allgather(a, b, c, d, e, f, g, z);
}

int MPI_Neighbor_allgatherv(const void* a, int b, MPI_Datatype c, void* d, const int e[],
                            const int f[], MPI_Datatype g, MPI_Comm h) {
  const Hook hook;
  refuse(hook, "MPI_Neighbor_allgatherv");
  return PMPI_Neighbor_allgatherv(a, b, c, d, e, f, g, h);
}

int MPI_Ineighbor_allgatherv(const void* a, int b, MPI_Datatype c, void* d, const int e[],
                             const int f[], MPI_Datatype g, MPI_Comm h, MPI_Request* z) {
  const Hook hook;
  refuse(hook, "MPI_Ineighbor_allgatherv");
  return PMPI_Ineighbor_allgatherv(a, b, c, d, e, f, g, h, z);
}

int MPI_Neighbor_alltoall(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
                          MPI_Comm g) {
  const Hook hook;
  refuse(hook, "MPI_Neighbor_alltoall");
  return PMPI_Neighbor_alltoall(a, b, c, d, e, f, g);
}

int MPI_Ineighbor_alltoall(const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
                           MPI_Comm g, MPI_Request* z) {
  const Hook hook;
  refuse(hook, "MPI_Ineighbor_alltoall");
  return PMPI_Ineighbor_alltoall(a, b, c, d, e, f, g, z);
}

int MPI_Neighbor_alltoallv(const void* a, const int b[], const int c[], MPI_Datatype d, void* e,
                           const int f[], const int g[], MPI_Datatype h, MPI_Comm i) {
  const Hook hook;
  refuse(hook, "MPI_Neighbor_alltoallv");
  return PMPI_Neighbor_alltoallv(a, b, c, d, e, f, g, h, i);
}

int MPI_Ineighbor_alltoallv(const void* a, const int b[], const int c[], MPI_Datatype d, void* e,
                            const int f[], const int g[], MPI_Datatype h, MPI_Comm i,
                            MPI_Request* z) {
  const Hook hook;
  refuse(hook, "MPI_Ineighbor_alltoallv");
  return PMPI_Ineighbor_alltoallv(a, b, c, d, e, f, g, h, i, z);
}

int MPI_Neighbor_alltoallw(const void* a, const int b[], const MPI_Aint c[], const MPI_Datatype d[],
                           void* e, const int f[], const MPI_Aint g[], const MPI_Datatype h[],
                           MPI_Comm i) {
  const Hook hook;
  refuse(hook, "MPI_Neighbor_alltoallw");
  return PMPI_Neighbor_alltoallw(a, b, c, d, e, f, g, h, i);
}

int MPI_Ineighbor_alltoallw(const void* a, const int b[], const MPI_Aint c[],
                            const MPI_Datatype d[], void* e, const int f[], const MPI_Aint g[],
                            const MPI_Datatype h[], MPI_Comm i, MPI_Request* z) {
  const Hook hook;
  refuse(hook, "MPI_Ineighbor_alltoallw");
  return PMPI_Ineighbor_alltoallw(a, b, c, d, e, f, g, h, i, z);
}

int MPI_Win_create(void* a, MPI_Aint b, int c, MPI_Info d, MPI_Comm e, MPI_Win* f) {
  const Hook hook;
  refuse(hook, "MPI_Win_create");
  return PMPI_Win_create(a, b, c, d, e, f);
}

int MPI_Win_allocate(MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f) {
  const Hook hook;
  refuse(hook, "MPI_Win_allocate");
  return PMPI_Win_allocate(a, b, c, d, e, f);
}

int MPI_Win_allocate_shared(MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f) {
  const Hook hook;
  refuse(hook, "MPI_Win_allocate_shared");
  return PMPI_Win_allocate_shared(a, b, c, d, e, f);
}

int MPI_Win_create_dynamic(MPI_Info a, MPI_Comm b, MPI_Win* c) {
  const Hook hook;
  refuse(hook, "MPI_Win_create_dynamic");
  return PMPI_Win_create_dynamic(a, b, c);
}

int MPI_Comm_spawn(const char* a, char* b[], int c, MPI_Info d, int e, MPI_Comm f, MPI_Comm* g,
                   int h[]) {
  const Hook hook;
  refuse(hook, "MPI_Comm_spawn");
  return PMPI_Comm_spawn(a, b, c, d, e, f, g, h);
}

int MPI_Comm_spawn_multiple(int a, char* b[], char** c[], const int d[], const MPI_Info e[], int f,
                            MPI_Comm g, MPI_Comm* h, int i[]) {
  const Hook hook;
  refuse(hook, "MPI_Comm_spawn_multiple");
  return PMPI_Comm_spawn_multiple(a, b, c, d, e, f, g, h, i);
}

int MPI_Comm_accept(const char* a, MPI_Info b, int c, MPI_Comm d, MPI_Comm* e) {
  const Hook hook;
  refuse(hook, "MPI_Comm_accept");
  return PMPI_Comm_accept(a, b, c, d, e);
}

int MPI_Comm_connect(const char* a, MPI_Info b, int c, MPI_Comm d, MPI_Comm* e) {
  const Hook hook;
  refuse(hook, "MPI_Comm_connect");
  return PMPI_Comm_connect(a, b, c, d, e);
}

int MPI_Comm_join(int a, MPI_Comm* b) {
  const Hook hook;
  refuse(hook, "MPI_Comm_join");
  return PMPI_Comm_join(a, b);
}

}  // extern "C"
