// SPDX-License-Identifier: Apache-2.0
// Every way to make a communicator that the recorder hooks, and that all members name it alike.
// Leaves out: spawned processes, which are refused.
#include <mpi.h>

#include <string>

#include "recorder/tests/every_call.h"

namespace sluice::recorder {
namespace {

void barrier_in(Test& t, MPI_Comm comm, const char* group) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Barrier(comm);
  t.expected.collective("MPI_Barrier", 9, 0, group);
  MPI_Comm_free(&comm);
}

void communicators(Test& t) {
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Comm c;
  const bool odd = t.me % 2 == 1;
  MPI_Comm_split(w, t.me % 2, 0, &c);
  // The root is named by its rank in the world.
  MPI_Bcast(t.a.data(), 1, MPI_INT, 1, c);
  t.expected.collective("MPI_Bcast", 5, 4, odd ? "1,3" : "0,2", odd ? 3 : 2);
  MPI_Comm_free(&c);
  MPI_Comm_split(w, 0, -t.me, &c), barrier_in(t, c, "3,2,1,0");
  MPI_Comm_dup(w, &c), barrier_in(t, c, "0-3#1");
  MPI_Comm_dup_with_info(w, MPI_INFO_NULL, &c), barrier_in(t, c, "0-3#2");
  MPI_Request request;
  MPI_Comm_idup(w, &c, &request), MPI_Wait(&request, MPI_STATUS_IGNORE), barrier_in(t, c, "0-3#3");
  MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c), barrier_in(t, c, "0-3#4");
  MPI_Group all;
  MPI_Group some;
  const int members[] = {0, 1, 3};
  MPI_Comm_group(w, &all);
  MPI_Group_incl(all, 3, members, &some);
  MPI_Comm_create(w, some, &c), barrier_in(t, c, "0-1,3");
  if (t.me != 2) MPI_Comm_create_group(w, some, 1, &c), barrier_in(t, c, "0-1,3#1");
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  const int sizes[] = {2, 2};
  const int periods[] = {0, 0};
  const int keep[] = {0, 1};
  MPI_Comm row;
  MPI_Cart_create(w, 2, sizes, periods, 0, &c);
  MPI_Cart_sub(c, keep, &row), barrier_in(t, row, t.me < 2 ? "0-1" : "2-3");
  barrier_in(t, c, "0-3#5");
}

void graphs_and_pairs(Test& t) {
  MPI_Comm w = MPI_COMM_WORLD;
  MPI_Comm c;
  const int index[] = {1, 2, 3, 4};
  const int edges[] = {1, 0, 3, 2};
  MPI_Graph_create(w, 4, index, edges, 0, &c), barrier_in(t, c, "0-3#6");
  const int neighbour = t.me ^ 1;
  const int degree = 1;
  MPI_Dist_graph_create(w, 1, &t.me, &degree, &neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c);
  barrier_in(t, c, "0-3#7");
  MPI_Dist_graph_create_adjacent(w, 1, &neighbour, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &c);
  barrier_in(t, c, "0-3#8");
  MPI_Comm half;
  MPI_Comm between;
  MPI_Comm_split(w, t.me / 2, 0, &half);
  MPI_Intercomm_create(half, 0, w, t.me < 2 ? 2 : 0, 9, &between);
  MPI_Intercomm_merge(between, t.me >= 2, &c), barrier_in(t, c, "0-3#9");
  // A message over the inter-communicator: rank 1 over there is 3 or 1 in the world.
  const int other = t.me ^ 2;
  MPI_Sendrecv(t.a.data(), 1, MPI_INT, t.me % 2, 50, t.b.data(), 1, MPI_INT, t.me % 2, 50, between,
               MPI_STATUS_IGNORE);
  t.expected.recv("MPI_Sendrecv", other, t.me, 4, 50);
  t.expected.send("MPI_Sendrecv", t.me, other, 4, 50);
  MPI_Comm_free(&between);
  MPI_Comm_disconnect(&half);
  MPI_Comm self;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  const std::string own = std::to_string(t.me) + "#1";
  barrier_in(t, self, own.c_str());
}

}  // namespace

void make_every_communicator(Test& t) {
  communicators(t);
  graphs_and_pairs(t);
}

}  // namespace sluice::recorder
