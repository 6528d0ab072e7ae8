// SPDX-License-Identifier: Apache-2.0
// The report as JSON: the same figures as the tables, names and order stable.
#include <nlohmann/json.hpp>

#include "study/check/check_report.h"

namespace sluice {
namespace {

using Json = nlohmann::ordered_json;

Json form(const std::optional<std::uint64_t>& bytes, std::uint64_t cells) {
  if (!bytes) return nullptr;
  return {{"bytes", *bytes}, {"cells", cells}};
}

Json headroom_json(const HeadroomClass& found) {
  const PauseLoop& loop = found.loop;
  Json terms = Json::array();
  for (const LoopTerm& term : found.budget.terms) {
    terms.push_back({{"name", term.name}, {"ps", term.time.value}, {"bytes", term.wire_bytes}});
  }
  return {{"chip", found.chip},
          {"port", found.port},
          {"pg", found.pg},
          {"groups", found.groups},
          {"peer", loop.peer.kind},
          {"rate_bps", loop.cable.rate.value},
          {"length_mm", loop.cable.length_mm},
          {"frame_bytes",
           {{"reverse", loop.frames.reverse},
            {"largest", loop.frames.largest},
            {"uniform", loop.frames.uniform}}},
          {"loop",
           {{"terms", terms},
            {"ps", found.budget.time.value},
            {"wire_bytes", found.budget.wire_bytes},
            {"inflation", found.budget.inflation}}},
          {"required", {{"bytes", found.budget.cell_bytes}, {"cells", found.budget.cells}}},
          {"ieee", form(found.ieee_bytes, found.ieee_cells)},
          {"vendor", form(found.vendor_bytes, found.vendor_cells)},
          {"configured",
           {{"bytes", std::uint64_t{found.configured_cells} * loop.receiver.cell_bytes},
            {"cells", found.configured_cells}}},
          {"pauses", found.pauses},
          {"enough", found.enough()},
          {"feasible", found.feasible()}};
}

Json pool_json(const PoolReport& pool) {
  Json slices = Json::array();
  for (const SliceReport& slice : pool.slices) {
    slices.push_back({{"shared_cells", slice.shared_cells},
                      {"headroom_cells", slice.headroom_cells},
                      {"groups", slice.groups},
                      {"full_headroom", slice.full}});
  }
  return {{"chip", pool.chip},
          {"chips", pool.chips},
          {"cell_bytes", pool.cell_bytes},
          {"total_cells", pool.total_cells},
          {"pool_cells", pool.pool_cells},
          {"needed_cells", pool.needed_cells},
          {"minimum_cells", pool.minimum_cells},
          {"private_headroom_cells", pool.private_headroom_cells},
          {"shared_headroom_cells", pool.shared_headroom_cells},
          {"groups", pool.groups},
          {"headroom_sum_cells", pool.headroom_sum_cells},
          {"full_headroom_spread", pool.full_spread},
          {"full_headroom_worst_slice", pool.full_worst},
          {"oversubscription", pool.oversubscription()},
          {"slices", slices}};
}

Json order_json(const EcnOrder& order) {
  return {{"chip", order.chip},
          {"port", order.port},
          {"queue", order.queue},
          {"pg", order.pg},
          {"marks", order.marks},
          {"kmin_bytes", order.kmin_bytes},
          {"kmax_bytes", order.kmax_bytes},
          {"xoff_one_port_bytes", order.xoff_one_bytes},
          {"most_ports", order.most_ports},
          {"xoff_all_ports_bytes", order.xoff_all_bytes},
          {"ecn_first_from_ports",
           order.ecn_first_from == 0 ? Json(nullptr) : Json(order.ecn_first_from)}};
}

Json estimate_json(const RunEstimate& estimate) {
  const auto known = [&](auto value) { return estimate.known ? Json(value) : Json(nullptr); };
  return {{"packets", known(estimate.packets)},
          {"hops_per_packet", estimate.hops_per_packet},
          {"packet_hops", known(estimate.packet_hops)},
          {"ns_per_hop", estimate.ns_per_hop},
          {"cpu_s", known(estimate.cpu_s)},
          {"memory_bytes", estimate.memory_bytes},
          {"disk_bytes", estimate.disk_bytes}};
}

}  // namespace

std::string check_json(const CheckReport& report) {
  Json json;
  json["verdict"] = report.exit() == ExitCode::kOk ? "ok" : "not_lossless";
  json["exit_code"] = static_cast<int>(report.exit());
  for (const char* list : {"headroom", "pools", "ecn", "findings"}) json[list] = Json::array();
  for (const HeadroomClass& found : report.headroom) {
    json["headroom"].push_back(headroom_json(found));
  }
  for (const PoolReport& pool : report.pools) json["pools"].push_back(pool_json(pool));
  for (const EcnOrder& order : report.ecn) json["ecn"].push_back(order_json(order));
  for (const Finding& finding : report.findings) {
    json["findings"].push_back({{"severity", severity_name(finding.severity)},
                                {"code", finding.code},
                                {"text", finding.text}});
  }
  json["estimate"] = estimate_json(report.estimate);
  return json.dump(2) + "\n";
}

}  // namespace sluice
