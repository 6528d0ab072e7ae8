// SPDX-License-Identifier: Apache-2.0
// A NIC with several ports under one QP: whichever MAC is free takes the next packet, the plane
// with the least outstanding first. Leaves out: what a QP knows of its planes (requester/lanes.h).
#include "nic/nic_core.h"
#include "nic/nic_hot_path.h"

namespace sluice {

void NicCore::PlaneEvents::handle(Event event) {
  if (event.kind() != kWake) return core_.handle(event);
  core_.on_plane_wake(event.target() - core_.first_target_, event.time);
}

/// A port may be woken for what another, less loaded one should send.
void NicCore::on_plane_wake(std::uint32_t index, Ps now) {
  ports_[index].wakeups.fired();
  for (std::uint32_t other = 0; other < ports_.size(); ++other) {
    if (other != index && ports_[other].free_at <= now) return serve_planes(now);
  }
  serve_port(index, now);
}

void NicCore::serve_planes(Ps now) {
  std::uint32_t order[4];
  requester_.lanes()->in_order(order);
  for (std::uint32_t i = 0; i < ports_.size(); ++i) serve_port(order[i], now);
}

}  // namespace sluice
