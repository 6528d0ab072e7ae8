// SPDX-License-Identifier: Apache-2.0
#include "cli/capture_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "packet/wire/extensions.h"

namespace sluice {
namespace {

using pcapng::Check;
using Json = nlohmann::ordered_json;
using FlowItem = std::pair<const FlowKey, FlowRow>;

constexpr std::size_t kListedFlows = 64;

std::uint64_t of(const std::array<std::uint64_t, 3>& counts, Check check) {
  return counts[static_cast<std::size_t>(check)];
}

/// The longest flows first, then by key.
std::vector<const FlowItem*> by_bytes(const CaptureSurvey& survey) {
  std::vector<const FlowItem*> flows;
  for (const FlowItem& flow : survey.flows) flows.push_back(&flow);
  std::stable_sort(flows.begin(), flows.end(), [](const FlowItem* a, const FlowItem* b) {
    return a->second.payload_bytes > b->second.payload_bytes;
  });
  return flows;
}

std::string flow_table(const CaptureSurvey& survey) {
  constexpr auto kFormat = "{:<18} {:<32} {:>8} {:>10} {:>15} {:>9} {:>8} {:>14} {:>14}\n";
  std::string text = fmt::format(kFormat, "interface", "from > to", "QP", "packets", "payload B",
                                 "repeated", "CE", "first us", "last us");
  const std::vector<const FlowItem*> flows = by_bytes(survey);
  for (std::size_t i = 0; i < std::min(flows.size(), kListedFlows); ++i) {
    const auto& [key, row] = *flows[i];
    text += fmt::format(kFormat, survey.interfaces[key.interface],
                        fmt::format("{} > {}", key.source.text(), key.destination.text()),
                        fmt::format("0x{:06x}", key.destination_qp), row.packets, row.payload_bytes,
                        row.repeated, row.marked, fmt::format("{:.3f}", row.first.microseconds()),
                        fmt::format("{:.3f}", row.last.microseconds()));
  }
  if (flows.size() > kListedFlows) {
    text += fmt::format("… and {} flows with fewer bytes; --json lists all\n",
                        flows.size() - kListedFlows);
  }
  return text;
}

Json flow_json(const CaptureSurvey& survey, const FlowItem& flow) {
  const auto& [key, row] = flow;
  return {{"interface", survey.interfaces[key.interface]},
          {"source", key.source.text()},
          {"destination", key.destination.text()},
          {"destination_qp", key.destination_qp},
          {"packets", row.packets},
          {"payload_bytes", row.payload_bytes},
          {"repeated_packets", row.repeated},
          {"ce_marked", row.marked},
          {"first_ps", row.first.value},
          {"last_ps", row.last.value}};
}

Json check_json(const std::array<std::uint64_t, 3>& counts) {
  return {{"good", of(counts, Check::kGood)},
          {"bad", of(counts, Check::kBad)},
          {"not_captured", of(counts, Check::kNotSeen)}};
}

}  // namespace

std::string capture_text(const CaptureSurvey& survey) {
  std::string text = fmt::format("{}: {} capture, {} interfaces\n", survey.source, survey.format,
                                 survey.interfaces.size());
  text += fmt::format("frames         {}, {} B, {} cut short, over {:.3f} us\n", survey.frames,
                      survey.wire_bytes, survey.cut, survey.span.microseconds());
  text += fmt::format("kinds          {} RoCEv2, {} PFC, {} RoCE v1, {} malformed, {} other\n",
                      survey.roce, survey.pfc, survey.roce_v1, survey.malformed, survey.other);
  text += fmt::format("ICRC           {} good, {} bad, {} not captured\n",
                      of(survey.icrc, Check::kGood), of(survey.icrc, Check::kBad),
                      of(survey.icrc, Check::kNotSeen));
  text +=
      fmt::format("FCS            {} good, {} bad, {} not captured\n", of(survey.fcs, Check::kGood),
                  of(survey.fcs, Check::kBad), of(survey.fcs, Check::kNotSeen));
  for (const auto& [opcode, row] : survey.opcodes) {
    text += fmt::format("opcode         0x{:02x} {:<26} {:>10} packets {:>15} B\n", opcode,
                        wire::opcode_name(opcode), row.packets, row.payload_bytes);
  }
  if (!survey.flows.empty()) text += flow_table(survey);
  for (const std::string& note : survey.notes) text += fmt::format("note           {}\n", note);
  return text;
}

Json capture_json(const CaptureSurvey& survey) {
  Json opcodes = Json::array();
  for (const auto& [opcode, row] : survey.opcodes) {
    opcodes.push_back({{"opcode", opcode},
                       {"name", wire::opcode_name(opcode)},
                       {"packets", row.packets},
                       {"payload_bytes", row.payload_bytes}});
  }
  Json flows = Json::array();
  for (const FlowItem* flow : by_bytes(survey)) flows.push_back(flow_json(survey, *flow));
  return {{"source", survey.source},
          {"format", survey.format},
          {"interfaces", survey.interfaces},
          {"frames", survey.frames},
          {"wire_bytes", survey.wire_bytes},
          {"cut_frames", survey.cut},
          {"span_ps", survey.span.value},
          {"kinds",
           {{"roce", survey.roce},
            {"pfc", survey.pfc},
            {"roce_v1", survey.roce_v1},
            {"malformed", survey.malformed},
            {"other", survey.other}}},
          {"icrc", check_json(survey.icrc)},
          {"fcs", check_json(survey.fcs)},
          {"opcodes", opcodes},
          {"flows", flows},
          {"notes", survey.notes}};
}

}  // namespace sluice
