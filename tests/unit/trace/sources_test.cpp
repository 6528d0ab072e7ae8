// SPDX-License-Identifier: Apache-2.0
// Files, folders and archives of traces, and files that are no trace.
// Leaves out: the formats themselves.
#include <archive.h>
#include <archive_entry.h>

#include "trace/source.h"
#include "unit/trace/trace_files.h"

namespace sluice {
namespace {

using testing::chakra_file;
using testing::collective;
using testing::contains;

class Sources : public testing::TraceFolder {
 protected:
  using Members = std::vector<std::pair<std::string, std::string>>;

  std::filesystem::path pack(const std::string& name, const Members& members,
                             void (*configure)(struct archive*)) const {
    const auto path = folder_ / name;
    struct archive* a = archive_write_new();
    configure(a);
    archive_write_open_filename(a, path.c_str());
    for (const auto& [member, content] : members) {
      struct archive_entry* entry = archive_entry_new();
      archive_entry_set_pathname(entry, member.c_str());
      archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
      archive_entry_set_filetype(entry, AE_IFREG);
      archive_entry_set_perm(entry, 0644);
      archive_write_header(a, entry);
      archive_write_data(a, content.data(), content.size());
      archive_entry_free(entry);
    }
    archive_write_free(a);
    return path;
  }
  static void tar_gz(struct archive* a) {
    archive_write_set_format_pax_restricted(a);
    archive_write_add_filter_gzip(a);
  }
  static void zip(struct archive* a) { archive_write_set_format_zip(a); }
  static void raw_gz(struct archive* a) {
    archive_write_set_format_raw(a);
    archive_write_add_filter_gzip(a);
  }

  static Members two_ranks() {
    const std::string file = chakra_file({collective(0, 0, 8)});
    return {{"x/t.0.et", file}, {"x/._t.0.et", "AppleDouble"}, {"x/t.1.et", file}};
  }
};

TEST_F(Sources, ArchivesAreReadAndAppleDoubleMembersIgnored) {
  EXPECT_EQ(import_trace({pack("a.tar.gz", two_ranks(), tar_gz)}).workload.rank_count(), 2U);
  EXPECT_EQ(import_trace({pack("a.zip", two_ranks(), zip)}).workload.rank_count(), 2U);
}

TEST_F(Sources, ASideFileInsideAnArchiveCounts) {
  Members members = {{"x/t.0.et", chakra_file({collective(0, 0, 8).text("pg_name", "g")})},
                     {"x/t.1.et", chakra_file({collective(0, 0, 8)})},
                     {"x/comm_group.json", R"({"g": [0]})"}};
  const TraceImport trace = import_trace({pack("a.tar.gz", members, tar_gz)});
  const Op& op = trace.workload.ranks[0].ops.at(0);
  EXPECT_EQ(trace.workload.groups.at(op.group).ranks, std::vector<std::uint32_t>{0});
}

TEST_F(Sources, CompressedFilesInAFolderAreARankEach) {
  for (const char* name : {"t.0.et.gz", "t.1.et.gz"})
    pack(name, {{"data", chakra_file({collective(0, 0, 8)})}}, raw_gz);
  EXPECT_EQ(import().workload.rank_count(), 2U);
}

TEST_F(Sources, AnArchiveCutInHalfIsRefused) {
  std::string noise;
  for (std::uint32_t i = 0, x = 1; i < 200000; ++i, x = x * 1664525 + 1013904223)
    noise += static_cast<char>(x >> 24);
  const auto path = pack("a.tar.gz", {{"t.0.et", noise}}, tar_gz);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const std::string text = error_of({path});
  EXPECT_TRUE(contains(text, "a.tar.gz: byte ")) << text;
  EXPECT_TRUE(contains(text, "truncated")) << text;
}

TEST_F(Sources, ACutInTheFirstBlockNamesNoImpossiblePosition) {
  const auto path = pack("a.tar.gz", two_ranks(), tar_gz);
  std::filesystem::resize_file(path, 100);
  const std::string text = error_of({path});
  EXPECT_TRUE(contains(text, "a.tar.gz: ")) << text;
  EXPECT_TRUE(contains(text, "truncated")) << text;
  EXPECT_FALSE(contains(text, "byte -1")) << text;
}

TEST_F(Sources, WhatIsNoTraceIsNamed) {
  const auto refused = [&](const std::string& content, const std::string& what) {
    const std::string text = error_of({write("f", content)});
    EXPECT_TRUE(contains(text, what)) << text;
    EXPECT_TRUE(contains(text, (folder_ / "f").string())) << text;
  };
  refused("", "byte 0: the file is empty");
  refused("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS pointer");
  refused(std::string("\xd4\xc3\xb2\xa1\x02\x00\x04\x00", 8),
          "byte 8: the file ends in its head of 24 B");
  refused("num_ranks 2\nrank 0 {\n}\n", "a GOAL schedule");
  refused("<!DOCTYPE html><html>", "an HTML page");
  refused(std::string("\x80\x04\x95\x10\x00\x00\x00\x00", 8), "a Python pickle");
  refused(std::string(100, '\0'), "binary data of an unknown kind");
  refused("hello\r\nworld\r\n", "without a line that says 'NCCL INFO'");
}

TEST_F(Sources, MissingPathsAndEmptyFoldersAreNamed) {
  EXPECT_TRUE(contains(error_of({folder_ / "none"}), "no such file"));
  EXPECT_TRUE(contains(error_of({folder_}), "directory without a trace file"));
}

TEST_F(Sources, KindsDoNotMix) {
  write("a.log", "n:1:1 [0] NCCL INFO hello\n");
  const std::string text =
      error_of({folder_ / "a.log", write("t.0.et", chakra_file({collective(0, 0, 8)}))});
  EXPECT_TRUE(contains(text, "cannot be one trace")) << text;
}

TEST_F(Sources, FilesOfOtherKindsBesideEtFilesAreNotedOnly) {
  write("t.0.et", chakra_file({collective(0, 0, 8)}));
  write("README.md", "text");
  EXPECT_TRUE(contains(import().notes.back(), "README.md"));
}

TEST_F(Sources, RankTenComesAfterRankNine) {
  for (int rank = 0; rank < 11; ++rank)
    write(fmt::format("t.{}.et", rank), chakra_file({collective(0, 0, 8)}));
  const TraceSources sources = find_sources({folder_});
  EXPECT_EQ(sources.traces.at(2).base, "t.2.et");
  EXPECT_EQ(sources.traces.at(10).base, "t.10.et");
}

TEST_F(Sources, LinesAreCutAtBothKindsOfEnds) {
  TraceSource source{"x", "x", {}, "a\r\nb\n\nlast"};
  ByteReader reader(source);
  std::vector<std::string> lines;
  for (std::string line; reader.read_line(line);) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "", "last"}));
}

}  // namespace
}  // namespace sluice
