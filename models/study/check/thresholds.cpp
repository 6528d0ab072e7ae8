// SPDX-License-Identifier: Apache-2.0
#include "study/check/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace sluice {
namespace {

double alpha_of(AlphaShift shift) {
  return static_cast<double>(1u << shift.left) / static_cast<double>(1u << shift.right);
}

/// Shared cells of one group when `ports` of them stand at their moving limit together.
double shared_at_limit(const MmuTables& t, const PgLimits& limits, double slice, double ports) {
  if (limits.static_limit != kDynamic) return std::min<double>(limits.static_limit, slice / ports);
  const double a = alpha_of(limits.alpha);
  if (!t.port_level) return a * slice / (1 + ports * a);
  // T = a (ap (S - N T) - T)
  const double ap = alpha_of(t.port_alpha);
  return a * ap * slice / (1 + a + ports * a * ap);
}

const QosMaps& maps_of(const SwitchParams& params, std::uint32_t port) {
  const PortSettings& ports = params.ports;
  if (port >= ports.maps_of_port.size() || ports.maps_of_port[port] == 0) return params.qos;
  return ports.maps[ports.maps_of_port[port] - 1];
}

/// The marking curve of a lossless queue; nothing: none.
const EcnParams* curve_of(const SwitchParams& params, std::uint32_t port, std::uint32_t queue) {
  const std::vector<std::uint16_t>& curves = params.ports.curve_of_queue;
  const std::size_t index = std::size_t{port} * 8 + queue;
  if (curves.empty()) return params.ecn.enabled ? &params.ecn : nullptr;
  if (index >= curves.size() || curves[index] == 0) return nullptr;
  return &params.ports.curves[curves[index] - 1];
}

/// The priority group that frames in this queue were charged to on their way in.
std::optional<std::uint32_t> group_of_queue(const QosMaps& maps, std::uint32_t queue) {
  for (std::size_t tc = 0; tc < maps.tc_to_queue.size(); ++tc) {
    if (maps.tc_to_queue[tc] == queue) return maps.tc_to_pg[tc];
  }
  return std::nullopt;
}

EcnOrder order_of(const MmuTables& t, const PgLimits& limits, const EcnParams* curve,
                  std::uint32_t slice, std::uint64_t cell) {
  EcnOrder order;
  order.marks = curve != nullptr;
  if (curve != nullptr) {
    order.kmin_bytes = curve->kmin_bytes.value;
    order.kmax_bytes = curve->kmax_bytes.value;
  }
  const auto ports =
      static_cast<std::uint32_t>(std::count(t.slice_of_port.begin(), t.slice_of_port.end(), slice));
  // Not the port that the queue belongs to, unless it is the only one.
  order.most_ports = std::max(1u, std::min(ports, t.ports - 1));
  const std::uint32_t shared = t.slices[slice].shared;
  const auto level = [&](std::uint32_t n) { return xoff_level_cells(t, limits, shared, n) * cell; };
  order.xoff_one_bytes = level(1);
  order.xoff_all_bytes = level(order.most_ports);
  order.deepest_bytes =
      order.xoff_all_bytes + std::uint64_t{order.most_ports} *
                                 (limits.room - std::min(limits.room, limits.xoff_above)) * cell;
  for (std::uint32_t n = 1; order.marks && n <= order.most_ports; ++n) {
    if (order.kmin_bytes >= level(n)) continue;
    order.ecn_first_from = n;
    break;
  }
  return order;
}

}  // namespace

bool EcnOrder::same_figures(const EcnOrder& o) const {
  return queue == o.queue && pg == o.pg && marks == o.marks && kmin_bytes == o.kmin_bytes &&
         kmax_bytes == o.kmax_bytes && xoff_one_bytes == o.xoff_one_bytes &&
         most_ports == o.most_ports && deepest_bytes == o.deepest_bytes;
}

std::uint64_t xoff_level_cells(const MmuTables& tables, const PgLimits& limits,
                               std::uint32_t slice_cells, std::uint32_t ports) {
  const auto shared =
      static_cast<std::uint64_t>(shared_at_limit(tables, limits, slice_cells, ports));
  return ports * (limits.min + shared + limits.xoff_above);
}

std::vector<EcnOrder> ecn_orders(const SwitchParams& params, const MmuTables& tables,
                                 std::uint32_t wired_ports) {
  std::vector<EcnOrder> orders;
  for (std::uint32_t port = 0; port < wired_ports; ++port) {
    const QosMaps& maps = maps_of(params, port);
    for (std::uint32_t queue = 0; queue < std::min(tables.queues_per_port, 8u); ++queue) {
      const auto pg = group_of_queue(maps, queue);
      if (!pg) continue;
      const PgLimits& limits = tables.pg_limits[tables.pg_profile[port * kPriorityGroups + *pg]];
      if (!limits.lossless) continue;
      EcnOrder order = order_of(tables, limits, curve_of(params, port, queue),
                                tables.slice_of_port[port], params.mmu.cell_bytes);
      order.port = port;
      order.queue = queue;
      order.pg = *pg;
      const bool known = std::any_of(orders.begin(), orders.end(), [&](const EcnOrder& other) {
        return order.same_figures(other);
      });
      if (!known) orders.push_back(order);
    }
  }
  return orders;
}

std::vector<UnreachableThreshold> unreachable_thresholds(const SwitchParams& params,
                                                         const MmuTables& tables,
                                                         const std::vector<EcnOrder>& orders) {
  std::vector<UnreachableThreshold> found;
  const auto add = [&found](std::string code, std::string text) {
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const auto& other) { return other.text == text; });
    if (!known) found.push_back({std::move(code), std::move(text)});
  };
  const std::uint64_t cell = params.mmu.cell_bytes;
  const std::uint64_t pool = std::uint64_t{tables.pool_cells} * cell;
  for (const EcnOrder& order : orders) {
    if (!order.marks) continue;
    const std::uint64_t deepest = std::min(order.deepest_bytes, pool);
    if (order.kmin_bytes >= deepest) {
      add("kmin_unreachable",
          fmt::format("ecn.kmin_bytes {} B: queue {} never holds more than {} B, so nothing is "
                      "ever marked",
                      order.kmin_bytes, order.queue, deepest));
    } else if (order.kmax_bytes > deepest) {
      add("kmax_unreachable",
          fmt::format("ecn.kmax_bytes {} B: queue {} never holds more than {} B, so marking never "
                      "reaches every packet",
                      order.kmax_bytes, order.queue, deepest));
    }
  }
  std::uint32_t largest_slice = 0;
  for (const SliceLimits& slice : tables.slices) {
    largest_slice = std::max(largest_slice, slice.shared);
  }
  for (const PgLimits& limits : tables.pg_limits) {
    if (limits.static_limit != kDynamic && limits.static_limit > tables.pool_cells) {
      add("static_unreachable",
          fmt::format("a priority group's static threshold of {} cells is above the pool's {}: it "
                      "never limits",
                      limits.static_limit, tables.pool_cells));
    }
    if (!limits.lossless || params.mmu.policy != MmuPolicy::kBroadcom) continue;
    const std::uint64_t alone = xoff_level_cells(tables, limits, largest_slice, 1) - limits.min;
    if (limits.xon > alone) {
      add("xon_above_limit",
          fmt::format("xon of {} cells is above the limit of a lone priority group, {} cells: it "
                      "is XON again as soon as its headroom is empty",
                      limits.xon, alone));
    }
    if (limits.xon_offset > alone) {
      add("xon_offset_above_limit",
          fmt::format("xon_offset of {} cells is above the limit of a lone priority group, {} "
                      "cells: it is XON again only when it is empty",
                      limits.xon_offset, alone));
    }
  }
  for (const QueueLimits& limits : tables.queue_limits) {
    if (limits.lossless || limits.static_limit == kDynamic) continue;
    if (limits.static_limit > tables.pool_cells) {
      add("static_unreachable",
          fmt::format("a queue's static threshold of {} cells is above the pool's {}: it never "
                      "limits",
                      limits.static_limit, tables.pool_cells));
    }
  }
  return found;
}

}  // namespace sluice
