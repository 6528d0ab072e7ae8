// SPDX-License-Identifier: Apache-2.0
// The host module between a wheel and a NIC that delivers after a fixed time.
#include "host/host.h"

#include <gtest/gtest.h>

#include <vector>

#include "host/stall_report.h"
#include "kernel/bridge/wheel_bridge.h"
#include "kernel/error.h"
#include "workload/synthetic.h"

namespace sluice {
namespace {

/// One NIC for all endpoints: a write arrives at its endpoint's host 1 us later, acked at once.
class InstantNic final : public sc_core::sc_module, public NicPosting, private EventHandler {
 public:
  sc_core::sc_export<NicPosting> posting{"posting"};

  InstantNic(sc_core::sc_module_name name, EventWheel& wheel, std::vector<NicClient*>& clients,
             std::uint32_t endpoint)
      : sc_module(name), wheel_(wheel), clients_(clients), endpoint_(endpoint) {
    posting.bind(*this);
    target_ = wheel.add_targets(*this, 1, this, 0);
  }
  void post_write(const WriteRequest& request) override {
    const auto index = static_cast<std::uint32_t>(requests_.size());
    requests_.push_back(request);
    free_ = std::max(free_ + 1_ps, wheel_.now() + 1_us);
    wheel_.post(free_, target_, 0, index);
  }
  void post(const WorkRequest&) override { ADD_FAILURE() << "ranks post writes alone"; }

 private:
  void handle(Event event) override {
    const WriteRequest request = requests_[event.argument];
    clients_[request.destination]->on_write_received(endpoint_, request.bytes, request.immediate);
    clients_[endpoint_]->on_write_acked(request.cookie);
  }

  EventWheel& wheel_;
  std::vector<NicClient*>& clients_;
  std::uint32_t endpoint_;
  TargetId target_ = 0;
  Ps free_{};
  std::vector<WriteRequest> requests_;
};

TEST(HostParams, RefusesAJitterBeyondItsDraw) {
  HostParams params;
  params.start_jitter = 5_ms;
  EXPECT_THROW(params.validate(), ConfigError);
}

TEST(Host, RunsItsRankOverItsNicFromASeededStart) {
  SyntheticParams synthetic;
  synthetic.type = SyntheticType::kAllReduce;
  synthetic.bytes = Bytes{4096};
  const Workload workload = make_synthetic(synthetic, 4);
  const WorkloadPlan plan(workload);
  const HostParams params;
  const CollectiveLibrary library(params.collective);
  RunRecorder recorder(plan);
  EventWheel wheel;
  WheelBridge bridge("wheel", wheel);
  const std::vector<std::uint32_t> endpoint_of_rank{3, 1, 4, 0};
  const HostContext context{wheel, plan, library, recorder, endpoint_of_rank, 7};
  std::vector<NicClient*> clients(5);
  std::vector<std::unique_ptr<InstantNic>> nics;
  std::vector<std::unique_ptr<Host>> hosts;
  for (std::uint32_t endpoint = 0; endpoint < 5; ++endpoint) {
    std::uint32_t rank = kNoRank;
    for (std::uint32_t r = 0; r < 4; ++r) {
      if (endpoint_of_rank[r] == endpoint) rank = r;
    }
    nics.push_back(std::make_unique<InstantNic>(fmt::format("nic{}", endpoint).c_str(), wheel,
                                                clients, endpoint));
    hosts.push_back(
        std::make_unique<Host>(fmt::format("host{}", endpoint).c_str(), params, context, rank));
    hosts.back()->nic.bind(nics.back()->posting);
    clients[endpoint] = hosts.back().get();
  }
  bridge.run();

  EXPECT_EQ(hosts[2]->executor(), nullptr);
  std::vector<const RankExecutor*> executors;
  Ps latest{};
  for (const auto& host : hosts) {
    if (host->executor() == nullptr) continue;
    executors.push_back(host->executor());
    EXPECT_LE(host->start_time(), params.start_jitter);
    latest = std::max(latest, host->start_time());
  }
  EXPECT_TRUE(run_complete(executors, recorder));
  EXPECT_EQ(recorder.messages_received(), 4u * 6);
  EXPECT_EQ(recorder.network_bytes(), 4u * 6 * 1024);
  EXPECT_GE(recorder.last_end(), latest + 3_us);  // what the latest start leaves to the last chunk
  EXPECT_LE(recorder.last_end(), latest + 6_us);
}

}  // namespace
}  // namespace sluice
