// SPDX-License-Identifier: Apache-2.0
// A host: one rank of the workload above one NIC, or a list of work requests. Ties them to the
// wheel and to the NIC's two faces. Leaves out: the scale-up domain; a host holds at most one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "host/host_params.h"
#include "host/rank_executor.h"
#include "host/run_recorder.h"
#include "host/verbs_source.h"
#include "host/workload_plan.h"
#include "kernel/bridge/sc_modules.h"
#include "kernel/event_wheel.h"
#include "nic/nic_if.h"

namespace sluice {

inline constexpr std::uint32_t kNoRank = UINT32_MAX;

/// What all hosts of a process share; outlives them.
struct HostContext {
  EventWheel& wheel;
  const WorkloadPlan& plan;
  const CollectiveLibrary& library;
  RunRecorder& recorder;
  std::span<const std::uint32_t> endpoint_of_rank;  ///< placement
  std::uint64_t seed = 0;
};

class Host final : public sc_core::sc_module,
                   public NicClient,
                   private EventHandler,
                   private RankOutlet {
 public:
  sc_core::sc_port<NicPosting> nic{"nic"};
  sc_core::sc_export<NicClient> client{"client"};

  /// `rank` may be kNoRank: a host that neither sends nor expects anything.
  Host(sc_core::sc_module_name name, const HostParams& params, const HostContext& context,
       std::uint32_t rank);

  /// The work requests of this host; before the simulation starts.
  void post_verbs(const std::vector<VerbsOperation>& operations);
  /// Null for a host without work requests.
  const VerbsSource* verbs() const { return verbs_.get(); }

  /// Null for a host without a rank.
  const RankExecutor* executor() const { return executor_.get(); }
  /// When the rank starts its first ops.
  Ps start_time() const { return start_time_; }

  void on_write_acked(std::uint64_t cookie) override;
  void on_write_received(std::uint32_t source, std::uint64_t bytes,
                         const Immediate& immediate) override;
  void on_completion(const Completion& completion) override;
  void on_qp_error(const std::string& reason) override;

 private:
  enum Kind : std::uint8_t { kStart, kWake, kPost };

  void post_due();

  void start_of_simulation() override;
  void handle(Event event) override;
  Ps now() const override { return wheel_.now(); }
  void write(std::uint32_t to_rank, std::uint64_t bytes, std::uint64_t cookie,
             const Immediate& immediate) override;
  void wake_at(Ps time) override;

  EventWheel& wheel_;
  std::span<const std::uint32_t> endpoint_of_rank_;
  TargetId target_ = 0;
  Ps start_time_{};
  std::unique_ptr<RankExecutor> executor_;
  std::unique_ptr<VerbsSource> verbs_;
};

}  // namespace sluice
