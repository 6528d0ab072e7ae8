// SPDX-License-Identifier: Apache-2.0
#include "results/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/bandwidth.h"

namespace sluice {
namespace {

// Rates are computed from whole picoseconds; more than this above the bound is not rounding.
constexpr double kBoundSlack = 1e-6;

std::string rate_text(const std::optional<double>& rate) {
  return rate ? fmt::format("{:.3f}", *rate) : std::string("n/a");
}

bool above_bound(const OpRow& row, const TableOptions& options) {
  const auto busbw = busbw_gbytes_per_s(row);
  return busbw && options.busbw_bound_gbytes_per_s &&
         *busbw > *options.busbw_bound_gbytes_per_s * (1 + kBoundSlack);
}

std::string op_rows(const Summary& summary, const TableOptions& options) {
  if (summary.ops.empty()) return {};
  constexpr auto kFormat = "{:<14} {:>16} {:>6} {:>8} {:>16} {:>10} {:>10}{}\n";
  std::string text = fmt::format(kFormat, "op", "bytes", "ranks", "count", "time us", "algbw GB/s",
                                 "busbw GB/s", "");
  bool flagged = false;
  for (const OpRow& row : summary.ops) {
    const bool flag = above_bound(row, options);
    flagged = flagged || flag;
    text += fmt::format(kFormat, op_kind_name(row.kind), row.bytes, row.ranks, row.count,
                        fmt::format("{:.3f}", row.mean().microseconds()),
                        rate_text(algbw_gbytes_per_s(row)), rate_text(busbw_gbytes_per_s(row)),
                        flag ? " !" : "");
  }
  if (flagged) {
    text +=
        fmt::format("! busbw above the bound of {:.3f} GB/s an endpoint: do not trust this row\n",
                    *options.busbw_bound_gbytes_per_s);
  }
  return text;
}

std::string work_request_rows(const Summary& summary) {
  if (summary.work_requests.empty()) return {};
  constexpr auto kFormat = "{:>6} {:>6} {:<14} {:>12} {:>8} {:>12} {:>12} {:>12}  {}\n";
  std::string text = fmt::format(kFormat, "from", "to", "op", "bytes", "count", "mean us",
                                 "shortest us", "longest us", "ended");
  const auto time = [](const VerbsResult& row, Ps value) {
    return row.succeeded() == 0 ? std::string("n/a") : fmt::format("{:.3f}", value.microseconds());
  };
  for (const VerbsResult& row : summary.work_requests) {
    std::string ended;
    for (std::size_t i = 0; i < row.ended.size(); ++i) {
      if (row.ended[i] == 0) continue;
      ended += fmt::format("{}{} {}", ended.empty() ? "" : ", ", row.ended[i],
                           kCompletionStatusNames[i]);
    }
    text +=
        fmt::format(kFormat, row.from, row.to, kOperationNames[static_cast<std::size_t>(row.op)],
                    row.bytes, row.count, time(row, row.mean()), time(row, row.shortest),
                    time(row, row.longest), ended.empty() ? "none" : ended);
  }
  for (const std::string& error : summary.qp_errors)
    text += fmt::format("QP error       {}\n", error);
  return text;
}

std::string drop_text(const Summary& summary) {
  std::string text = fmt::format("drops          {}", summary.drops_total());
  std::string_view separator = " (";
  for (const auto& [reason, packets] : summary.drops) {
    if (packets == 0) continue;
    text += fmt::format("{}{} {}", separator, reason, packets);
    separator = ", ";
  }
  return text + (separator == ", " ? ")\n" : "\n");
}

/// The NICs that paused their leaf most, by name.
std::string pausing_nics(const Summary& summary) {
  std::vector<Summary::PausingNic> nics = summary.pausing_nics;
  std::stable_sort(nics.begin(), nics.end(),
                   [](const auto& a, const auto& b) { return a.xoff_frames > b.xoff_frames; });
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, nics.size()); ++i) {
    text += fmt::format("paused by      {}: {} XOFF, its host is slower than the port\n",
                        nics[i].port, nics[i].xoff_frames);
  }
  if (nics.size() > kShown) {
    text += fmt::format("paused by      {} NICs more\n", nics.size() - kShown);
  }
  return text;
}

}  // namespace

std::string summary_table(const Summary& s, const TableOptions& options) {
  std::string text = op_rows(s, options) + work_request_rows(s);
  text += fmt::format("verdict        {} after {:.3f} us, seed {}, result {}\n",
                      verdict_name(s.verdict), s.simulated.microseconds(), s.seed,
                      hash_text(s.result_hash));
  text += fmt::format("delivered      {} packets, {} B, {} retransmitted\n", s.packets_delivered,
                      s.bytes_delivered, s.retransmitted_packets);
  text += drop_text(s);
  text += fmt::format("pauses         {} XOFF, {} XON, {:.3f} us paused\n", s.pfc.xoff_frames,
                      s.pfc.xon_frames, s.pfc.paused.microseconds());
  text += pausing_nics(s);
  text += fmt::format("marks          {} ECN, {} CNP\n", s.ecn_marked, s.cnp_sent);
  text += fmt::format("peak buffer    {} of {} cells, headroom {} cells\n", s.buffer.peak_cells,
                      s.buffer.pool_cells, s.buffer.peak_headroom_cells);
  for (const SkippedOps& ops : s.ledger.skipped) {
    text += fmt::format("skipped        {} ops, {} B: {}\n", ops.ops, ops.bytes, ops.reason);
  }
  if (!options.run_directory.empty()) {
    text += fmt::format("run directory  {}\n", options.run_directory);
  }
  return text;
}

}  // namespace sluice
