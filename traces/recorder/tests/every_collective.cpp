// SPDX-License-Identifier: Apache-2.0
// Every collective that the recorder hooks, even and uneven, in place and not.
// Leaves out: groups other than the world (every_communicator.cpp).
#include <mpi.h>

#include <string>

#include "recorder/tests/every_call.h"

namespace sluice::recorder {
namespace {

void rooted_collectives(Test& t) {
  const int root = 2;
  const int counts[] = {1, 2, 3, 4};
  const int offsets[] = {0, 1, 3, 6};
  const std::string listed = t.me == root ? " counts=4,8,12,16" : "";
  const int mine = counts[t.me];
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Request r;
  MPI_Request* q = &r;
  MPI_Status* none = MPI_STATUS_IGNORE;
  void* a = t.a.data();
  void* b = t.b.data();
  Expected& e = t.expected;
  MPI_Bcast(a, 13, MPI_INT, root, w), e.collective("MPI_Bcast", 5, 52, "0-3", root);
  MPI_Ibcast(a, 14, MPI_INT, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Ibcast", 5, 56, "0-3", root);
  MPI_Reduce(a, b, 15, MPI_INT, MPI_SUM, root, w), e.collective("MPI_Reduce", 1, 60, "0-3", root);
  MPI_Ireduce(a, b, 16, MPI_INT, MPI_SUM, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Ireduce", 1, 64, "0-3", root);
  MPI_Gather(a, 3, MPI_INT, b, 3, MPI_INT, root, w), e.collective("MPI_Gather", 3, 12, "0-3", root);
  MPI_Gather(t.me == root ? MPI_IN_PLACE : a, 4, MPI_INT, b, 4, MPI_INT, root, w);
  e.collective("MPI_Gather", 3, 16, "0-3", root);
  MPI_Igather(a, 5, MPI_INT, b, 5, MPI_INT, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Igather", 3, 20, "0-3", root);
  MPI_Gatherv(a, mine, MPI_INT, b, counts, offsets, MPI_INT, root, w);
  e.collective("MPI_Gatherv", 3, 4 * mine, "0-3", root, listed);
  MPI_Igatherv(a, mine, MPI_INT, b, counts, offsets, MPI_INT, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Igatherv", 3, 4 * mine, "0-3", root, listed);
  MPI_Scatter(a, 3, MPI_INT, b, 3, MPI_INT, root, w);
  e.collective("MPI_Scatter", 4, 12, "0-3", root);
  MPI_Scatter(a, 4, MPI_INT, t.me == root ? MPI_IN_PLACE : b, 4, MPI_INT, root, w);
  e.collective("MPI_Scatter", 4, 16, "0-3", root);
  MPI_Iscatter(a, 5, MPI_INT, b, 5, MPI_INT, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Iscatter", 4, 20, "0-3", root);
  MPI_Scatterv(a, counts, offsets, MPI_INT, b, mine, MPI_INT, root, w);
  e.collective("MPI_Scatterv", 4, 4 * mine, "0-3", root, listed);
  MPI_Iscatterv(a, counts, offsets, MPI_INT, b, mine, MPI_INT, root, w, q), MPI_Wait(q, none);
  e.collective("MPI_Iscatterv", 4, 4 * mine, "0-3", root, listed);
}

void symmetric_collectives(Test& t) {
  const int counts[] = {1, 2, 3, 4};
  const int offsets[] = {0, 1, 3, 6};
  const int mine = counts[t.me];
  const std::string listed = " counts=4,8,12,16";
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Request r;
  MPI_Request* q = &r;
  MPI_Status* none = MPI_STATUS_IGNORE;
  void* a = t.a.data();
  void* b = t.b.data();
  Expected& e = t.expected;
  MPI_Allreduce(a, b, 17, MPI_DOUBLE, MPI_SUM, w), e.collective("MPI_Allreduce", 0, 136, "0-3");
  MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_FLOAT, MPI_MAX, w);
  e.collective("MPI_Allreduce", 0, 4, "0-3");
  MPI_Iallreduce(a, b, 18, MPI_DOUBLE, MPI_SUM, w, q), MPI_Wait(q, none);
  e.collective("MPI_Iallreduce", 0, 144, "0-3");
  MPI_Request both[2];
  MPI_Iallreduce(a, b, 19, MPI_DOUBLE, MPI_SUM, w, &both[0]);
  e.collective("MPI_Iallreduce", 0, 152, "0-3");
  MPI_Ibarrier(w, &both[1]);  // started while the other runs
  e.collective("MPI_Ibarrier", 9, 0, "0-3");
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  MPI_Allgather(a, 3, MPI_INT, b, 3, MPI_INT, w), e.collective("MPI_Allgather", 2, 12, "0-3");
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, w);
  e.collective("MPI_Allgather", 2, 16, "0-3");
  MPI_Iallgather(a, 5, MPI_INT, b, 5, MPI_INT, w, q), MPI_Wait(q, none);
  e.collective("MPI_Iallgather", 2, 20, "0-3");
  MPI_Allgatherv(a, mine, MPI_INT, b, counts, offsets, MPI_INT, w);
  e.collective("MPI_Allgatherv", 2, 4 * mine, "0-3", -1, listed);
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_INT, b, counts, offsets, MPI_INT, w, q), MPI_Wait(q, none);
  e.collective("MPI_Iallgatherv", 2, 4 * mine, "0-3", -1, listed);
  MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, w);
  e.collective("MPI_Reduce_scatter", 7, 40, "0-3", -1, listed);
  const int even[] = {6, 6, 6, 6};
  MPI_Ireduce_scatter(a, b, even, MPI_INT, MPI_SUM, w, q), MPI_Wait(q, none);
  e.collective("MPI_Ireduce_scatter", 7, 96, "0-3");
  MPI_Reduce_scatter_block(a, b, 7, MPI_INT, MPI_SUM, w);
  e.collective("MPI_Reduce_scatter_block", 8, 112, "0-3");
  MPI_Ireduce_scatter_block(a, b, 8, MPI_INT, MPI_SUM, w, q), MPI_Wait(q, none);
  e.collective("MPI_Ireduce_scatter_block", 8, 128, "0-3");
}

std::string number_list(const char* name, int step, int first) {
  std::string out = name;
  for (int i = 0; i < kRanks; ++i) {
    if (i > 0) out += ',';
    out += std::to_string(first + step * i);
  }
  return out;
}

void all_to_alls(Test& t) {
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Request r;
  MPI_Request* q = &r;
  MPI_Status* none = MPI_STATUS_IGNORE;
  void* a = t.a.data();
  void* b = t.b.data();
  Expected& e = t.expected;
  MPI_Alltoall(a, 3, MPI_INT, b, 3, MPI_INT, w), e.collective("MPI_Alltoall", 6, 48, "0-3");
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 4, MPI_INT, w);
  e.collective("MPI_Alltoall", 6, 64, "0-3");
  MPI_Ialltoall(a, 5, MPI_INT, b, 5, MPI_INT, w, q), MPI_Wait(q, none);
  e.collective("MPI_Ialltoall", 6, 80, "0-3");
  // Rank i sends i + 2j integers to rank j, so receives j + 2i from j.
  int sent[kRanks];
  int received[kRanks];
  int offsets[kRanks];
  int byte_offsets[kRanks];
  MPI_Datatype types[kRanks];
  for (int j = 0; j < kRanks; ++j) {
    sent[j] = t.me + 2 * j;
    received[j] = j + 2 * t.me;
    offsets[j] = 16 * j;
    byte_offsets[j] = 64 * j;
    types[j] = MPI_INT;
  }
  const std::string splits =
      number_list(" sent=", 8, 4 * t.me) + number_list(" received=", 4, 8 * t.me);
  const int bytes = 4 * (4 * t.me + 12);
  MPI_Alltoallv(a, sent, offsets, MPI_INT, b, received, offsets, MPI_INT, w);
  e.collective("MPI_Alltoallv", 6, bytes, "0-3", -1, splits);
  MPI_Ialltoallv(a, sent, offsets, MPI_INT, b, received, offsets, MPI_INT, w, q);
  MPI_Wait(q, none);
  e.collective("MPI_Ialltoallv", 6, bytes, "0-3", -1, splits);
  MPI_Alltoallw(a, sent, byte_offsets, types, b, received, byte_offsets, types, w);
  e.collective("MPI_Alltoallw", 6, bytes, "0-3", -1, splits);
  MPI_Ialltoallw(a, sent, byte_offsets, types, b, received, byte_offsets, types, w, q);
  MPI_Wait(q, none);
  e.collective("MPI_Ialltoallw", 6, bytes, "0-3", -1, splits);
}

}  // namespace

void make_every_collective(Test& t) {
  rooted_collectives(t);
  symmetric_collectives(t);
  all_to_alls(t);
}

}  // namespace sluice::recorder
