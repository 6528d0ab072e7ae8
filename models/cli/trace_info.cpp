// SPDX-License-Identifier: Apache-2.0
// `sluice trace info`: what is in a trace and what of it will be replayed, without a fabric.
// Leaves out: `trace convert`.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/capture_info.h"
#include "cli/cli.h"
#include "cli/command_parser.h"
#include "cli/words.h"
#include "kernel/error.h"
#include "trace/trace.h"

namespace sluice {
namespace {

constexpr std::string_view kExample = "build/release/sluice trace info traces/train-dp-8.tar.zst";

/// All ops of one kind, over all ranks. A send and its receive are counted apart.
struct KindRow {
  std::uint64_t count = 0;
  std::uint64_t smallest = UINT64_MAX;  ///< Op::bytes
  std::uint64_t largest = 0;
  std::uint64_t bytes_in = 0;
};

struct TraceSummary {
  std::map<OpKind, KindRow> kinds;
  std::uint64_t compute_ops = 0;
  Ps compute{};
};

TraceSummary summarise(const Workload& workload) {
  TraceSummary summary;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    for (const Op& op : workload.ranks[rank].ops) {
      if (op.kind == OpKind::kCompute) {
        ++summary.compute_ops;
        summary.compute += op.compute;
        continue;
      }
      KindRow& row = summary.kinds[op.kind];
      ++row.count;
      row.smallest = std::min(row.smallest, op.bytes);
      row.largest = std::max(row.largest, op.bytes);
      row.bytes_in += bytes_put_in(workload, rank, op);
    }
  }
  return summary;
}

std::string_view kind_name(OpKind kind) {
  if (kind == OpKind::kSend) return "send";
  if (kind == OpKind::kRecv) return "recv";
  return op_kind_name(kind);
}

std::string text_of(const TraceImport& trace) {
  const Workload& workload = trace.workload;
  const TraceSummary summary = summarise(workload);
  std::string text = fmt::format("{}: {}, {} ranks, {} groups\n", workload.source, trace.format,
                                 workload.rank_count(), workload.groups.size());
  constexpr auto kFormat = "{:<14} {:>10} {:>16} {:>16} {:>18}\n";
  text += fmt::format(kFormat, "op", "count", "smallest B", "largest B", "put in B");
  for (const auto& [kind, row] : summary.kinds) {
    text +=
        fmt::format(kFormat, kind_name(kind), row.count, row.smallest, row.largest, row.bytes_in);
  }
  text += fmt::format("compute        {} gaps, {:.3f} us over all ranks\n", summary.compute_ops,
                      summary.compute.microseconds());
  for (const Group& group : workload.groups) {
    text += fmt::format("group          {}: {} ranks\n", group.name, group.ranks.size());
  }
  const Ledger& ledger = workload.ledger;
  text +=
      fmt::format("ledger         {} B in, {} B skipped\n", ledger.bytes_in, ledger.bytes_skipped);
  for (const SkippedOps& skipped : ledger.skipped) {
    text += fmt::format("skipped        {} ops, {} B: {}\n", skipped.ops, skipped.bytes,
                        skipped.reason);
  }
  for (const std::string& note : trace.notes) text += fmt::format("note           {}\n", note);
  return text;
}

nlohmann::ordered_json json_of(const TraceImport& trace) {
  using Json = nlohmann::ordered_json;
  const Workload& workload = trace.workload;
  const TraceSummary summary = summarise(workload);
  Json groups = Json::array();
  for (const Group& group : workload.groups) {
    groups.push_back({{"name", group.name}, {"ranks", group.ranks}});
  }
  Json ops = Json::array();
  for (const auto& [kind, row] : summary.kinds) {
    ops.push_back({{"op", kind_name(kind)},
                   {"count", row.count},
                   {"smallest_bytes", row.smallest},
                   {"largest_bytes", row.largest},
                   {"bytes_in", row.bytes_in}});
  }
  Json skipped = Json::array();
  for (const SkippedOps& item : workload.ledger.skipped) {
    skipped.push_back({{"reason", item.reason}, {"bytes", item.bytes}, {"ops", item.ops}});
  }
  return {{"source", workload.source},
          {"format", trace.format},
          {"ranks", workload.rank_count()},
          {"groups", groups},
          {"ops", ops},
          {"compute", {{"gaps", summary.compute_ops}, {"time_ps", summary.compute.value}}},
          {"ledger",
           {{"bytes_in", workload.ledger.bytes_in},
            {"bytes_skipped", workload.ledger.bytes_skipped},
            {"skipped", skipped}}},
          {"notes", trace.notes}};
}

int capture_info(const std::string& path, bool json, const Terminal& terminal) {
  const CaptureSurvey survey = survey_capture(path);
  if (json) {
    terminal.out << capture_json(survey).dump(2, ' ', false,
                                              nlohmann::json::error_handler_t::replace)
                 << "\n";
  } else {
    terminal.out << capture_text(survey);
  }
  return 0;
}

int info(const std::vector<std::string>& words, const Terminal& terminal) {
  CommandParser parser({"trace info",
                        "ranks, groups, ops and bytes of a recorded trace; frames, flows and check "
                        "sums of a capture",
                        std::string(kExample)});
  TCLAP::UnlabeledMultiArg<std::string> paths(
      "PATH", "a file, a directory with a file a rank, an archive of such, or a capture", true,
      "PATH", parser.line());
  TCLAP::SwitchArg json("", "json", "print JSON", parser.line());
  if (!parser.parse(words, terminal.out)) return 0;
  if (paths.getValue().size() == 1 && is_capture(paths.getValue().front())) {
    return capture_info(paths.getValue().front(), json.getValue(), terminal);
  }
  const TraceImport trace = import_trace({paths.getValue().begin(), paths.getValue().end()});
  if (json.getValue()) {
    // Names in a trace may hold any bytes.
    terminal.out << json_of(trace).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                 << "\n";
  } else {
    terminal.out << text_of(trace);
  }
  return 0;
}

}  // namespace

int trace_command(const std::vector<std::string>& words, const Terminal& terminal) {
  if (words.empty()) throw ConfigError("trace: expected info; see 'sluice trace --help'");
  if (is_help(words.front())) {
    terminal.out << fmt::format(
        "sluice trace: look into recorded traces\n\nusage: sluice trace info PATH…\n\n"
        "example:\n  {}\n",
        kExample);
    return 0;
  }
  if (words.front() == "convert") throw ConfigError("'trace convert' is not in this version");
  if (words.front() != "info") refuse_word("word after trace", words.front(), {"info"});
  return info({words.begin() + 1, words.end()}, terminal);
}

}  // namespace sluice
