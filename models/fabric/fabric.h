// SPDX-License-Identifier: Apache-2.0
// A whole fabric as SystemC modules: chips, cables, NICs and hosts, bound and routed.
// Leaves out: partitions over processes.
#pragma once

#include <memory>
#include <vector>

#include "fabric/fabric_spec.h"
#include "fabric/link_failures.h"
#include "fabric/link_loss.h"
#include "fabric/route_builder.h"
#include "host/host.h"
#include "host/raw_source.h"
#include "host/run_recorder.h"
#include "host/workload_plan.h"
#include "kernel/bridge/sc_modules.h"
#include "kernel/statistics.h"
#include "link/link.h"
#include "nic/nic.h"
#include "switch/chip.h"

namespace sluice {

/// Shared by all modules of a process; outlives them.
struct FabricContext {
  explicit FabricContext(unsigned bucket_shift = EventWheel::kDefaultBucketShift,
                         SwitchBlockSwap* chips = nullptr, NicBlockSwap* nics = nullptr)
      : wheel(bucket_shift), switch_swap(chips), nic_swap(nics) {
    wheel.set_argument_prefetch(packets.base());
  }
  EventWheel wheel;
  PacketPool packets;
  MessagePool messages;
  StatisticsRegistry statistics;
  SwitchBlockSwap* switch_swap;  ///< see ChipContext::swap
  NicBlockSwap* nic_swap;        ///< see NicContext::swap
};

class Fabric : public sc_core::sc_module {
 public:
  /// `plan` is null for a fabric of raw sources. All references must outlive the fabric.
  Fabric(const sc_core::sc_module_name& name, FabricContext& context, const FabricSpec& spec,
         std::uint64_t seed, const WorkloadPlan* plan, RunRecorder* recorder);
  ~Fabric() override;

  const Topology& topology() const { return topology_; }
  std::span<const std::unique_ptr<SwitchChip>> chips() const { return chips_; }
  std::span<const std::unique_ptr<Nic>> nics() const { return nics_; }
  std::span<const std::unique_ptr<Host>> hosts() const { return hosts_; }
  std::span<const std::unique_ptr<RawEndpoint>> raw_endpoints() const { return raw_; }
  std::vector<const RankExecutor*> executors() const;
  const CollectiveLibrary& library() const { return *library_; }
  /// MAC rate of each of the topology's cables.
  std::vector<BitsPerSecond> cable_rates() const;

  /// Ends time-based counters at now.
  void settle();
  /// Conservation in every chip; throws InvariantError.
  void check_conservation() const;

 private:
  void build_chips(FabricContext& context, const FabricSpec& spec, std::uint64_t seed);
  void build_endpoints(FabricContext& context, const FabricSpec& spec, std::uint64_t seed,
                       const WorkloadPlan* plan, RunRecorder* recorder);
  void build_cables(const FabricSpec& spec);
  void connect(const PortRef& from, const PortRef& to, const LinkParams& params);
  void build_routes(const FabricSpec& spec);
  void build_failures(FabricContext& context, const FabricSpec& spec);
  void start_failures();
  void start_losses();
  void start_of_simulation() override;

  Topology topology_;
  std::vector<std::uint32_t> endpoint_of_rank_;
  UdWorkload datagrams_;
  std::unique_ptr<CollectiveLibrary> library_;
  std::vector<std::unique_ptr<SwitchChip>> chips_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<std::unique_ptr<RawEndpoint>> raw_;
  std::vector<std::unique_ptr<Link>> links_;  ///< two a cable, a to b first
  std::unique_ptr<RouteBuilder> route_builder_;
  std::unique_ptr<LinkFailures> failures_;  ///< null without any
  std::unique_ptr<LinkLoss> loss_;
  std::vector<CableLoss> losses_;
};

}  // namespace sluice
