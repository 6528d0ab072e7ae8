// SPDX-License-Identifier: Apache-2.0
// Makes every call that the recorder hooks, on 4 ranks, and writes beside it what each one moves.
// Leaves out: calls that the recorder refuses. check_every_call.py compares the two.
#include "recorder/tests/every_call.h"

#include <mpi.h>

#include <cstdio>
#include <string>

using sluice::recorder::Expected;
using sluice::recorder::kRanks;
using sluice::recorder::Test;

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int size = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc == 2 && std::string(argv[1]) == "--refused") {
    int sum = 0;
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
  }
  if (size != kRanks || argc != 2) {
    std::fputs("usage: mpirun -n 4 every_call DIR, or --refused for a call without a node\n",
               stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  {
    Test t{rank, Expected(std::string(argv[1]) + "/expected." + std::to_string(rank))};
    make_every_message(t);
    make_every_collective(t);
    make_every_communicator(t);
  }
  MPI_Finalize();
  return 0;
}
