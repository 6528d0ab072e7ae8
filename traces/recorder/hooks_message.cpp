// SPDX-License-Identifier: Apache-2.0
// Hooks of point-to-point calls: blocking, nonblocking, persistent, matched probes.
// Leaves out: how a send is buffered; every mode is recorded as a send of its size.
#include "recorder/recorder.h"

using sluice::recorder::bytes_of;
using sluice::recorder::Hook;
using sluice::recorder::MessageCall;
using sluice::recorder::NodeId;

namespace {

MessageCall sending(const char* name, int count, MPI_Datatype type, int to, int tag,
                    MPI_Comm comm) {
  return {name, true, comm, bytes_of(count, type), to, tag};
}

MessageCall receiving(const char* name, int from, MPI_Comm comm) {
  return {name, false, comm, 0, from, MPI_ANY_TAG};  // source, tag and size come with the status
}

/// Runs `call` with a status of its own where the caller wants none.
template <typename Call>
int blocking_receive(const Hook& hook, const MessageCall& description, MPI_Status* status,
                     Call call, const MessageCall* also_sent = nullptr) {
  MPI_Status own{};
  MPI_Status* const used = status == MPI_STATUS_IGNORE ? &own : status;
  if (!hook.active()) return call(used);
  const NodeId node = hook.recorder().open_receive(hook.thread(), description);
  const int result = call(used);
  if (result == MPI_SUCCESS)
    hook.recorder().close_receive(hook.thread(), node, *used, also_sent);
  else
    hook.recorder().abandon_receive(node);
  return result;
}

template <typename Call>
int nonblocking_receive(const Hook& hook, const MessageCall& description, MPI_Request* request,
                        Call call) {
  if (!hook.active()) return call();
  const NodeId node = hook.recorder().open_receive(hook.thread(), description);
  const int result = call();
  if (result == MPI_SUCCESS)
    hook.recorder().track_receive(node, *request);
  else
    hook.recorder().abandon_receive(node);
  return result;
}

int prepared(const Hook& hook, int result, const MessageCall& call, const MPI_Request* request) {
  if (hook.active() && result == MPI_SUCCESS) hook.recorder().persistent(call, *request);
  return result;
}

}  // namespace

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Hook hook;
  return hook.send(PMPI_Send(data, count, type, to, tag, comm),
                   sending("MPI_Send", count, type, to, tag, comm));
}

int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Hook hook;
  return hook.send(PMPI_Ssend(data, count, type, to, tag, comm),
                   sending("MPI_Ssend", count, type, to, tag, comm));
}

int MPI_Bsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Hook hook;
  return hook.send(PMPI_Bsend(data, count, type, to, tag, comm),
                   sending("MPI_Bsend", count, type, to, tag, comm));
}

int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const Hook hook;
  return hook.send(PMPI_Rsend(data, count, type, to, tag, comm),
                   sending("MPI_Rsend", count, type, to, tag, comm));
}

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Hook hook;
  return hook.send(PMPI_Isend(data, count, type, to, tag, comm, request),
                   sending("MPI_Isend", count, type, to, tag, comm), request);
}

int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const Hook hook;
  return hook.send(PMPI_Issend(data, count, type, to, tag, comm, request),
                   sending("MPI_Issend", count, type, to, tag, comm), request);
}

int MPI_Ibsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const Hook hook;
  return hook.send(PMPI_Ibsend(data, count, type, to, tag, comm, request),
                   sending("MPI_Ibsend", count, type, to, tag, comm), request);
}

int MPI_Irsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  const Hook hook;
  return hook.send(PMPI_Irsend(data, count, type, to, tag, comm, request),
                   sending("MPI_Irsend", count, type, to, tag, comm), request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  const Hook hook;
  return blocking_receive(hook, receiving("MPI_Recv", from, comm), status, [&](MPI_Status* used) {
    return PMPI_Recv(data, count, type, from, tag, comm, used);
  });
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Hook hook;
  return nonblocking_receive(hook, receiving("MPI_Irecv", from, comm), request, [&] {
    return PMPI_Irecv(data, count, type, from, tag, comm, request);
  });
}

int MPI_Sendrecv(const void* send_data, int send_count, MPI_Datatype send_type, int to,
                 int send_tag, void* recv_data, int recv_count, MPI_Datatype recv_type, int from,
                 int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Hook hook;
  const MessageCall sent = sending("MPI_Sendrecv", send_count, send_type, to, send_tag, comm);
  return blocking_receive(
      hook, receiving("MPI_Sendrecv", from, comm), status,
      [&](MPI_Status* used) {
        return PMPI_Sendrecv(send_data, send_count, send_type, to, send_tag, recv_data, recv_count,
                             recv_type, from, recv_tag, comm, used);
      },
      &sent);
}

int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int recv_tag, MPI_Comm comm, MPI_Status* status) {
  const Hook hook;
  const MessageCall sent = sending("MPI_Sendrecv_replace", count, type, to, send_tag, comm);
  return blocking_receive(
      hook, receiving("MPI_Sendrecv_replace", from, comm), status,
      [&](MPI_Status* used) {
        return PMPI_Sendrecv_replace(data, count, type, to, send_tag, from, recv_tag, comm, used);
      },
      &sent);
}

int MPI_Send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const Hook hook;
  return prepared(hook, PMPI_Send_init(data, count, type, to, tag, comm, request),
                  sending("MPI_Start(send)", count, type, to, tag, comm), request);
}

int MPI_Ssend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  const Hook hook;
  return prepared(hook, PMPI_Ssend_init(data, count, type, to, tag, comm, request),
                  sending("MPI_Start(ssend)", count, type, to, tag, comm), request);
}

int MPI_Bsend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  const Hook hook;
  return prepared(hook, PMPI_Bsend_init(data, count, type, to, tag, comm, request),
                  sending("MPI_Start(bsend)", count, type, to, tag, comm), request);
}

int MPI_Rsend_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  const Hook hook;
  return prepared(hook, PMPI_Rsend_init(data, count, type, to, tag, comm, request),
                  sending("MPI_Start(rsend)", count, type, to, tag, comm), request);
}

int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  const Hook hook;
  return prepared(hook, PMPI_Recv_init(data, count, type, from, tag, comm, request),
                  receiving("MPI_Start(recv)", from, comm), request);
}

int MPI_Start(MPI_Request* request) {
  const Hook hook;
  // Started in the trace first: a receive keeps the place of its posting.
  if (hook.active()) hook.recorder().started(hook.thread(), *request);
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
  const Hook hook;
  for (int i = 0; hook.active() && i < count; ++i)
    hook.recorder().started(hook.thread(), requests[i]);
  return PMPI_Startall(count, requests);
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const Hook hook;  // no node; the time spent looking is not compute
  return PMPI_Probe(from, tag, comm, status);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Hook hook;
  return PMPI_Iprobe(from, tag, comm, flag, status);
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const Hook hook;
  const int result = PMPI_Mprobe(from, tag, comm, message, status);
  if (hook.active() && result == MPI_SUCCESS) hook.recorder().matched(*message, comm);
  return result;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                MPI_Status* status) {
  const Hook hook;
  const int result = PMPI_Improbe(from, tag, comm, flag, message, status);
  if (hook.active() && result == MPI_SUCCESS && *flag != 0) hook.recorder().matched(*message, comm);
  return result;
}

int MPI_Mrecv(void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const Hook hook;
  if (!hook.active()) return PMPI_Mrecv(data, count, type, message, status);
  const MPI_Comm comm = hook.recorder().comm_of(*message);
  const int from = comm == MPI_COMM_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE;
  return blocking_receive(hook, receiving("MPI_Mrecv", from, comm), status, [&](MPI_Status* used) {
    return PMPI_Mrecv(data, count, type, message, used);
  });
}

int MPI_Imrecv(void* data, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Request* request) {
  const Hook hook;
  if (!hook.active()) return PMPI_Imrecv(data, count, type, message, request);
  const MPI_Comm comm = hook.recorder().comm_of(*message);
  const int from = comm == MPI_COMM_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE;
  return nonblocking_receive(hook, receiving("MPI_Imrecv", from, comm), request,
                             [&] { return PMPI_Imrecv(data, count, type, message, request); });
}

}  // extern "C"
