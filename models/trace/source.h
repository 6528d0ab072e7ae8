// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a trace come from: files, read as a stream, or archive members, held in
// memory. Leaves out: what the bytes mean.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

/// A file or an archive member, not opened yet.
struct TraceSource {
  std::string name;            ///< for messages: "dir/a.0.et" or "a.tar.gz:x/a.0.et"
  std::string base;            ///< last part of its name, without a compression suffix
  std::filesystem::path file;  ///< empty when in memory
  std::string memory;
};

/// What was found under the given paths.
struct TraceSources {
  std::vector<TraceSource> traces;      ///< in order of name, numbers by value
  std::vector<TraceSource> side_files;  ///< comm_group.json
  std::vector<std::string> ignored;     ///< names of files that are no part of a trace
};

/// Walks files, directories (not below their first level) and archives (.tar, .zip, .gz, .zst, …;
/// whole in memory, at most 1 GiB). `._*` members, hidden files and, beside .et files, files of
/// other kinds are no part of a trace.
TraceSources find_sources(const std::vector<std::filesystem::path>& paths);

/// Forward reader with a bounded buffer.
class ByteReader {
 public:
  explicit ByteReader(const TraceSource& source);
  ByteReader(const ByteReader&) = delete;
  ByteReader& operator=(const ByteReader&) = delete;

  const std::string& name() const { return source_.name; }
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t left() const { return size_ - position_; }

  /// The next `n` bytes, fewer at the end; `n` at most 64 KiB.
  std::string_view peek(std::size_t n);
  /// Next byte, or -1 at the end.
  int get();
  /// Fills `to` with the next `n` bytes; the caller has checked them against left().
  void read(std::string& to, std::size_t n);
  /// Next line without its end ("\n" or "\r\n"); false at the end. What goes beyond 1 MiB is
  /// dropped.
  bool read_line(std::string& line);

 private:
  bool refill();

  const TraceSource& source_;
  std::ifstream stream_;
  std::string buffer_;
  std::string_view ahead_;  ///< bytes read but not consumed
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace sluice
