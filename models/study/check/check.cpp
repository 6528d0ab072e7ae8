// SPDX-License-Identifier: Apache-2.0
// Joins the parts of a check: every lossless priority group of every wired port is held against its
// pause loop; pools, thresholds and routes add their findings.
#include "study/check/check.h"

#include <algorithm>

#include "config/units.h"
#include "packet/serialisation.h"
#include "study/check/headroom_forms.h"
#include "study/check/port_loops.h"
#include "study/check/wiring.h"
#include "switch/chip_setup.h"
#include "switch/mmu/mmu_presets.h"

namespace sluice {
namespace {

class Checker {
 public:
  Checker(const FabricSpec& spec, const CheckOptions& options)
      : spec_(spec),
        wiring_(make_topology(spec.topology)),
        loops_(spec, wiring_, options.frame_bytes) {}

  CheckReport take() {
    for (std::uint32_t chip = 0; chip < topology().chips(); ++chip) check_chip(chip);
    judge_headroom();
    judge_pools();
    judge_order();
    judge_routes();
    report_.estimate = estimate_run(spec_);
    return std::move(report_);
  }

 private:
  const Topology& topology() const { return wiring_.topology(); }
  void add(Severity severity, std::string code, std::string text) {
    report_.findings.push_back({severity, std::move(code), std::move(text)});
  }

  void check_chip(std::uint32_t chip);
  void add_pool(std::uint32_t chip, PoolReport pool);
  void add_orders(std::uint32_t chip, const MmuTables& tables);
  void add_headroom(std::uint32_t chip, const MmuTables& tables);
  void add_class(HeadroomClass found);
  [[noreturn]] void refuse(std::uint32_t chip, const ConfigError& error) const;
  void judge_headroom();
  void judge_pools();
  void judge_order();
  void judge_routes();

  const FabricSpec& spec_;
  Wiring wiring_;
  PortLoops loops_;
  CheckReport report_;
};

/// A pool that cannot hold what its ports need is no mistake of its figures: no figures would do.
void Checker::refuse(std::uint32_t chip, const ConfigError& error) const {
  const MmuParams& mmu = spec_.chips[chip].mmu;
  const std::string& name = topology().chip_names[chip];
  const std::uint64_t pool = mmu.pool_bytes.value / mmu.cell_bytes;
  std::uint64_t needed = 0;
  std::uint64_t groups = 0;
  std::uint64_t most = 0;
  for (std::uint32_t port = 0; port < topology().chip_ports[chip]; ++port) {
    const std::uint64_t cells = loop_budget(loops_.loop(chip, port)).cells;
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      if (!loops_.group(chip, port, pg).lossless) continue;
      needed += cells;
      most = std::max(most, cells);
      ++groups;
    }
  }
  const bool shared = mmu.shared_headroom_bytes.value > 0;
  if ((shared ? most : needed) > pool) {
    throw Error(ExitCode::kNotLossless,
                fmt::format("not feasible lossless: {} needs {} cells ({} B) of headroom for {}, "
                            "its pool has {} cells; {}",
                            name, shared ? most : needed, (shared ? most : needed) * mmu.cell_bytes,
                            shared ? std::string("one priority group")
                                   : fmt::format("{} priority groups", groups),
                            pool, error.what()));
  }
  throw ConfigError(fmt::format("switch.{} (chip {}: {} ports)", error.what(), name,
                                topology().chip_ports[chip]));
}

void Checker::check_chip(std::uint32_t chip) {
  const SwitchParams& params = spec_.chips[chip];
  params.validate();
  check_capacity(params, loops_.rates(chip));
  const MmuGeometry geometry = mmu_geometry_of(params, topology().chip_ports[chip]);
  const MmuParams mmu = mmu_params_of(params, loops_.pipes(chip));
  std::optional<MmuTables> tables;
  try {
    tables = resolve(mmu, geometry);
  } catch (const ConfigError& error) {
    refuse(chip, error);
  }
  add_pool(chip, pool_report(mmu, geometry, *tables));
  add_orders(chip, *tables);
  add_headroom(chip, *tables);
  for (auto& found : unreachable_thresholds(params, *tables, report_.ecn)) {
    const bool known = std::any_of(report_.findings.begin(), report_.findings.end(),
                                   [&](const Finding& f) { return f.text == found.text; });
    if (!known) add(Severity::kWarning, found.code, found.text);
  }
}

void Checker::add_pool(std::uint32_t chip, PoolReport pool) {
  for (PoolReport& known : report_.pools) {
    if (known.same_figures(pool)) {
      ++known.chips;
      return;
    }
  }
  pool.chip = topology().chip_names[chip];
  pool.chips = 1;
  report_.pools.push_back(std::move(pool));
}

void Checker::add_orders(std::uint32_t chip, const MmuTables& tables) {
  for (EcnOrder& order : ecn_orders(spec_.chips[chip], tables, topology().chip_ports[chip])) {
    const auto known = std::find_if(report_.ecn.begin(), report_.ecn.end(),
                                    [&](const EcnOrder& o) { return o.same_figures(order); });
    if (known != report_.ecn.end()) {
      ++known->chips;
      continue;
    }
    order.chip = topology().chip_names[chip];
    order.chips = 1;
    report_.ecn.push_back(order);
  }
}

void add_forms(HeadroomClass& found) {
  const PauseLoop& loop = found.loop;
  const std::uint32_t cell = loop.receiver.cell_bytes;
  const LoopFrames& frames = loop.frames;
  const std::uint32_t largest = frames.uniform != 0 ? frames.uniform : frames.largest;
  if (const auto quanta = ieee_response_quanta(loop.cable.rate)) {
    found.ieee_bytes =
        ieee_headroom({loop.cable.rate, loop.cable.propagation + loop.cable.extra,
                       pause_duration(*quanta, loop.cable.rate), frames.reverse, largest});
    const std::uint32_t assumed = frames.uniform != 0 ? frames.uniform : worst_frame(largest, cell);
    found.ieee_cells = cells_of_wire_bytes(*found.ieee_bytes, assumed, cell);
  }
  try {
    found.vendor_bytes = vendor_xoff({.rate = loop.cable.rate,
                                      .cable = Millimetres{loop.cable.length_mm},
                                      .cell_bytes = cell})
                             .value;
    found.vendor_cells = (*found.vendor_bytes + cell - 1) / cell;
  } catch (const ConfigError&) {
    // No published response budget at this rate: the form has nothing to say.
    found.vendor_bytes.reset();
  }
}

void Checker::add_class(HeadroomClass found) {
  for (HeadroomClass& known : report_.headroom) {
    if (known.loop == found.loop && known.configured_cells == found.configured_cells &&
        known.most_cells == found.most_cells && known.pauses == found.pauses) {
      ++known.groups;
      return;
    }
  }
  found.budget = loop_budget(found.loop);
  add_forms(found);
  found.groups = 1;
  report_.headroom.push_back(std::move(found));
}

void Checker::add_headroom(std::uint32_t chip, const MmuTables& tables) {
  const SwitchParams& params = spec_.chips[chip];
  for (std::uint32_t port = 0; port < topology().chip_ports[chip]; ++port) {
    const PauseLoop loop = loops_.loop(chip, port);
    const std::uint32_t slice = tables.slice_of_port[port];
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      const PgLimits& limits = tables.pg_limits[tables.pg_profile[port * kPriorityGroups + pg]];
      if (!limits.lossless) continue;
      HeadroomClass found;
      found.loop = loop;
      found.configured_cells = headroom_after_xoff(limits);
      if (tables.shared_headroom) {
        found.configured_cells = std::min(found.configured_cells,
                                          tables.slices[slice].headroom + limits.private_headroom);
      }
      found.most_cells = tables.pool_cells / params.mmu.num_slices;
      found.pauses = params.pfc.enabled && loop.peer.obeys && loops_.sends_pause(chip, port, pg);
      found.chip = topology().chip_names[chip];
      found.port = port;
      found.pg = pg;
      add_class(std::move(found));
    }
  }
}

void Checker::judge_headroom() {
  for (const HeadroomClass& found : report_.headroom) {
    const std::string where =
        fmt::format("{} port {} PG {}{}", found.chip, found.port, found.pg,
                    found.groups > 1 ? fmt::format(" and {} more", found.groups - 1) : "");
    const std::uint64_t cell = found.loop.receiver.cell_bytes;
    if (!found.pauses) {
      add(Severity::kNotLossless, "no_pause",
          fmt::format(
              "{}: lossless, but {}", where,
              found.loop.peer.obeys ? "no PFC is sent for it" : "its peer does not obey PFC"));
    } else if (!found.feasible()) {
      add(Severity::kNotLossless, "not_feasible",
          fmt::format("not feasible lossless: {} needs {} cells ({} B) of headroom at {} over {} "
                      "m; the pool it lies in has {} cells",
                      where, found.budget.cells, found.budget.cell_bytes,
                      format_rate(found.loop.cable.rate),
                      static_cast<double>(found.loop.cable.length_mm) / 1000, found.most_cells));
    } else if (found.configured_cells == 0) {
      add(Severity::kNotLossless, "no_headroom",
          fmt::format("{}: lossless, but has no headroom; its loop needs {} cells ({} B)", where,
                      found.budget.cells, found.budget.cell_bytes));
    } else if (!found.enough()) {
      add(Severity::kNotLossless, "headroom_too_small",
          fmt::format("{}: headroom {} cells ({} B) after XOFF, its loop needs {} cells ({} B)",
                      where, found.configured_cells, found.configured_cells * cell,
                      found.budget.cells, found.budget.cell_bytes));
    }
  }
}

void Checker::judge_pools() {
  for (const PoolReport& pool : report_.pools) {
    if (!pool.shares_headroom() || pool.full_spread >= pool.groups) continue;
    add(Severity::kNote, "oversubscribed",
        fmt::format("{}: lossless for at most {} PGs pausing at once in one slice ({} spread over "
                    "{} slices) of {}; {:.2f}:1",
                    pool.chip, pool.full_worst, pool.full_spread, pool.slices.size(), pool.groups,
                    pool.oversubscription()));
  }
}

void Checker::judge_order() {
  for (const EcnOrder& order : report_.ecn) {
    if (!order.marks || order.ecn_first_from == 1) continue;
    const std::string which = order.ecn_first_from == 0
                                  ? fmt::format("any number up to {}", order.most_ports)
                                  : fmt::format("1 to {}", order.ecn_first_from - 1);
    add(Severity::kWarning, "pfc_before_ecn",
        fmt::format("{} port {} queue {}: with {} ingress ports PFC comes before ECN: one port is "
                    "XOFF at {} B, marking starts above {} B",
                    order.chip, order.port, order.queue, which, order.xoff_one_bytes,
                    order.kmin_bytes));
  }
}

void Checker::judge_routes() {
  std::vector<RoutingParams> routing;
  for (const SwitchParams& chip : spec_.chips) routing.push_back(chip.routing);
  for (std::string& line : wiring_.polarised(routing)) {
    add(Severity::kWarning, "polarised", std::move(line));
  }
  const std::vector<std::string> cycle = wiring_.cyclic_dependency();
  if (cycle.empty()) return;
  std::string text = "the routes have a cyclic buffer dependency: pauses can wait for each other (";
  for (const std::string& port : cycle) text += port + " -> ";
  add(Severity::kWarning, "cyclic_dependency", text + cycle.front() + ")");
}

}  // namespace

CheckReport check_fabric(const FabricSpec& spec, const CheckOptions& options) {
  return Checker(spec, options).take();
}

ExitCode CheckReport::exit() const {
  const bool lossless = std::none_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.severity == Severity::kNotLossless;
  });
  return lossless ? ExitCode::kOk : ExitCode::kNotLossless;
}

std::string CheckReport::verdict() const {
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::kNotLossless) return "NOT LOSSLESS: " + finding.text;
  }
  return "ok";
}

}  // namespace sluice
