// SPDX-License-Identifier: Apache-2.0
#include "nic/nic.h"

#include <utility>

namespace sluice {

/// One receiving port as the link sees it.
class Nic::RxFace final : public FrameReceiver {
 public:
  RxFace(const NicCore& core, std::uint32_t port) : core_(core), port_(port) {}
  ReceivePath receive_path() const override { return core_.receive_path(port_); }

 private:
  const NicCore& core_;
  std::uint32_t port_;
};

namespace {

NicContext named(NicContext context, const char* name) {
  context.name = name;
  return context;
}

}  // namespace

Nic::Nic(const sc_core::sc_module_name& module_name, const NicParams& params, NicContext context)
    : sc_core::sc_module(module_name),
      tx("tx", params.ports),
      rx("rx", params.ports),
      posting("posting"),
      client("client"),
      core_(params, named(std::move(context), this->name())) {
  posting(*this);
  for (std::uint32_t i = 0; i < params.ports; ++i) {
    faces_.push_back(std::make_unique<RxFace>(core_, i));
    rx[i](*faces_.back());
  }
}

Nic::~Nic() = default;

void Nic::end_of_elaboration() {
  for (std::uint32_t i = 0; i < core_.params().ports; ++i) core_.attach(i, tx[i]->receive_path());
  core_.set_client(client.operator->());
}

void Nic::register_counters(StatisticsRegistry& registry) const {
  core_.register_counters(registry, name());
}

}  // namespace sluice
