// SPDX-License-Identifier: Apache-2.0
// Finds the files of a trace and reads them as a stream.
// Leaves out: what the bytes mean.
#include "trace/source.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "kernel/error.h"
#include "trace/archive.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = 256 * 1024;
constexpr std::size_t kMaxLine = 1024 * 1024;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Numbers inside names by value, so that rank 10 comes after rank 9.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      while (i < a.size() && a[i] == '0') ++i;
      while (j < b.size() && b[j] == '0') ++j;
      std::size_t ie = i;
      std::size_t je = j;
      while (ie < a.size() && is_digit(a[ie])) ++ie;
      while (je < b.size() && is_digit(b[je])) ++je;
      if (ie - i != je - j) return ie - i < je - j;
      const int order = a.compare(i, ie - i, b, j, je - j);
      if (order != 0) return order < 0;
      i = ie;
      j = je;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;
}

bool is_side_file(const std::string& base) { return base.ends_with("comm_group.json"); }

std::string head_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string head(512, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

class Finder {
 public:
  void add_path(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
      throw TraceError(fmt::format("{}: no such file or directory", path.string()));
    if (fs::is_directory(status)) {
      add_directory(path);
    } else if (fs::is_regular_file(status)) {
      add_file(path, found_);
      add_group_file_beside(path);
    } else {
      throw TraceError(fmt::format("{}: neither a file nor a directory", path.string()));
    }
  }

  TraceSources take() {
    const auto by_name = [](const TraceSource& a, const TraceSource& b) {
      return natural_less(a.name, b.name);
    };
    std::stable_sort(found_.traces.begin(), found_.traces.end(), by_name);
    return std::move(found_);
  }

 private:
  static void place(TraceSource source, TraceSources& to) {
    (is_side_file(source.base) ? to.side_files : to.traces).push_back(std::move(source));
  }

  static void add_file(const fs::path& path, TraceSources& to) {
    if (is_archive(head_of(path))) {
      TraceSources members;
      for (TraceSource& member : read_archive(path)) place(std::move(member), members);
      keep_traces_only(members);
      append(std::move(members), to);
      return;
    }
    place({path.string(), path.filename().string(), path, {}}, to);
  }

  /// Beside .et files, files of other kinds (notes, reports) are no part of the trace.
  static void keep_traces_only(TraceSources& set) {
    const auto is_et = [](const TraceSource& s) { return s.base.ends_with(".et"); };
    if (std::none_of(set.traces.begin(), set.traces.end(), is_et)) return;
    const auto rest = std::stable_partition(set.traces.begin(), set.traces.end(), is_et);
    for (auto at = rest; at != set.traces.end(); ++at) set.ignored.push_back(at->name);
    set.traces.erase(rest, set.traces.end());
  }

  static void append(TraceSources&& from, TraceSources& to) {
    for (TraceSource& source : from.traces) to.traces.push_back(std::move(source));
    for (TraceSource& source : from.side_files) to.side_files.push_back(std::move(source));
    for (std::string& name : from.ignored) to.ignored.push_back(std::move(name));
  }

  void add_directory(const fs::path& path) {
    TraceSources inside;
    std::error_code error;
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      const std::string base = entry.path().filename().string();
      if (base.starts_with(".")) continue;
      if (entry.is_regular_file()) {
        files.push_back(entry.path());
      } else {
        inside.ignored.push_back(entry.path().string());
      }
    }
    if (error)
      throw TraceError(fmt::format("{}: cannot be listed: {}", path.string(), error.message()));
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) add_file(file, inside);
    keep_traces_only(inside);
    if (inside.traces.empty())
      throw TraceError(fmt::format("{}: directory without a trace file", path.string()));
    append(std::move(inside), found_);
  }

  void add_group_file_beside(const fs::path& path) {
    const fs::path beside = path.parent_path() / "comm_group.json";
    std::error_code error;
    if (!fs::is_regular_file(beside, error)) return;
    for (const TraceSource& known : found_.side_files)
      if (known.file == beside) return;
    found_.side_files.push_back({beside.string(), "comm_group.json", beside, {}});
  }

  TraceSources found_;
};

}  // namespace

TraceSources find_sources(const std::vector<std::filesystem::path>& paths) {
  Finder finder;
  for (const fs::path& path : paths) finder.add_path(path);
  return finder.take();
}

ByteReader::ByteReader(const TraceSource& source) : source_(source) {
  if (source.file.empty()) {
    size_ = source.memory.size();
    ahead_ = source.memory;
    return;
  }
  stream_.open(source.file, std::ios::binary);
  std::error_code error;
  size_ = fs::file_size(source.file, error);
  if (!stream_ || error)
    throw TraceError(fmt::format("{}: cannot be opened for reading", source.name));
}

bool ByteReader::refill() {
  if (source_.file.empty()) return false;
  std::string kept(ahead_);
  const std::size_t had = kept.size();
  kept.resize(had + kBuffer);
  stream_.read(kept.data() + had, kBuffer);
  kept.resize(had + static_cast<std::size_t>(stream_.gcount()));
  buffer_ = std::move(kept);
  ahead_ = buffer_;
  return ahead_.size() > had;
}

std::string_view ByteReader::peek(std::size_t n) {
  while (ahead_.size() < n && refill()) {
  }
  return ahead_.substr(0, n);
}

int ByteReader::get() {
  if (ahead_.empty() && !refill()) return -1;
  const auto byte = static_cast<unsigned char>(ahead_.front());
  ahead_.remove_prefix(1);
  ++position_;
  return byte;
}

void ByteReader::read(std::string& to, std::size_t n) {
  to.clear();
  while (to.size() < n) {
    if (ahead_.empty() && !refill())
      throw TraceError(fmt::format("{}: byte {}: the file became shorter while it was read",
                                   source_.name, position_));
    const std::size_t part = std::min(n - to.size(), ahead_.size());
    to.append(ahead_.substr(0, part));
    ahead_.remove_prefix(part);
    position_ += part;
  }
}

bool ByteReader::read_line(std::string& line) {
  line.clear();
  if (ahead_.empty() && !refill()) return false;
  for (;;) {
    const std::size_t end = ahead_.find('\n');
    const std::size_t part = std::min(end, ahead_.size());
    if (line.size() < kMaxLine) line.append(ahead_.substr(0, std::min(part, kMaxLine)));
    const std::size_t consumed = end == std::string_view::npos ? part : part + 1;
    ahead_.remove_prefix(consumed);
    position_ += consumed;
    if (end != std::string_view::npos || (ahead_.empty() && !refill())) break;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

}  // namespace sluice
