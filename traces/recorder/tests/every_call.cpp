// SPDX-License-Identifier: Apache-2.0
// Makes every call that the recorder hooks, on 4 ranks, and writes beside it what each one moves.
// Leaves out: calls that the recorder refuses. check_every_call.py compares the two.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr int kRanks = 4;

/// What the trace must hold, one line a node, in the order of the calls.
class Expected {
 public:
  explicit Expected(const std::string& path) : out_(path) {}
  void collective(const char* name, int type, int bytes, const char* group, int root = -1,
                  const std::string& lists = "") {
    out_ << "coll " << name << " type=" << type << " bytes=" << bytes << " root=" << root
         << " group=" << group << lists << '\n';
  }
  void send(const char* name, int from, int to, int bytes, int tag) {
    out_ << "send " << name << " src=" << from << " dst=" << to << " bytes=" << bytes
         << " tag=" << tag << '\n';
  }
  void recv(const char* name, int from, int to, int bytes, int tag) {
    out_ << "recv " << name << " src=" << from << " dst=" << to << " bytes=" << bytes
         << " tag=" << tag << '\n';
  }

 private:
  std::ofstream out_;
};

struct Test {
  int me = 0;
  Expected expected;
  std::vector<double> a = std::vector<double>(256);
  std::vector<double> b = std::vector<double>(256);
  int right() const { return (me + 1) % kRanks; }
  int left() const { return (me + kRanks - 1) % kRanks; }
};

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
    blocking_messages(t);
    paired_messages(t);
    nonblocking_messages(t);
    every_completion(t);
    persistent_messages(t);
    probed_messages(t);
    rooted_collectives(t);
    symmetric_collectives(t);
    all_to_alls(t);
    communicators(t);
  }
  MPI_Finalize();
  return 0;
}
