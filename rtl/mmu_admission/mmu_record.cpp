// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_record.h"

#include <fmt/format.h>

#include <sstream>

#include "config/config_reader.h"
#include "config/config_tree.h"
#include "config/parameter_printer.h"

namespace sluice::rtl {

std::vector<std::string> mmu_setup_lines(const MmuParams& params, const MmuGeometry& geometry) {
  std::vector<std::string> lines{
      fmt::format("geometry {} {}", geometry.ports, geometry.queues_per_port)};
  for (const PgOverride& o : params.pg_overrides) {
    lines.push_back(fmt::format("pg {} {}", o.port, o.pg));
  }
  for (const QueueOverride& o : params.queue_overrides) {
    lines.push_back(fmt::format("queue {} {}", o.port, o.queue));
  }
  const ParameterPrinter printer = print_parameters(params);
  for (const ParameterRow& row : printer.rows()) {
    lines.push_back(fmt::format("set {}={}", row.path, row.value));
  }
  return lines;
}

std::string mmu_request_line(const MmuRequest& r, bool release) {
  return fmt::format("{} {} {} {} {} {}", release ? "release" : "admit", r.ingress_port, r.pg,
                     r.egress_port, r.queue, r.cells);
}

MmuRecordReader::Line MmuRecordReader::take(const std::string& line) {
  std::istringstream words(line);
  std::string kind;
  words >> kind;
  Line taken = Line::kSetup;
  if (kind == "geometry") {
    words >> geometry_.ports >> geometry_.queues_per_port;
  } else if (kind == "pg") {
    PgOverride& o = params_.pg_overrides.emplace_back();
    words >> o.port >> o.pg;
  } else if (kind == "queue") {
    QueueOverride& o = params_.queue_overrides.emplace_back();
    words >> o.port >> o.queue;
  } else if (kind == "set") {
    std::string assignment;
    std::getline(words >> std::ws, assignment);
    values_.push_back(assignment);
    return Line::kSetup;
  } else if (kind == "admit" || kind == "release") {
    std::uint32_t pg = 0;
    std::uint32_t queue = 0;
    words >> request_.ingress_port >> pg >> request_.egress_port >> queue >> request_.cells;
    if (pg >= kPriorityGroups || queue >= geometry_.queues_per_port ||
        request_.ingress_port >= geometry_.ports || request_.egress_port >= geometry_.ports ||
        request_.cells == 0) {
      return Line::kBad;
    }
    request_.pg = static_cast<std::uint8_t>(pg);
    request_.queue = static_cast<std::uint8_t>(queue);
    taken = kind == "admit" ? Line::kAdmit : Line::kRelease;
  } else {
    return Line::kBad;
  }
  return words ? taken : Line::kBad;
}

MmuParams MmuRecordReader::params() const {
  ConfigTree tree = ConfigTree::empty("record");
  for (const std::string& value : values_) tree.apply(value);
  ConfigNode node = tree.open();
  ConfigReader reader(node);
  MmuParams params = params_;
  params.describe(reader);
  node.finish();
  return params;
}

}  // namespace sluice::rtl
