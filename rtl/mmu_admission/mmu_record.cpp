// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_record.h"

#include <fmt/format.h>

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

}  // namespace sluice::rtl
