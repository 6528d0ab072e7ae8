// SPDX-License-Identifier: Apache-2.0
// Hooks of the calls that complete requests: what follows them depends on what they completed.
// Leaves out: unsuccessful tests (no node; compute around them is one gap up to the next node).
#include <vector>

#include "recorder/recorder.h"

using sluice::recorder::Hook;

namespace {

/// Handles as they were before MPI overwrites them, and statuses where the caller wants none.
class Watched {
 public:
  Watched(int count, const MPI_Request requests[], MPI_Status statuses[])
      : requests_(requests, requests + count),
        own_(statuses == MPI_STATUSES_IGNORE ? static_cast<std::size_t>(count) : 0),
        statuses_(statuses == MPI_STATUSES_IGNORE ? own_.data() : statuses) {}

  MPI_Status* statuses() { return statuses_; }
  /// `request` ended, `status` is the status of it.
  void completed(const Hook& hook, int request, int status) const {
    if (hook.active())
      hook.recorder().completed(hook.thread(), requests_[static_cast<std::size_t>(request)],
                                statuses_[status]);
  }
  void all_completed(const Hook& hook) const {
    for (int i = 0; i < static_cast<int>(requests_.size()); ++i) completed(hook, i, i);
  }
  /// Waitsome and Testsome put statuses in the order of `indices`.
  void some_completed(const Hook& hook, int count, const int indices[]) const {
    if (count == MPI_UNDEFINED) return;
    for (int i = 0; i < count; ++i) completed(hook, indices[i], i);
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> own_;
  MPI_Status* statuses_;
};

}  // namespace

extern "C" {

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const Hook hook;
  Watched watched(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
  const int result = PMPI_Wait(request, watched.statuses());
  if (result == MPI_SUCCESS) watched.all_completed(hook);
  return result;
}

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const Hook hook;
  Watched watched(1, request, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
  const int result = PMPI_Test(request, flag, watched.statuses());
  if (result == MPI_SUCCESS && *flag != 0) watched.all_completed(hook);
  return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const Hook hook;
  Watched watched(count, requests, statuses);
  const int result = PMPI_Waitall(count, requests, watched.statuses());
  if (result == MPI_SUCCESS) watched.all_completed(hook);
  return result;
}

int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  const Hook hook;
  Watched watched(count, requests, statuses);
  const int result = PMPI_Testall(count, requests, flag, watched.statuses());
  if (result == MPI_SUCCESS && *flag != 0) watched.all_completed(hook);
  return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const Hook hook;
  MPI_Status own{};
  Watched watched(count, requests, status == MPI_STATUS_IGNORE ? &own : status);
  const int result = PMPI_Waitany(count, requests, index, watched.statuses());
  if (result == MPI_SUCCESS && *index != MPI_UNDEFINED) watched.completed(hook, *index, 0);
  return result;
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  const Hook hook;
  MPI_Status own{};
  Watched watched(count, requests, status == MPI_STATUS_IGNORE ? &own : status);
  const int result = PMPI_Testany(count, requests, index, flag, watched.statuses());
  if (result == MPI_SUCCESS && *flag != 0 && *index != MPI_UNDEFINED)
    watched.completed(hook, *index, 0);
  return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
  const Hook hook;
  Watched watched(count, requests, statuses);
  const int result = PMPI_Waitsome(count, requests, done, indices, watched.statuses());
  if (result == MPI_SUCCESS) watched.some_completed(hook, *done, indices);
  return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
  const Hook hook;
  Watched watched(count, requests, statuses);
  const int result = PMPI_Testsome(count, requests, done, indices, watched.statuses());
  if (result == MPI_SUCCESS) watched.some_completed(hook, *done, indices);
  return result;
}

int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  const Hook hook;
  const int result = PMPI_Request_get_status(request, flag, status);
  if (hook.active() && result == MPI_SUCCESS && *flag != 0)
    hook.recorder().observed_complete(hook.thread(), request);
  return result;
}

int MPI_Request_free(MPI_Request* request) {
  const Hook hook;
  if (hook.active()) hook.recorder().request_freed(*request);
  return PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request* request) {
  const Hook hook;  // whether it was cancelled shows when it completes
  return PMPI_Cancel(request);
}

}  // extern "C"
