// SPDX-License-Identifier: Apache-2.0
// From paths to a checked workload: find files, tell formats apart, import, account.
// Leaves out: each format's own meaning.
#include "trace/trace.h"

#include "kernel/error.h"
#include "trace/formats.h"
#include "trace/source.h"

namespace sluice {
namespace {

void close_ledger(Workload& workload) {
  Ledger& ledger = workload.ledger;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
    for (const Op& op : workload.ranks[rank].ops)
      ledger.bytes_in += bytes_put_in(workload, rank, op);
}

std::string name_of(const std::vector<std::filesystem::path>& paths) {
  std::string name = paths.front().string();
  if (paths.size() > 1) name += fmt::format(" and {} more", paths.size() - 1);
  return name;
}

/// Names from a damaged file may hold anything; a message is one line of text.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

std::string_view kind_of(TraceFormat format) {
  if (format == TraceFormat::kNcclLog) return "an NCCL log";
  return format == TraceFormat::kCapture ? "a capture" : "a Chakra trace";
}

TraceImport import_as(const std::vector<TraceFormat>& formats, const TraceSources& sources,
                      const std::string& name) {
  if (formats.front() == TraceFormat::kNcclLog) return import_nccl_log(sources.traces, name);
  if (formats.front() != TraceFormat::kCapture) {
    return import_chakra(sources.traces, formats, sources.side_files, name);
  }
  if (sources.traces.size() == 1) return import_capture(sources.traces.front(), name);
  throw TraceError(fmt::format("{}: {} captures given, expected one: their clocks may differ",
                               sources.traces[1].name, sources.traces.size()));
}

TraceImport import_all(const std::vector<std::filesystem::path>& paths) {
  if (paths.empty()) throw TraceError("no trace given");
  const TraceSources sources = find_sources(paths);
  if (sources.traces.empty())
    throw TraceError(fmt::format("{}: no trace file", paths.front().string()));
  std::vector<TraceFormat> formats;
  for (const TraceSource& source : sources.traces) {
    formats.push_back(detect_format(source));
    if (kind_of(formats.back()) == kind_of(formats.front())) continue;
    throw TraceError(fmt::format("{}: {} and {} cannot be one trace: {} is of the other kind",
                                 source.name, kind_of(formats.back()), kind_of(formats.front()),
                                 sources.traces.front().name));
  }
  const std::string name = name_of(paths);
  TraceImport result = import_as(formats, sources, name);
  close_ledger(result.workload);
  if (!sources.ignored.empty())
    result.notes.push_back(fmt::format("{} files or folders are no part of the trace: {}{}",
                                       sources.ignored.size(), sources.ignored.front(),
                                       sources.ignored.size() > 1 ? ", …" : ""));
  validate(result.workload);
  return result;
}

}  // namespace

TraceImport import_trace(const std::vector<std::filesystem::path>& paths) {
  try {
    return import_all(paths);
  } catch (const TraceError& error) {
    throw TraceError(one_line(error.what()));
  }
}

}  // namespace sluice
