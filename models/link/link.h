// SPDX-License-Identifier: Apache-2.0
// One direction of a cable between two ports: propagation by length and a fixed extra latency.
// A full-duplex cable is two of them. Leaves out: damaging frames (fabric/link_loss.h), flaps and
// link-level retry; PHY and FEC latency belong to the chip's and the NIC's own stages, so that they
// are counted once.
#pragma once

#include "kernel/bridge/sc_modules.h"
#include "kernel/parameter.h"
#include "link/frame_receiver.h"

namespace sluice {

struct LinkParams {
  BitsPerSecond rate{800'000'000'000};  ///< MAC rate of both ends
  Millimetres length{30'000};
  Ps propagation_per_metre{5000};  ///< fibre 4.9-5.05 ns/m, twinax 4.3-4.8 ns/m
  Ps extra_latency{0};             ///< modules and retimers
  double loss = 0;                 ///< probability that a frame is damaged

  void describe(ParameterVisitor& visitor);
  void validate() const;
  /// Time of flight, rounded to the nearest picosecond.
  Ps propagation() const;
};

class Link : public sc_core::sc_module, public FrameReceiver {
 public:
  Link(const sc_core::sc_module_name& name, const LinkParams& params);

  sc_core::sc_port<FrameReceiver> out;   ///< bound to the receiving port
  sc_core::sc_export<FrameReceiver> in;  ///< the transmitting port binds here

  ReceivePath receive_path() const override;
  BitsPerSecond rate() const { return params_.rate; }
  double loss() const { return params_.loss; }

 private:
  LinkParams params_;
};

}  // namespace sluice
