// SPDX-License-Identifier: Apache-2.0
// NICs joined without a switch: each sends into a wire that delays a frame, may look at it, mark it
// or drop it, and hands it to the NIC it is addressed to. Leaves out: contention between wires.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "nic/nic_core.h"

namespace sluice::test {

/// Without clock offsets, and with PSNs that wrap at the third packet of every QP.
inline NicParams exact_params(std::uint64_t gbps = 400) {
  NicParams params = cx8();
  params.start_psn = (1u << 24) - 2;
  params.port_rate = {gbps * 1'000'000'000};
  params.frequency_offset_ppm = 0;
  return params;
}

class NicRig {
 public:
  struct Acked {
    std::uint64_t cookie;
    Ps time;
  };
  struct Received {
    std::uint32_t source;
    std::uint64_t bytes;
    std::array<std::uint32_t, 4> immediate;
    Ps time;
  };
  struct Node final : NicClient, EventHandler {
    Node(NicRig& owner, const NicParams& params, std::uint32_t number, std::uint64_t seed)
        : rig(owner), nic(params, {rig.wheel, rig.packets, rig.messages, seed, number, nullptr}) {
      nic.set_client(this);
      wire = rig.wheel.add_targets(*this, params.ports, this, 0);
      for (std::uint32_t i = 0; i < params.ports; ++i) {
        // Distinct lengths keep frames of two sources from arriving at one instant.
        nic.attach(i, {.head_delay = rig.propagation + Ps{3 * number},
                       .target = wire + i,
                       .pfc_kind = 1,
                       .at_tail = true});
      }
    }
    void on_write_acked(std::uint64_t cookie) override {
      acked.push_back({cookie, rig.wheel.now()});
      if (when_acked) when_acked(cookie);
    }
    void on_write_received(std::uint32_t source, std::uint64_t bytes,
                           const std::array<std::uint32_t, 4>& immediate) override {
      received.push_back({source, bytes, immediate, rig.wheel.now()});
    }
    void on_completion(const Completion& completion) override {
      completions.push_back(completion);
      completion_times.push_back(rig.wheel.now());
      if (when_completed) when_completed(completion);
    }
    void on_arrival(const Arrival& arrival) override { arrivals.push_back(arrival); }
    void on_qp_error(const std::string& reason) override {
      if (!survives_errors) NicClient::on_qp_error(reason);
      errors.push_back(reason);
    }
    void handle(Event event) override {
      Packet& packet = rig.packets[event.argument];
      const std::uint32_t port = event.target() - wire;
      const bool kept = !look_at_port || look_at_port(packet, port, event.time);
      if (!kept || (look && !look(packet, event.time))) {
        rig.packets.release(event.argument);
        return;
      }
      const ReceivePath path = rig.nodes[packet.destination]->nic.receive_path(port);
      Ps delayed = delay ? delay() : Ps{};
      if (port < skew.size()) delayed += skew[port];
      rig.wheel.post(event.time + path.head_delay + delayed, path.target, path.frame_kind,
                     event.argument);
    }
    NicRig& rig;
    NicCore nic;
    TargetId wire = 0;
    /// Sees each frame of this node as its tail leaves the wire; false drops it.
    std::function<bool(Packet&, Ps)> look;
    std::function<bool(Packet&, std::uint32_t port, Ps)> look_at_port;
    std::vector<Ps> skew;       ///< of each port's wire, beside `propagation`
    std::function<Ps()> delay;  ///< of the next frame, beside that of the wire
    std::function<void(std::uint64_t)> when_acked;
    std::vector<Acked> acked;
    std::vector<Received> received;
    std::function<void(const Completion&)> when_completed;
    std::vector<Completion> completions;
    std::vector<Ps> completion_times;
    std::vector<Arrival> arrivals;
    bool survives_errors = false;
    std::vector<std::string> errors;
  };

  NicRig(const NicParams& params, std::uint32_t count = 2, Ps one_way = 150_ns,
         std::uint64_t seed = 1)
      : propagation(one_way) {
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes.push_back(std::make_unique<Node>(*this, params, i, seed));
    }
  }
  /// A NIC for each set of parameters.
  explicit NicRig(const std::vector<NicParams>& params, Ps one_way = 150_ns)
      : propagation(one_way) {
    for (std::uint32_t i = 0; i < params.size(); ++i) {
      nodes.push_back(std::make_unique<Node>(*this, params[i], i, 1));
    }
  }
  Node& operator[](std::size_t i) { return *nodes[i]; }

  void write(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t cookie = 0) {
    nodes[from]->nic.post_write({to, bytes, cookie, {1, 2, 3, 4}});
  }
  void post(std::uint32_t from, const WorkRequest& request) { nodes[from]->nic.post(request); }
  /// Hands a frame of node `from` to whom it is addressed, as if it had left the wire at `time`.
  void inject(std::uint32_t from, const Packet& packet, Ps time) {
    const PacketId id = packets.allocate();
    packets[id] = packet;
    const ReceivePath path = nodes[packet.destination]->nic.receive_path(0);
    wheel.post(time + propagation + Ps{3 * from}, path.target, path.frame_kind, id);
  }
  void run_until(Ps time) { wheel.run_before(time); }
  void run() { wheel.run_before(kNever); }

  /// Puts a PFC frame of `quanta` for `priorities` at the NIC's port 0 at `time`.
  void pause(std::uint32_t node, Ps time, std::uint8_t priorities, std::uint32_t quanta) {
    const PacketId id = packets.allocate();
    packets[id] = Packet{};
    packets[id].kind = PacketKind::kPfc;
    packets[id].pcp = priorities;
    packets[id].offset_bytes = quanta;
    const ReceivePath path = nodes[node]->nic.receive_path(0);
    wheel.post(time, path.target, path.pfc_kind, id);
  }

  Ps propagation;
  EventWheel wheel;
  PacketPool packets;
  MessagePool messages;
  std::vector<std::unique_ptr<Node>> nodes;
};

}  // namespace sluice::test
