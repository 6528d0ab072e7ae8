// SPDX-License-Identifier: Apache-2.0
// Every way to send, receive and complete that the recorder hooks, with what each one moves.
// Leaves out: inter-communicators (every_communicator.cpp).
#include <mpi.h>

#include <vector>

#include "recorder/tests/every_call.h"

namespace sluice::recorder {
namespace {

void blocking_messages(Test& t) {
  const int to = t.right();
  const int from = t.left();
  std::vector<char> buffer(1U << 16U);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  // Even ranks send first; each mode once. Tags tell them apart.
  const auto send_all = [&] {
    MPI_Send(t.a.data(), 10, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
    t.expected.send("MPI_Send", t.me, to, 80, 1);
    MPI_Ssend(t.a.data(), 11, MPI_INT, to, 2, MPI_COMM_WORLD);
    t.expected.send("MPI_Ssend", t.me, to, 44, 2);
    MPI_Bsend(t.a.data(), 12, MPI_CHAR, to, 3, MPI_COMM_WORLD);
    t.expected.send("MPI_Bsend", t.me, to, 12, 3);
    MPI_Send(t.a.data(), 0, MPI_DOUBLE, to, 4, MPI_COMM_WORLD);
    t.expected.send("MPI_Send", t.me, to, 0, 4);
  };
  const auto receive_all = [&] {
    MPI_Status status;
    MPI_Recv(t.b.data(), 200, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &status);
    t.expected.recv("MPI_Recv", from, t.me, 80, 1);
    MPI_Recv(t.b.data(), 200, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t.expected.recv("MPI_Recv", from, t.me, 44, 2);
    MPI_Probe(from, 3, MPI_COMM_WORLD, &status);
    MPI_Recv(t.b.data(), 12, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    t.expected.recv("MPI_Recv", from, t.me, 12, 3);
    MPI_Recv(t.b.data(), 1, MPI_DOUBLE, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t.expected.recv("MPI_Recv", from, t.me, 0, 4);
  };
  if (t.me % 2 == 0) {
    send_all();
    receive_all();
  } else {
    receive_all();
    send_all();
  }
  int size = 0;
  void* detached = nullptr;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  MPI_Send(t.a.data(), 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(t.a.data(), 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void paired_messages(Test& t) {
  MPI_Sendrecv(t.a.data(), 7, MPI_DOUBLE, t.right(), 5, t.b.data(), 7, MPI_DOUBLE, t.left(), 5,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  t.expected.recv("MPI_Sendrecv", t.left(), t.me, 56, 5);
  t.expected.send("MPI_Sendrecv", t.me, t.right(), 56, 5);
  MPI_Status status;
  MPI_Sendrecv_replace(t.a.data(), 9, MPI_FLOAT, t.left(), 6, t.right(), 6, MPI_COMM_WORLD,
                       &status);
  t.expected.recv("MPI_Sendrecv_replace", t.right(), t.me, 36, 6);
  t.expected.send("MPI_Sendrecv_replace", t.me, t.left(), 36, 6);
  // One half to nobody.
  const int to = t.me == kRanks - 1 ? MPI_PROC_NULL : t.me + 1;
  const int from = t.me == 0 ? MPI_PROC_NULL : t.me - 1;
  MPI_Sendrecv(t.a.data(), 3, MPI_BYTE, to, 7, t.b.data(), 3, MPI_BYTE, from, 7, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  if (from != MPI_PROC_NULL) t.expected.recv("MPI_Sendrecv", from, t.me, 3, 7);
  if (to != MPI_PROC_NULL) t.expected.send("MPI_Sendrecv", t.me, to, 3, 7);
  const int large = 0x12345678;
  MPI_Sendrecv(t.a.data(), 1, MPI_CHAR, t.right(), large, t.b.data(), 1, MPI_CHAR, t.left(), large,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  t.expected.recv("MPI_Sendrecv", t.left(), t.me, 1, large);
  t.expected.send("MPI_Sendrecv", t.me, t.right(), 1, large);
  // To oneself.
  MPI_Sendrecv(t.a.data(), 2, MPI_INT, t.me, 8, t.b.data(), 2, MPI_INT, t.me, 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  t.expected.recv("MPI_Sendrecv", t.me, t.me, 8, 8);
  t.expected.send("MPI_Sendrecv", t.me, t.me, 8, 8);
}

using SendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

void nonblocking_messages(Test& t) {
  struct Mode {
    const char* name;
    SendCall call;
    int tag;
  };
  std::vector<char> buffer(1U << 16U);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  const std::vector<Mode> modes = {{"MPI_Isend", MPI_Isend, 11},
                                   {"MPI_Issend", MPI_Issend, 12},
                                   {"MPI_Ibsend", MPI_Ibsend, 13},
                                   {"MPI_Irsend", MPI_Irsend, 14}};
  std::vector<MPI_Request> requests(8);
  for (std::size_t i = 0; i < 4; ++i) {
    // The buffers are larger than the messages, and one is posted for any source and tag.
    const bool any = modes[i].tag == 11;
    MPI_Irecv(&t.b[i * 32], 32, MPI_DOUBLE, any ? MPI_ANY_SOURCE : t.left(),
              any ? MPI_ANY_TAG : modes[i].tag, MPI_COMM_WORLD, &requests[i]);
    t.expected.recv("MPI_Irecv", t.left(), t.me, 8 * modes[i].tag, modes[i].tag);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  t.expected.collective("MPI_Barrier", 9, 0, "0-3");
  for (std::size_t i = 0; i < 4; ++i) {
    modes[i].call(t.a.data(), modes[i].tag, MPI_DOUBLE, t.right(), modes[i].tag, MPI_COMM_WORLD,
                  &requests[4 + i]);
    t.expected.send(modes[i].name, t.me, t.right(), 8 * modes[i].tag, modes[i].tag);
  }
  MPI_Waitall(8, requests.data(), MPI_STATUSES_IGNORE);
  int size = 0;
  void* detached = nullptr;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
}

enum class Completion { kWait, kTest, kTestall, kWaitany, kTestany, kWaitsome, kTestsome };

/// Ends both requests by one way of asking.
void complete(Completion how, MPI_Request requests[2]) {
  int flag = 0;
  int index = 0;
  int done = 0;
  int indices[2];
  MPI_Status status;
  MPI_Status statuses[2];
  switch (how) {
    case Completion::kWait:
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], &status);
      return;
    case Completion::kTest:
      for (int i = 0; i < 2; ++i)
        for (flag = 0; flag == 0;) MPI_Test(&requests[i], &flag, &status);
      return;
    case Completion::kTestall:
      while (flag == 0) MPI_Testall(2, requests, &flag, statuses);
      return;
    case Completion::kWaitany:
      for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
      return;
    case Completion::kTestany:
      for (int i = 0; i < 2; ++i)
        for (flag = 0; flag == 0;) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
      return;
    case Completion::kWaitsome:
      for (int ended = 0; ended < 2; ended += done)
        MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
      return;
    case Completion::kTestsome:
      for (int ended = 0; ended < 2; ended += done)
        MPI_Testsome(2, requests, &done, indices, statuses);
      return;
  }
}

void every_completion(Test& t) {
  for (int how = 0; how <= static_cast<int>(Completion::kTestsome); ++how) {
    MPI_Request requests[2];
    const int tag = 20 + how;
    MPI_Irecv(t.b.data(), 100, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[0]);
    t.expected.recv("MPI_Irecv", t.left(), t.me, 4 * tag, tag);
    MPI_Isend(t.a.data(), tag, MPI_INT, t.right(), tag, MPI_COMM_WORLD, &requests[1]);
    t.expected.send("MPI_Isend", t.me, t.right(), 4 * tag, tag);
    complete(static_cast<Completion>(how), requests);
  }
  MPI_Request request;
  int flag = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  t.expected.collective("MPI_Ibarrier", 9, 0, "0-3");
  while (flag == 0) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void persistent_messages(Test& t) {
  std::vector<MPI_Request> requests(5);
  std::vector<char> buffer(1U << 16U);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  MPI_Recv_init(t.b.data(), 100, MPI_INT, t.left(), 31, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(t.a.data(), 20, MPI_INT, t.right(), 31, MPI_COMM_WORLD, &requests[1]);
  MPI_Ssend_init(t.a.data(), 21, MPI_INT, t.right(), 31, MPI_COMM_WORLD, &requests[2]);
  MPI_Bsend_init(t.a.data(), 22, MPI_INT, t.right(), 31, MPI_COMM_WORLD, &requests[3]);
  MPI_Rsend_init(t.a.data(), 23, MPI_INT, t.right(), 31, MPI_COMM_WORLD, &requests[4]);
  const char* names[] = {"", "MPI_Start(send)", "MPI_Start(ssend)", "MPI_Start(bsend)",
                         "MPI_Start(rsend)"};
  for (int i = 1; i <= 4; ++i) {  // the receive is started four times
    MPI_Start(&requests[0]);
    t.expected.recv("MPI_Start(recv)", t.left(), t.me, 4 * (19 + i), 31);
    MPI_Barrier(MPI_COMM_WORLD);  // a ready send needs its receive posted
    t.expected.collective("MPI_Barrier", 9, 0, "0-3");
    MPI_Startall(1, &requests[static_cast<std::size_t>(i)]);
    t.expected.send(names[i], t.me, t.right(), 4 * (19 + i), 31);
    MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  int size = 0;
  void* detached = nullptr;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
}

void probed_messages(Test& t) {
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request;
  for (int tag = 41; tag <= 43; ++tag) {
    MPI_Isend(t.a.data(), tag, MPI_CHAR, t.right(), tag, MPI_COMM_WORLD, &request);
    t.expected.send("MPI_Isend", t.me, t.right(), tag, tag);
    int flag = 0;
    if (tag == 41) {
      MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(t.b.data(), 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
      t.expected.recv("MPI_Mrecv", t.left(), t.me, tag, tag);
    } else if (tag == 42) {
      while (flag == 0) MPI_Improbe(t.left(), tag, MPI_COMM_WORLD, &flag, &message, &status);
      MPI_Request receive;
      MPI_Imrecv(t.b.data(), 100, MPI_CHAR, &message, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
      t.expected.recv("MPI_Imrecv", t.left(), t.me, tag, tag);
    } else {
      while (flag == 0) MPI_Iprobe(t.left(), tag, MPI_COMM_WORLD, &flag, &status);
      MPI_Recv(t.b.data(), 100, MPI_CHAR, t.left(), tag, MPI_COMM_WORLD, &status);
      t.expected.recv("MPI_Recv", t.left(), t.me, tag, tag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  // A receive that nobody sends to, cancelled: no node.
  MPI_Irecv(t.b.data(), 1, MPI_INT, t.left(), 44, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
}

}  // namespace

void make_every_message(Test& t) {
  blocking_messages(t);
  paired_messages(t);
  nonblocking_messages(t);
  every_completion(t);
  persistent_messages(t);
  probed_messages(t);
}

}  // namespace sluice::recorder
