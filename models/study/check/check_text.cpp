// SPDX-License-Identifier: Apache-2.0
// The report as tables: a loop and its budget, headroom by three forms, pools, marks and pauses.
#include <fmt/format.h>

#include <cmath>

#include "config/units.h"
#include "study/check/check_report.h"

namespace sluice {
namespace {

std::string nanoseconds(Ps time) {
  return fmt::format("{:.3f}", static_cast<double>(time.value) / 1000);
}

std::string metres(std::uint64_t millimetres) { return format_length(Millimetres{millimetres}); }

std::string groups_text(const HeadroomClass& found) {
  const std::string first = fmt::format("{} port {} PG {}", found.chip, found.port, found.pg);
  return found.groups == 1 ? first : fmt::format("{} and {} like it", first, found.groups - 1);
}

std::string form_row(std::string_view name, const std::string& bytes, std::uint64_t cells,
                     std::string_view remark) {
  return fmt::format("  {:<26} {:>12} B {:>10} cells  {}\n", name, bytes, cells, remark);
}

std::string headroom_text(const HeadroomClass& found) {
  const PauseLoop& loop = found.loop;
  const LoopBudget& budget = found.budget;
  std::string text =
      fmt::format("pause loop: {}, {} over {} to a {}\n", groups_text(found),
                  format_rate(loop.cable.rate), metres(loop.cable.length_mm), loop.peer.kind);
  for (const LoopTerm& term : budget.terms) {
    text += fmt::format("  {:<38} {:>12} ns {:>12.1f} B\n", term.name, nanoseconds(term.time),
                        term.wire_bytes);
  }
  text += fmt::format("  {:<38} {:>12} ns {:>12} B\n", "sum", nanoseconds(budget.time),
                      budget.wire_bytes);
  const std::string frames =
      loop.frames.uniform != 0
          ? fmt::format("frames of {} B", loop.frames.uniform)
          : fmt::format("worst mix of 64 to {} B, x{:.3f}", loop.frames.largest, budget.inflation);
  text += form_row("needed, this loop", std::to_string(budget.cell_bytes), budget.cells, frames);
  if (found.ieee_bytes) {
    text += form_row("IEEE 802.1Q annex N", std::to_string(*found.ieee_bytes), found.ieee_cells,
                     "bytes on the wire, cells of the same frames");
  }
  if (found.vendor_bytes) {
    text += form_row("vendor formula", std::to_string(*found.vendor_bytes), found.vendor_cells,
                     "bytes of memory");
  }
  const std::uint64_t cell = loop.receiver.cell_bytes;
  const std::string_view verdict = !found.pauses     ? "NO PAUSE"
                                   : !found.enough() ? "TOO SMALL"
                                                     : "enough";
  return text + form_row("configured after XOFF", std::to_string(found.configured_cells * cell),
                         found.configured_cells, verdict);
}

std::string pool_text(const PoolReport& pool) {
  std::string text = fmt::format(
      "buffer: {}{}, cells of {} B\n", pool.chip,
      pool.chips > 1 ? fmt::format(" and {} chips like it", pool.chips - 1) : "", pool.cell_bytes);
  const auto row = [&text](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<38} {}\n", name, value);
  };
  row("memory", fmt::format("{} cells", pool.total_cells));
  row("pool", fmt::format("{} cells", pool.pool_cells));
  row("minima", fmt::format("{} cells", pool.minimum_cells));
  row("needed of the memory",
      fmt::format("{} cells, {} left", pool.needed_cells, pool.total_cells - pool.needed_cells));
  if (!pool.shares_headroom()) {
    row("private headroom",
        fmt::format("{} cells of {} lossless PGs", pool.private_headroom_cells, pool.groups));
  } else {
    row("shared headroom", fmt::format("{} cells", pool.shared_headroom_cells));
    row("PGs that can use full headroom at once",
        fmt::format("{} spread, {} in the worst slice, of {}", pool.full_spread, pool.full_worst,
                    pool.groups));
    row("oversubscription", fmt::format("{:.2f}:1 ({} cells of headroom over the shared pool)",
                                        pool.oversubscription(), pool.headroom_sum_cells));
  }
  for (std::size_t s = 0; s < pool.slices.size(); ++s) {
    const SliceReport& slice = pool.slices[s];
    row(fmt::format("slice {}", s),
        fmt::format("{} shared cells, {} of shared headroom, {} PGs", slice.shared_cells,
                    slice.headroom_cells, slice.groups));
  }
  return text;
}

std::string order_text(const EcnOrder& order) {
  const std::string where = fmt::format("{} port {} queue {}", order.chip, order.port, order.queue);
  if (!order.marks) return fmt::format("  {}: no marking\n", where);
  const std::string first = order.ecn_first_from == 0
                                ? fmt::format("PFC first for up to {} ports", order.most_ports)
                            : order.ecn_first_from == 1
                                ? std::string("ECN first")
                                : fmt::format("PFC first for 1 to {} ingress ports, ECN from {} on",
                                              order.ecn_first_from - 1, order.ecn_first_from);
  return fmt::format("  {}: marks above {} B, XOFF of one port at {} B, of {} at {} B: {}\n", where,
                     order.kmin_bytes, order.xoff_one_bytes, order.most_ports, order.xoff_all_bytes,
                     first);
}

std::string estimate_text(const RunEstimate& estimate) {
  std::string text =
      "estimate of a run (scaled from docs/performance.md, another machine differs)\n";
  if (estimate.known) {
    text +=
        fmt::format("  {} packets x {:.2f} hops x {:.1f} ns = {:.1f} s of CPU\n", estimate.packets,
                    estimate.hops_per_packet, estimate.ns_per_hop, estimate.cpu_s);
  } else {
    text += "  time: not known without a workload that ends\n";
  }
  return text + fmt::format("  memory {:.0f} MB, run directory {:.2f} MB\n",
                            static_cast<double>(estimate.memory_bytes) / 1e6,
                            static_cast<double>(estimate.disk_bytes) / 1e6);
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    default:
      return "not lossless";
  }
}

std::string check_text(const CheckReport& report) {
  std::string text;
  for (const HeadroomClass& found : report.headroom) text += headroom_text(found) + "\n";
  for (const PoolReport& pool : report.pools) text += pool_text(pool) + "\n";
  if (!report.ecn.empty()) text += "ECN and PFC\n";
  for (const EcnOrder& order : report.ecn) text += order_text(order);
  if (!report.ecn.empty()) text += "\n";
  text += estimate_text(report.estimate) + "\n";
  for (const Finding& finding : report.findings) {
    text += fmt::format("{}: {}\n", severity_name(finding.severity), finding.text);
  }
  return text +
         fmt::format("verdict: {}\n", report.exit() == ExitCode::kOk ? "ok" : "NOT LOSSLESS");
}

}  // namespace sluice
