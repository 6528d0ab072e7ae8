// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric.h"

#include <string>

#include "fabric/install_routes.h"
#include "kernel/error.h"

namespace sluice {

Fabric::Fabric(const sc_core::sc_module_name& name, FabricContext& context, const FabricSpec& spec,
               std::uint64_t seed, const WorkloadPlan* plan, RunRecorder* recorder)
    : sc_core::sc_module(name),
      topology_(make_topology(spec.topology)),
      datagrams_(spec.ud),
      loss_(std::make_unique<LinkLoss>(context.wheel, context.packets, seed)),
      losses_(spec.losses) {
  build_chips(context, spec, seed);
  build_endpoints(context, spec, seed, plan, recorder);
  build_cables(spec);
  build_routes(spec);
  if (!spec.failures.empty()) build_failures(context, spec);
}

Fabric::~Fabric() = default;

void Fabric::build_chips(FabricContext& context, const FabricSpec& spec, std::uint64_t seed) {
  std::vector<std::vector<BitsPerSecond>> rates(topology_.chips());
  for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip) {
    rates[chip].resize(topology_.chip_ports[chip]);
  }
  for (const Cable& cable : topology_.cables) {
    const BitsPerSecond rate = spec.link_of(cable).rate;
    for (const PortRef& end : {cable.a, cable.b}) {
      if (end.is_chip) rates[end.node][end.port] = rate;
    }
  }
  std::uint32_t first_port = 0;
  for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip) {
    const ChipContext chip_context{
        context.wheel,       context.packets,          context.statistics, seed, chip, first_port,
        topology_.endpoints, spec.nic.ip_version == 6, context.switch_swap};
    try {
      chips_.push_back(std::make_unique<SwitchChip>(topology_.chip_names[chip].c_str(),
                                                    spec.chips[chip], rates[chip], chip_context));
    } catch (const ConfigError& error) {
      // What only shows once all ports are counted: say which chip and what its ports are.
      throw ConfigError(fmt::format("switch.{} (chip {}: {} ports at {} Gb/s, cables of {} m)",
                                    error.what(), topology_.chip_names[chip], rates[chip].size(),
                                    rates[chip].front().value / 1'000'000'000,
                                    spec.host_link.length.value / 1000));
    }
    first_port += topology_.chip_ports[chip];
  }
}

void Fabric::build_endpoints(FabricContext& context, const FabricSpec& spec, std::uint64_t seed,
                             const WorkloadPlan* plan, RunRecorder* recorder) {
  if (plan == nullptr) {
    for (std::uint32_t i = 0; i < topology_.endpoints; ++i) {
      raw_.push_back(
          std::make_unique<RawEndpoint>(fmt::format("host{}", i).c_str(), spec.raw.of(i),
                                        RawContext{context.wheel, context.packets, seed, i}));
      raw_[i]->core().register_counters(context.statistics, raw_[i]->name());
    }
    return;
  }
  endpoint_of_rank_ =
      place_ranks(spec.placement, plan->workload().rank_count(), topology_.endpoints);
  std::vector<std::uint32_t> rank_of_endpoint(topology_.endpoints, kNoRank);
  for (std::uint32_t rank = 0; rank < endpoint_of_rank_.size(); ++rank) {
    rank_of_endpoint[endpoint_of_rank_[rank]] = rank;
  }
  library_ = std::make_unique<CollectiveLibrary>(spec.host.collective);
  const HostContext host_context{context.wheel,     *plan, *library_, *recorder,
                                 endpoint_of_rank_, seed};
  for (std::uint32_t i = 0; i < topology_.endpoints; ++i) {
    nics_.push_back(std::make_unique<Nic>(
        fmt::format("nic{}", i).c_str(), spec.nic_of(i),
        NicContext{
            context.wheel, context.packets, context.messages, seed, i, context.nic_swap, {}}));
    hosts_.push_back(std::make_unique<Host>(fmt::format("host{}", i).c_str(), spec.host,
                                            host_context, rank_of_endpoint[i]));
    hosts_[i]->nic.bind(nics_[i]->posting);
    nics_[i]->client.bind(hosts_[i]->client);
    nics_[i]->register_counters(context.statistics);
    std::vector<VerbsOperation> own;
    for (const VerbsOperation& operation : spec.verbs) {
      if (operation.from == i) own.push_back(operation);
    }
    hosts_[i]->post_verbs(own);
  }
}

void Fabric::start_of_simulation() {
  for (std::uint32_t i = 0; i < nics_.size(); ++i) {
    nics_[i]->core().send_datagrams(datagrams_.of(i));
  }
  start_failures();
  start_losses();
}

void Fabric::build_cables(const FabricSpec& spec) {
  for (const Cable& cable : topology_.cables) {
    const LinkParams params = spec.link_of(cable);
    connect(cable.a, cable.b, params);
    connect(cable.b, cable.a, params);
  }
}

void Fabric::connect(const PortRef& from, const PortRef& to, const LinkParams& params) {
  links_.push_back(std::make_unique<Link>(fmt::format("link{}", links_.size()).c_str(), params));
  Link& link = *links_.back();
  if (from.is_chip) {
    chips_[from.node]->tx[from.port].bind(link.in);
  } else if (raw_.empty()) {
    nics_[from.node]->tx[from.port].bind(link.in);
  } else {
    raw_[from.node]->tx.bind(link.in);
  }
  if (to.is_chip) {
    link.out.bind(chips_[to.node]->rx[to.port]);
  } else if (raw_.empty()) {
    link.out.bind(nics_[to.node]->rx[to.port]);
  } else {
    link.out.bind(raw_[to.node]->rx);
  }
}

void Fabric::build_routes(const FabricSpec& spec) {
  bool notices = false;
  for (const auto& chip : chips_) notices |= chip->params().routing.mode == LoadBalancing::kAr;
  route_builder_ =
      std::make_unique<RouteBuilder>(topology_, chips_, notices || !spec.failures.empty());
  for (std::uint32_t chip = 0; chip < topology_.chips(); ++chip) {
    if (chips_[chip]->adaptive() != nullptr) {
      route_builder_->build_adaptive(chip);
      continue;
    }
    try {
      install_routes(topology_, chip, spec.nic.ip_version == 6, *chips_[chip]);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("switch.{} (chip {})", error.what(), chips_[chip]->name()));
    }
  }
}

void Fabric::build_failures(FabricContext& context, const FabricSpec& spec) {
  failures_ = std::make_unique<LinkFailures>(
      context.wheel, context.packets, spec.failures,
      plan_route_changes(topology_, spec.failures, spec.chips), *route_builder_);
}

void Fabric::start_failures() {
  if (failures_ == nullptr) return;
  std::uint32_t previous = UINT32_MAX;
  for (const LinkFailure& failure : failures_->failures()) {
    if (failure.cable == previous) continue;
    previous = failure.cable;
    const Cable& cable = topology_.cables[failure.cable];
    // What a host would receive is counted by its chip.
    const PortRef& at_b = cable.b.is_chip ? cable.b : cable.a;
    const PortRef& at_a = cable.a.is_chip ? cable.a : cable.b;
    failures_->watch(failure.cable, *links_[2 * failure.cable], *chips_[at_b.node], at_b.port);
    failures_->watch(failure.cable, *links_[2 * failure.cable + 1], *chips_[at_a.node], at_a.port);
  }
  failures_->start();
}

void Fabric::start_losses() {
  for (std::uint32_t number = 0; number < links_.size(); ++number) {
    const bool forward = number % 2 == 0;
    const Cable& cable = topology_.cables[number / 2];
    std::vector<CableLoss> losses;
    if (links_[number]->loss() != 0) {
      losses.push_back({number / 2, forward, links_[number]->loss(), Ps{}, kNever});
    }
    for (const CableLoss& loss : losses_) {
      if (loss.cable == number / 2 && loss.forward == forward) losses.push_back(loss);
    }
    if (losses.empty()) continue;
    const PortRef& to = forward ? cable.b : cable.a;
    const PortRef& counts = to.is_chip ? to : (forward ? cable.a : cable.b);
    loss_->watch(number, *links_[number], losses, *chips_[counts.node], counts.port);
  }
}

std::vector<const RankExecutor*> Fabric::executors() const {
  std::vector<const RankExecutor*> result;
  for (const auto& host : hosts_) {
    if (host->executor() != nullptr) result.push_back(host->executor());
  }
  return result;
}

std::vector<BitsPerSecond> Fabric::cable_rates() const {
  std::vector<BitsPerSecond> rates;
  for (std::size_t i = 0; i < links_.size(); i += 2) rates.push_back(links_[i]->rate());
  return rates;
}

void Fabric::settle() {
  for (const auto& chip : chips_) chip->settle();
  for (const auto& nic : nics_) nic->core().settle_pauses();
}

void Fabric::check_conservation() const {
  for (const auto& chip : chips_) chip->check_conservation();
}

}  // namespace sluice
