// SPDX-License-Identifier: Apache-2.0
// Archives and compressed files, unpacked in memory.
// Leaves out: writing, encryption, archives inside archives.
#include "trace/archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxUnpacked = std::size_t{1} << 30;
constexpr std::size_t kBlock = 256 * 1024;

struct ArchiveCloser {
  void operator()(struct archive* a) const { archive_read_free(a); }
};
using ArchivePtr = std::unique_ptr<struct archive, ArchiveCloser>;

[[noreturn]] void refuse(const std::filesystem::path& path, struct archive* a) {
  const char* text = archive_error_string(a);
  // Bytes read from the file; unknown (-1) once a filter has given up.
  const std::int64_t at = archive_filter_bytes(a, -1);
  throw TraceError(fmt::format("{}: {}damaged or truncated archive: {}", path.string(),
                               at < 0 ? std::string() : fmt::format("byte {}: ", at),
                               text == nullptr ? "unknown" : text));
}

std::string base_of(const std::string& member) {
  return std::filesystem::path(member).filename().string();
}

}  // namespace

bool is_archive(std::string_view head) {
  using namespace std::string_view_literals;
  for (const std::string_view magic : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv, "PK\x03\x04"sv, "BZh"sv,
                                       "\xfd"
                                       "7zXZ\0"sv,
                                       "7z\xbc\xaf\x27\x1c"sv})
    if (head.substr(0, magic.size()) == magic) return true;
  return head.size() >= 262 && head.substr(257, 5) == "ustar";
}

std::string without_compression_suffix(const std::string& base) {
  for (const std::string_view suffix : {".gz", ".zst", ".bz2", ".xz"})
    if (base.size() > suffix.size() && base.ends_with(suffix))
      return base.substr(0, base.size() - suffix.size());
  return base;
}

std::vector<TraceSource> read_archive(const std::filesystem::path& path) {
  const ArchivePtr a(archive_read_new());
  archive_read_support_filter_all(a.get());
  archive_read_support_format_all(a.get());
  archive_read_support_format_raw(a.get());
  if (archive_read_open_filename(a.get(), path.c_str(), kBlock) != ARCHIVE_OK)
    refuse(path, a.get());
  std::vector<TraceSource> members;
  std::size_t total = 0;
  struct archive_entry* entry = nullptr;
  for (;;) {
    const int status = archive_read_next_header(a.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) refuse(path, a.get());
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    const bool raw = archive_format(a.get()) == ARCHIVE_FORMAT_RAW;
    const char* given = archive_entry_pathname(entry);
    const std::string member =
        raw || given == nullptr ? without_compression_suffix(path.filename().string()) : given;
    TraceSource source{raw ? path.string() : path.string() + ":" + member, base_of(member), {}, {}};
    if (source.base.starts_with(".")) continue;
    std::array<char, 65536> block;
    for (;;) {
      const auto got = archive_read_data(a.get(), block.data(), block.size());
      if (got < 0) refuse(path, a.get());
      if (got == 0) break;
      total += static_cast<std::size_t>(got);
      if (total > kMaxUnpacked)
        throw TraceError(fmt::format("{}: unpacks to more than {} B; unpack it to files first",
                                     path.string(), kMaxUnpacked));
      source.memory.append(block.data(), static_cast<std::size_t>(got));
    }
    members.push_back(std::move(source));
  }
  if (members.empty()) throw TraceError(fmt::format("{}: archive without a file", path.string()));
  return members;
}

}  // namespace sluice
