// SPDX-License-Identifier: Apache-2.0
// Archives and compressed files, unpacked in memory.
// Leaves out: writing, encryption, archives inside archives.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "trace/source.h"

namespace sluice {

/// True when the first bytes of a file (512 of them, if it has as many) are those of an archive or
/// of a compressed file.
bool is_archive(std::string_view head);

/// All regular members. Throws TraceError on a damaged archive or above 1 GiB.
std::vector<TraceSource> read_archive(const std::filesystem::path& path);

/// "rank0.log" of "rank0.log.gz".
std::string without_compression_suffix(const std::string& base);

}  // namespace sluice
