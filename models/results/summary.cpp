// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "results/bandwidth.h"

namespace sluice {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json ops_json(const std::vector<OpRow>& ops) {
  Json rows = Json::array();
  for (const OpRow& row : ops) {
    rows.push_back({{"op", op_kind_name(row.kind)},
                    {"bytes", row.bytes},
                    {"ranks", row.ranks},
                    {"count", row.count},
                    {"time_ps", row.mean().value},
                    {"algbw_gbytes_per_s", number_or_null(algbw_gbytes_per_s(row))},
                    {"busbw_gbytes_per_s", number_or_null(busbw_gbytes_per_s(row))}});
  }
  return rows;
}

Json work_requests_json(const std::vector<VerbsResult>& results) {
  Json rows = Json::array();
  for (const VerbsResult& row : results) {
    Json ended;
    for (std::size_t i = 0; i < row.ended.size(); ++i) {
      ended[std::string(kCompletionStatusNames[i])] = row.ended[i];
    }
    const bool any = row.succeeded() != 0;
    rows.push_back({{"from", row.from},
                    {"to", row.to},
                    {"op", kOperationNames[static_cast<std::size_t>(row.op)]},
                    {"bytes", row.bytes},
                    {"count", row.count},
                    {"ended", std::move(ended)},
                    {"time_ps", any ? Json(row.mean().value) : Json()},
                    {"shortest_ps", any ? Json(row.shortest.value) : Json()},
                    {"longest_ps", any ? Json(row.longest.value) : Json()},
                    {"last_result", row.last_result}});
  }
  return rows;
}

Json ledger_json(const Summary& summary) {
  Json skipped = Json::array();
  for (const SkippedOps& ops : summary.ledger.skipped) {
    skipped.push_back({{"reason", ops.reason}, {"bytes", ops.bytes}, {"ops", ops.ops}});
  }
  return {{"bytes_in", summary.ledger.bytes_in},
          {"bytes_simulated", summary.bytes_simulated},
          {"bytes_skipped", summary.ledger.bytes_skipped},
          {"skipped", std::move(skipped)}};
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kStopped:
      return "stopped";
    case Verdict::kNotLossless:
      return "not_lossless";
    case Verdict::kStalled:
      return "stalled";
    case Verdict::kDeadlock:
      return "deadlock";
    case Verdict::kInvariant:
      return "invariant";
    case Verdict::kRtlMismatch:
      return "rtl_mismatch";
  }
  return "invariant";
}

ExitCode exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
    case Verdict::kStopped:
      return ExitCode::kOk;
    case Verdict::kNotLossless:
      return ExitCode::kNotLossless;
    case Verdict::kStalled:
    case Verdict::kDeadlock:
      return ExitCode::kStalled;
    case Verdict::kInvariant:
      return ExitCode::kInvariant;
    case Verdict::kRtlMismatch:
      return ExitCode::kRtlMismatch;
  }
  return ExitCode::kInternal;
}

std::uint64_t Summary::drops_total() const {
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& drop) { return sum + drop.second; });
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

Json to_json(const Summary& s) {
  Json drops{{"total", s.drops_total()}};
  for (const auto& [reason, packets] : s.drops) drops[reason] = packets;
  Json json;
  json["version"] = s.version;
  json["rtl"] = {{"blocks", s.rtl.blocks}, {"scope", s.rtl.scope}, {"verilator", s.rtl.verilator}};
  json["seed"] = s.seed;
  json["config_hash"] = hash_text(s.config_hash);
  json["result_hash"] = hash_text(s.result_hash);
  json["verdict"] = verdict_name(s.verdict);
  json["simulated_ps"] = s.simulated.value;
  json["cpu_s"] = s.cpu_s;
  json["wall_s"] = s.wall_s;
  json["peak_rss_bytes"] = s.peak_rss_bytes;
  json["events"] = s.events;
  json["packets_delivered"] = s.packets_delivered;
  json["packet_hops"] = s.packet_hops;
  json["bytes_delivered"] = s.bytes_delivered;
  json["retransmitted_packets"] = s.retransmitted_packets;
  json["drops"] = std::move(drops);
  json["pfc"] = {{"xoff_frames", s.pfc.xoff_frames},
                 {"xon_frames", s.pfc.xon_frames},
                 {"paused_ps", s.pfc.paused.value}};
  json["ecn"] = {{"marked", s.ecn_marked}};
  json["cnp"] = {{"sent", s.cnp_sent}};
  json["buffer"] = {{"peak_cells", s.buffer.peak_cells},
                    {"pool_cells", s.buffer.pool_cells},
                    {"peak_headroom_cells", s.buffer.peak_headroom_cells}};
  json["ops"] = ops_json(s.ops);
  json["ledger"] = ledger_json(s);
  json["work_requests"] = work_requests_json(s.work_requests);
  json["qp_errors"] = Json::array();
  for (const std::string& error : s.qp_errors) json["qp_errors"].push_back({{"reason", error}});
  json["pausing_nics"] = Json::array();
  for (const Summary::PausingNic& nic : s.pausing_nics) {
    json["pausing_nics"].push_back({{"port", nic.port}, {"xoff_frames", nic.xoff_frames}});
  }
  return json;
}

std::string summary_json_text(const Summary& summary) { return to_json(summary).dump(2) + "\n"; }

void add_recorded(Summary& summary, const RunRecorder& recorder) {
  summary.ops = recorder.rows();
  summary.bytes_simulated = recorder.bytes_simulated();
  // A run that lost what it must not may have ended before its ops.
  const bool complete = summary.verdict == Verdict::kOk;
  std::string reason = "not ended: run ";
  reason += verdict_name(summary.verdict);
  summary.ledger = recorder.ledger(reason, complete);
}

}  // namespace sluice
