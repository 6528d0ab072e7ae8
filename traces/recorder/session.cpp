// SPDX-License-Identifier: Apache-2.0
// The life of a recording: opens the rank's file after MPI_Init, closes it before MPI_Finalize.
// Leaves out: programs that end without MPI_Finalize; their files stop where the buffer stood.
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "recorder/recorder.h"

namespace sluice::recorder {
namespace {

// Chakra v0.0.4: GlobalMetadata.version; its attr has the number of Node.attr shifted to 2.
constexpr unsigned kMetadataVersion = 1;
constexpr char kSchemaVersion[] = "0.0.4";

/// DIR/NAME where NAME is the last part of DIR; the directory is made if it is missing.
std::string output_prefix() {
  const char* wish = std::getenv("SLUICE_RECORD_DIR");
  std::string dir = wish != nullptr && *wish != '\0' ? wish : "recorded";
  while (dir.size() > 1 && dir.back() == '/') dir.pop_back();
  const std::size_t slash = dir.rfind('/');
  return dir + '/' + (slash == std::string::npos ? dir : dir.substr(slash + 1));
}

std::string directory_of(const std::string& prefix) { return prefix.substr(0, prefix.rfind('/')); }

}  // namespace

Recorder& Recorder::instance() {
  // Never destroyed: hooks may still run while the process takes itself down.
  static Recorder* const recorder = new Recorder;
  return *recorder;
}

void Recorder::refuse(const std::string& what) {
  std::fprintf(stderr, "sluice recorder: rank %d: %s\n", rank_, what.c_str());
  PMPI_Abort(MPI_COMM_WORLD, 3);
  std::abort();
}

void Recorder::start() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  prefix_ = output_prefix();
  const std::string dir = directory_of(prefix_);
  if (mkdir(dir.c_str(), 0777) != 0 && errno != EEXIST)
    refuse("cannot make directory " + dir + ": " + std::strerror(errno));
  const std::string path = prefix_ + '.' + std::to_string(rank_) + ".et";
  Bytes metadata;
  put_string(metadata, kMetadataVersion, kSchemaVersion);
  if (!file_.open(path, metadata)) refuse("cannot write " + path + ": " + std::strerror(errno));
  groups_.created(MPI_COMM_WORLD);
  groups_.created(MPI_COMM_SELF);
  running_ = true;
}

void Recorder::finish() {
  std::unique_lock lock(mutex_);
  if (main_thread_ != nullptr) write_compute(*main_thread_);
  running_ = false;
  if (!open_receives_.empty()) {
    std::fprintf(stderr, "sluice recorder: rank %d: %zu receives never completed, not recorded\n",
                 rank_, open_receives_.size());
    while (!open_receives_.empty()) {
      file_.drop(open_receives_.begin()->first);
      open_receives_.erase(open_receives_.begin());
    }
  }
  if (file_.written() + file_.dropped() != operations_ + compute_nodes_)
    refuse("recorded " + std::to_string(file_.written()) + " nodes and dropped " +
           std::to_string(file_.dropped()) + ", expected " +
           std::to_string(operations_ + compute_nodes_));
  if (!file_.close()) refuse("could not write all of " + prefix_ + '.' + std::to_string(rank_));
  write_group_file();
}

void Recorder::write_group_file() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string mine = groups_.lines();
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets(lengths.size());
  int total = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    offsets[i] = total;
    total += lengths[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
               0, MPI_COMM_WORLD);
  if (rank_ != 0) return;
  const std::string path = directory_of(prefix_) + "/comm_group.json";
  try {
    std::ofstream out(path);
    out << comm_group_json(all);
    if (!out.flush()) refuse("cannot write " + path);
  } catch (const std::runtime_error& error) {
    refuse(error.what());
  }
}

}  // namespace sluice::recorder
