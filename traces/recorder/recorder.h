// SPDX-License-Identifier: Apache-2.0
// What every hook talks to: program order, compute gaps and requests of one rank, turned into
// nodes. Leaves out: one-sided operations and scans (refused), wall-clock times, joins of threads.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/groups.h"
#include "recorder/trace_file.h"

namespace sluice::recorder {

/// CollectiveCommType of Chakra v0.0.4.
enum class Collective : std::uint8_t {
  kAllReduce = 0,
  kReduce = 1,
  kAllGather = 2,
  kGather = 3,
  kScatter = 4,
  kBroadcast = 5,
  kAllToAll = 6,
  kReduceScatter = 7,
  kReduceScatterBlock = 8,
  kBarrier = 9,
};

inline constexpr int kNoRoot = -1;

struct CollectiveCall {
  const char* name = "";
  Collective type = Collective::kBarrier;
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t bytes = 0;  ///< comm_size, docs/formats.md table 0, column Chakra
  int root = kNoRoot;       ///< rank in `comm`
  std::vector<std::uint64_t> send_splits = {};  ///< bytes a member, all-to-all of uneven parts
  std::vector<std::uint64_t> recv_splits = {};
  std::vector<std::uint64_t> counts = {};  ///< bytes a member, other uneven collectives
};

struct MessageCall {
  const char* name = "";
  bool is_send = true;
  MPI_Comm comm = MPI_COMM_NULL;
  std::uint64_t bytes = 0;  ///< sends only; a receive learns its size from the status
  int peer = MPI_PROC_NULL;
  int tag = 0;
};

/// Program order of one thread: what the next node has to wait for.
struct ThreadOrder {
  std::vector<NodeId> frontier;
  std::uint64_t last_exit_ns = 0;  ///< CPU time of the thread when it last left MPI
  std::uint64_t pending_ns = 0;    ///< compute not yet written
  int depth = 0;                   ///< inside a hook: MPI calling itself is not recorded
  bool known = false;
};

class Recorder {
 public:
  /// The one of this process; LD_PRELOAD leaves no other place to keep it.
  static Recorder& instance();

  void start();   ///< after MPI_Init
  void finish();  ///< before MPI_Finalize: writes what is left and rank 0 the group file
  bool running() const { return running_; }

  /// Ends the program with one line: carrying on would lose what it does from the trace.
  [[noreturn]] void refuse(const std::string& what);

  void enter(ThreadOrder& thread);
  void leave(ThreadOrder& thread);

  void collective(ThreadOrder& thread, const CollectiveCall& call, MPI_Request* request);
  void send(ThreadOrder& thread, const MessageCall& call, MPI_Request* request);
  /// A receive takes its place in the order before it starts; 0 for MPI_PROC_NULL.
  NodeId open_receive(ThreadOrder& thread, const MessageCall& call);
  void track_receive(NodeId node, MPI_Request request);  ///< it ends with `request`
  /// The blocking call returned; `also_sent` is its other half when it is a sendrecv.
  void close_receive(ThreadOrder& thread, NodeId node, const MPI_Status& status,
                     const MessageCall* also_sent = nullptr);
  void abandon_receive(NodeId node);  ///< the call failed

  void persistent(const MessageCall& call, MPI_Request request);
  void started(ThreadOrder& thread, MPI_Request request);
  void completed(ThreadOrder& thread, MPI_Request request, const MPI_Status& status);
  void observed_complete(ThreadOrder& thread, MPI_Request request);
  void request_freed(MPI_Request request);

  void matched(MPI_Message message, MPI_Comm comm);
  MPI_Comm comm_of(MPI_Message message);

  void comm_created(MPI_Comm comm);
  void comm_freed(MPI_Comm comm);
  /// Members of `comm`; refuses an inter-communicator.
  CommunicatorPtr group_of(MPI_Comm comm, const char* name);

 private:
  enum class Waiting : std::uint8_t { kWritten, kReceive, kNothing };
  struct Pending {
    Waiting kind = Waiting::kNothing;
    NodeId node = 0;
  };
  struct Persistent {
    MessageCall call;
    bool active = false;
    Pending pending;
  };
  struct OpenReceive {
    Bytes head;  ///< the node before its status is known
    CommunicatorPtr comm;
  };

  Recorder() = default;
  void write_compute(ThreadOrder& thread);
  Bytes node_head(const ThreadOrder& thread, const char* name, unsigned type) const;
  NodeId write_send(ThreadOrder& thread, const MessageCall& call);
  NodeId reserve_receive(ThreadOrder& thread, const MessageCall& call);
  void fill_receive(NodeId node, const MPI_Status& status);
  /// The node that `pending` stands for, 0 for none or a cancelled receive.
  NodeId finish_pending(const Pending& pending, const MPI_Status& status);
  CommunicatorPtr communicator(MPI_Comm comm);
  void write_group_file();

  std::mutex mutex_;
  bool running_ = false;
  int rank_ = 0;
  std::string prefix_;
  TraceFile file_;
  Groups groups_;
  std::unordered_map<NodeId, OpenReceive> open_receives_;
  std::unordered_multimap<MPI_Request, Pending> requests_;
  std::unordered_map<MPI_Request, Persistent> persistent_;
  std::unordered_map<MPI_Message, MPI_Comm> messages_;
  ThreadOrder* main_thread_ = nullptr;
  std::uint64_t operations_ = 0;  ///< collectives and messages that MPI carried out
  std::uint64_t compute_nodes_ = 0;
};

/// Lives for the length of a hook: splits the thread's CPU time into compute and MPI.
class Hook {
 public:
  Hook();
  ~Hook();
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  /// False inside MPI's own nested calls and outside MPI_Init … MPI_Finalize.
  bool active() const { return active_; }
  ThreadOrder& thread() const { return thread_; }
  Recorder& recorder() const { return recorder_; }

  /// `result` as returned by MPI; a failed call is not recorded.
  int collective(int result, const CollectiveCall& call, MPI_Request* request = nullptr) const;
  int send(int result, const MessageCall& call, MPI_Request* request = nullptr) const;

 private:
  Recorder& recorder_;
  ThreadOrder& thread_;
  bool active_;
};

/// `count` elements of `type` in bytes.
std::uint64_t bytes_of(int count, MPI_Datatype type);

}  // namespace sluice::recorder
