// SPDX-License-Identifier: Apache-2.0
// The NIC as a SystemC module: ports bound at elaboration around a NicCore.
// Leaves out: behaviour; all of it is in the core and its blocks.
#pragma once

#include <memory>
#include <vector>

#include "kernel/bridge/sc_modules.h"
#include "link/frame_receiver.h"
#include "nic/nic_core.h"
#include "nic/nic_if.h"

namespace sluice {

class Nic : public sc_core::sc_module, private NicPosting {
 public:
  Nic(const sc_core::sc_module_name& name, const NicParams& params, NicContext context);
  ~Nic() override;

  sc_core::sc_vector<sc_core::sc_port<FrameReceiver>> tx;    ///< one a port, bound to the link out
  sc_core::sc_vector<sc_core::sc_export<FrameReceiver>> rx;  ///< one a port, for the link in
  sc_core::sc_export<NicPosting> posting;                    ///< the host's way in
  sc_core::sc_port<NicClient> client;                        ///< the host

  NicCore& core() { return core_; }
  const NicCore& core() const { return core_; }
  void register_counters(StatisticsRegistry& registry) const;

 private:
  class RxFace;

  void end_of_elaboration() override;
  void post_write(const WriteRequest& request) override { core_.post_write(request); }
  void post(const WorkRequest& request) override { core_.post(request); }

  NicCore core_;
  std::vector<std::unique_ptr<RxFace>> faces_;
};

}  // namespace sluice
