// SPDX-License-Identifier: Apache-2.0
// The kinds of trace, told apart by content, and the importer of each.
// Leaves out: file names, which say nothing reliable but the rank.
#pragma once

#include <vector>

#include "trace/source.h"
#include "trace/trace.h"

namespace sluice {

enum class TraceFormat : std::uint8_t { kChakra, kChakraJson, kNcclLog, kCapture };

/// Looks at the first bytes. Throws TraceError with what the file is when it is no trace we read.
TraceFormat detect_format(const TraceSource& source);

/// `formats` has one entry a source, kChakra or kChakraJson; a source a rank.
TraceImport import_chakra(const std::vector<TraceSource>& sources,
                          const std::vector<TraceFormat>& formats,
                          const std::vector<TraceSource>& side_files, const std::string& name);

/// Lines of all ranks, in one source or many.
TraceImport import_nccl_log(const std::vector<TraceSource>& sources, const std::string& name);

/// Messages of RoCEv2 flows; pcapng or pcap.
TraceImport import_capture(const TraceSource& source, const std::string& name);

}  // namespace sluice
