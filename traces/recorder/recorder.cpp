// SPDX-License-Identifier: Apache-2.0
// Program order, compute gaps and requests of one rank, turned into Chakra nodes.
// Leaves out: the MPI calls themselves (hooks_*.cpp) and the life of the files (session.cpp).
#include "recorder/recorder.h"

#include <algorithm>
#include <ctime>
#include <stdexcept>
#include <utility>

namespace sluice::recorder {
namespace {

// Chakra v0.0.4: Node fields and NodeType.
constexpr unsigned kNodeName = 2;
constexpr unsigned kNodeType = 3;
constexpr unsigned kNodeDataDeps = 5;
constexpr unsigned kNodeDurationMicros = 7;
constexpr unsigned kCompNode = 4;
constexpr unsigned kSendNode = 5;
constexpr unsigned kRecvNode = 6;
constexpr unsigned kCollNode = 7;

std::uint64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

ThreadOrder& this_thread() {
  thread_local ThreadOrder order;
  return order;
}

void add_to(std::vector<NodeId>& frontier, NodeId node) {
  if (node != 0 && std::find(frontier.begin(), frontier.end(), node) == frontier.end())
    frontier.push_back(node);
}

void put_message(Bytes& node, const Communicator& comm, std::uint64_t bytes, std::int32_t from,
                 std::int32_t to, int tag) {
  put_attribute_int64(node, "comm_size", static_cast<std::int64_t>(bytes));
  put_attribute_int32(node, "comm_src", from);
  put_attribute_int32(node, "comm_dst", to);
  // Messages of two communicators never match each other, but a trace has one space of tags: the
  // communicator is mixed in. Tags on MPI_COMM_WORLD stay as they are.
  const std::uint32_t mixed = (static_cast<std::uint32_t>(tag) ^ comm.tag_salt) & 0x7fffffffU;
  put_attribute_int32(node, "comm_tag", static_cast<std::int32_t>(mixed));
  if (comm.tag_salt != 0) put_attribute_int32(node, "mpi_tag", tag);
  put_attribute_string(node, "pg_name", comm.name);
}

}  // namespace

void Recorder::enter(ThreadOrder& thread) {
  const std::uint64_t now = thread_cpu_ns();
  if (!thread.known) {
    thread.known = true;
    const std::lock_guard lock(mutex_);
    if (main_thread_ == nullptr) main_thread_ = &thread;
    // Whoever starts a thread has done so after its own last call.
    if (&thread != main_thread_) thread.frontier = main_thread_->frontier;
  }
  thread.pending_ns += now - thread.last_exit_ns;
}

void Recorder::leave(ThreadOrder& thread) { thread.last_exit_ns = thread_cpu_ns(); }

Bytes Recorder::node_head(const ThreadOrder& thread, const char* name, unsigned type) const {
  Bytes node;
  put_string(node, kNodeName, name);
  put_uint(node, kNodeType, type);
  put_packed(node, kNodeDataDeps, thread.frontier);
  return node;
}

void Recorder::write_compute(ThreadOrder& thread) {
  if (thread.pending_ns == 0) return;
  Bytes node = node_head(thread, "compute", kCompNode);
  put_uint(node, kNodeDurationMicros, (thread.pending_ns + 999) / 1000);
  put_attribute_bool(node, "is_cpu_op", false);
  put_attribute_int64(node, "duration_ns", static_cast<std::int64_t>(thread.pending_ns));
  const NodeId id = file_.reserve();
  file_.fill(id, node);
  ++compute_nodes_;
  thread.frontier.assign(1, id);
  thread.pending_ns = 0;
}

CommunicatorPtr Recorder::communicator(MPI_Comm comm) {
  try {
    return groups_.find(comm);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
}

void Recorder::collective(ThreadOrder& thread, const CollectiveCall& call, MPI_Request* request) {
  const std::lock_guard lock(mutex_);
  const CommunicatorPtr comm = communicator(call.comm);
  write_compute(thread);
  Bytes node = node_head(thread, call.name, kCollNode);
  put_attribute_bool(node, "is_cpu_op", false);
  put_attribute_int64(node, "comm_type", static_cast<std::int64_t>(call.type));
  put_attribute_int64(node, "comm_size", static_cast<std::int64_t>(call.bytes));
  if (call.root != kNoRoot)
    put_attribute_int32(node, "comm_root", comm->ranks.at(static_cast<std::size_t>(call.root)));
  if (!call.send_splits.empty())
    put_attribute_int64_list(node, "comm_send_splits", call.send_splits);
  if (!call.recv_splits.empty())
    put_attribute_int64_list(node, "comm_recv_splits", call.recv_splits);
  if (!call.counts.empty()) put_attribute_int64_list(node, "comm_counts", call.counts);
  put_attribute_string(node, "pg_name", comm->name);
  const NodeId id = file_.reserve();
  file_.fill(id, node);
  ++operations_;
  if (request == nullptr)
    thread.frontier.assign(1, id);
  else
    requests_.emplace(*request, Pending{Waiting::kWritten, id});
}

NodeId Recorder::write_send(ThreadOrder& thread, const MessageCall& call) {
  if (call.peer == MPI_PROC_NULL) return 0;
  const CommunicatorPtr comm = communicator(call.comm);
  Bytes node = node_head(thread, call.name, kSendNode);
  put_attribute_bool(node, "is_cpu_op", false);
  put_message(node, *comm, call.bytes, rank_, comm->peers.at(static_cast<std::size_t>(call.peer)),
              call.tag);
  const NodeId id = file_.reserve();
  file_.fill(id, node);
  ++operations_;
  return id;
}

void Recorder::send(ThreadOrder& thread, const MessageCall& call, MPI_Request* request) {
  const std::lock_guard lock(mutex_);
  write_compute(thread);
  const NodeId id = write_send(thread, call);
  if (request != nullptr)
    requests_.emplace(*request, Pending{id != 0 ? Waiting::kWritten : Waiting::kNothing, id});
  else if (id != 0)
    thread.frontier.assign(1, id);
}

NodeId Recorder::reserve_receive(ThreadOrder& thread, const MessageCall& call) {
  if (call.peer == MPI_PROC_NULL) return 0;
  const NodeId id = file_.reserve();
  open_receives_[id] = {node_head(thread, call.name, kRecvNode), communicator(call.comm)};
  ++operations_;
  return id;
}

NodeId Recorder::open_receive(ThreadOrder& thread, const MessageCall& call) {
  const std::lock_guard lock(mutex_);
  write_compute(thread);
  return reserve_receive(thread, call);
}

void Recorder::fill_receive(NodeId node, const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  OpenReceive& open = open_receives_.at(node);
  put_attribute_bool(open.head, "is_cpu_op", false);
  put_message(open.head, *open.comm, static_cast<std::uint64_t>(bytes),
              open.comm->peers.at(static_cast<std::size_t>(status.MPI_SOURCE)), rank_,
              status.MPI_TAG);
  file_.fill(node, open.head);
  open_receives_.erase(node);
}

void Recorder::close_receive(ThreadOrder& thread, NodeId node, const MPI_Status& status,
                             const MessageCall* also_sent) {
  const std::lock_guard lock(mutex_);
  std::vector<NodeId> ended;
  if (also_sent != nullptr) add_to(ended, write_send(thread, *also_sent));
  if (node != 0) fill_receive(node, status);
  add_to(ended, node);
  if (!ended.empty()) thread.frontier = std::move(ended);
}

void Recorder::abandon_receive(NodeId node) {
  const std::lock_guard lock(mutex_);
  if (open_receives_.erase(node) > 0) file_.drop(node);
}

void Recorder::track_receive(NodeId node, MPI_Request request) {
  const std::lock_guard lock(mutex_);
  requests_.emplace(request, Pending{node != 0 ? Waiting::kReceive : Waiting::kNothing, node});
}

void Recorder::persistent(const MessageCall& call, MPI_Request request) {
  const std::lock_guard lock(mutex_);
  persistent_[request] = {call, false, {}};
}

void Recorder::started(ThreadOrder& thread, MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = persistent_.find(request);
  if (found == persistent_.end()) refuse("MPI_Start of a request that was not seen being made");
  Persistent& persistent = found->second;
  write_compute(thread);
  const NodeId id = persistent.call.is_send ? write_send(thread, persistent.call)
                                            : reserve_receive(thread, persistent.call);
  const Waiting kind = persistent.call.is_send ? Waiting::kWritten : Waiting::kReceive;
  persistent.pending = {id != 0 ? kind : Waiting::kNothing, id};
  persistent.active = true;
}

NodeId Recorder::finish_pending(const Pending& pending, const MPI_Status& status) {
  if (pending.kind != Waiting::kReceive) return pending.node;
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) {
    open_receives_.erase(pending.node);
    file_.drop(pending.node);
    return 0;
  }
  fill_receive(pending.node, status);
  return pending.node;
}

void Recorder::completed(ThreadOrder& thread, MPI_Request request, const MPI_Status& status) {
  if (request == MPI_REQUEST_NULL) return;
  const std::lock_guard lock(mutex_);
  Pending pending;
  const auto kept = persistent_.find(request);
  if (kept != persistent_.end()) {
    if (!kept->second.active) return;
    kept->second.active = false;
    pending = kept->second.pending;
  } else {
    // MPI may use one handle for many requests that ended at once; any of them will do.
    const auto found = requests_.find(request);
    if (found == requests_.end()) return;  // not ours: file access, generalised requests
    pending = found->second;
    requests_.erase(found);
  }
  write_compute(thread);
  add_to(thread.frontier, finish_pending(pending, status));
}

void Recorder::observed_complete(ThreadOrder& thread, MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(request);
  if (found == requests_.end()) return;
  write_compute(thread);
  add_to(thread.frontier, found->second.node);
}

void Recorder::request_freed(MPI_Request request) {
  const std::lock_guard lock(mutex_);
  const auto kept = persistent_.find(request);
  const auto found = requests_.find(request);
  const bool receiving = (kept != persistent_.end() && kept->second.active &&
                          kept->second.pending.kind == Waiting::kReceive) ||
                         (found != requests_.end() && found->second.kind == Waiting::kReceive);
  if (receiving) refuse("MPI_Request_free of an active receive hides what it received");
  if (kept != persistent_.end()) persistent_.erase(kept);
  if (found != requests_.end()) requests_.erase(found);
}

void Recorder::matched(MPI_Message message, MPI_Comm comm) {
  if (message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC) return;
  const std::lock_guard lock(mutex_);
  messages_[message] = comm;
}

MPI_Comm Recorder::comm_of(MPI_Message message) {
  if (message == MPI_MESSAGE_NO_PROC) return MPI_COMM_NULL;
  const std::lock_guard lock(mutex_);
  const auto found = messages_.find(message);
  if (found == messages_.end()) refuse("a matched message whose probe was not seen");
  const MPI_Comm comm = found->second;
  messages_.erase(found);
  return comm;
}

void Recorder::comm_created(MPI_Comm comm) {
  const std::lock_guard lock(mutex_);
  try {
    groups_.created(comm);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
}

void Recorder::comm_freed(MPI_Comm comm) {
  const std::lock_guard lock(mutex_);
  groups_.freed(comm);
}

CommunicatorPtr Recorder::group_of(MPI_Comm comm, const char* name) {
  const std::lock_guard lock(mutex_);
  CommunicatorPtr result = communicator(comm);
  if (result->inter) refuse(std::string(name) + " on an inter-communicator has no Chakra type");
  return result;
}

Hook::Hook() : recorder_(Recorder::instance()), thread_(this_thread()) {
  active_ = thread_.depth++ == 0 && recorder_.running();
  if (active_) recorder_.enter(thread_);
}

Hook::~Hook() {
  if (active_) recorder_.leave(thread_);
  --thread_.depth;
}

int Hook::collective(int result, const CollectiveCall& call, MPI_Request* request) const {
  if (active_ && result == MPI_SUCCESS) recorder_.collective(thread_, call, request);
  return result;
}

int Hook::send(int result, const MessageCall& call, MPI_Request* request) const {
  if (active_ && result == MPI_SUCCESS) recorder_.send(thread_, call, request);
  return result;
}

std::uint64_t bytes_of(int count, MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

}  // namespace sluice::recorder
