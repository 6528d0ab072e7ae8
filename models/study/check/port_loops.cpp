// SPDX-License-Identifier: Apache-2.0
#include "study/check/port_loops.h"

#include <algorithm>
#include <cmath>

#include "packet/serialisation.h"
#include "switch/pipe/ingress_pipes.h"

namespace sluice {
namespace {

LoopPeer chip_peer(const SwitchParams& chip) {
  const StageLatencies& stages = chip.latency;
  LoopPeer peer;
  peer.kind = "chip";
  peer.until_stopped = {{"latency.rx_phy", stages.rx_phy},
                        {"latency.rx_mac", stages.rx_mac},
                        {"pfc.resp_time (pause taken)", chip.pfc.resp_time}};
  peer.to_wire = {{"latency.egress_pipeline", stages.egress_pipeline},
                  {"latency.tx_phy", stages.tx_phy}};
  peer.fifo_cells = chip.egress_fifo_cells;
  peer.fifo_cell_bytes = chip.mmu.cell_bytes;
  peer.gap_bytes = kInterPacketGapBytes;
  peer.ppm = chip.freq_offset_ppm;
  peer.obeys = chip.pfc.enabled;
  return peer;
}

LoopPeer nic_peer(const NicParams& nic) {
  LoopPeer peer;
  peer.kind = "NIC";
  peer.until_stopped = {{"rx_phy_latency", nic.rx_phy_latency},
                        {"pfc_response (pause taken)", nic.pfc_response}};
  peer.to_wire = {{"tx_phy_latency", nic.tx_phy_latency}};
  peer.gap_bytes = nic.inter_packet_gap_bytes;
  peer.ppm = nic.frequency_offset_ppm;
  return peer;
}

LoopPeer tester_peer(const RawParams& tester) {
  LoopPeer peer;
  peer.kind = "tester";
  peer.until_stopped = {{"pfc_response (pause taken)", tester.pfc_response}};
  peer.to_wire = {{"tx_latency", tester.tx_latency}};
  peer.gap_bytes = kInterPacketGapBytes;
  peer.ppm = tester.frequency_offset_ppm;
  peer.obeys = tester.obey_pfc;
  return peer;
}

/// Frame sizes that the fabric's senders use. Testers' streams of one size leave no mix.
LoopFrames frames_of(const FabricSpec& spec) {
  LoopFrames frames;
  if (!spec.is_raw()) {
    const auto largest_of = [](const NicParams& nic) {
      return write_frame_bytes(nic.mtu_bytes, true, {.vlan = nic.vlan_tag});
    };
    frames.largest = largest_of(spec.nic);
    for (const auto& [host, nic] : spec.own_nics) {
      frames.largest = std::max(frames.largest, largest_of(nic));
    }
    frames.reverse = frames.largest;
    return frames;
  }
  std::uint32_t smallest = UINT32_MAX;
  for (const RawStream& stream : spec.raw.streams) {
    const std::uint32_t bytes = stream.frame_bytes + (stream.tagged ? kVlanBytes : 0);
    frames.largest = std::max(frames.largest, bytes);
    smallest = std::min(smallest, bytes);
  }
  frames.largest = std::max(frames.largest, kMinFrameBytes);
  frames.reverse = frames.largest;
  if (smallest == frames.largest) frames.uniform = frames.largest;
  return frames;
}

}  // namespace

PortLoops::PortLoops(const FabricSpec& spec, const Wiring& wiring, std::uint32_t frame_bytes)
    : spec_(spec), wiring_(wiring), frames_(frames_of(spec)) {
  if (frame_bytes != 0) frames_ = {frame_bytes, frame_bytes, frame_bytes};
  const Topology& topology = wiring.topology();
  for (std::uint32_t chip = 0; chip < topology.chips(); ++chip) {
    std::vector<BitsPerSecond>& rates = rates_.emplace_back();
    for (std::uint32_t port = 0; port < topology.chip_ports[chip]; ++port) {
      rates.push_back(spec.link_of(wiring.cable(chip, port)).rate);
    }
    const SwitchParams& params = spec.chips[chip];
    pipes_.push_back(pipes_of_ports(params.pipes, params.capacity, rates, params.ports.first_lane));
  }
}

/// The longest that a frame waits for its ingress pipeline: behind a full FIFO, or, where frames of
/// one size cannot fill that, behind one frame of each other port of the pipe.
Ps PortLoops::pipe_wait(std::uint32_t chip, std::uint32_t port) const {
  const PipeParams& pipe = spec_.chips[chip].pipes;
  const std::uint32_t smallest = frames_.uniform != 0 ? frames_.uniform : kMinFrameBytes;
  std::uint64_t sharing = 0;
  double packets = 0;
  for (std::size_t other = 0; other < rates_[chip].size(); ++other) {
    if (pipes_[chip][other] != pipes_[chip][port]) continue;
    ++sharing;
    packets += static_cast<double>(rates_[chip][other].value) / (8.0 * wire_bytes(smallest));
  }
  const double interval = 1e12 / static_cast<double>(pipe.packets_per_second);
  const bool fills = packets > static_cast<double>(pipe.packets_per_second);
  const std::uint64_t ahead = fills ? std::uint64_t{pipe.fifo_packets}
                                    : std::min<std::uint64_t>(sharing - 1, pipe.fifo_packets);
  return Ps{static_cast<std::uint64_t>(std::ceil(interval * static_cast<double>(ahead)))};
}

LoopReceiver PortLoops::receiver(std::uint32_t chip, std::uint32_t port) const {
  const SwitchParams& params = spec_.chips[chip];
  const StageLatencies& stages = params.latency;
  LoopReceiver receiver;
  receiver.to_wire = {{"latency.tx_phy", stages.tx_phy}};
  receiver.to_admission = {{"latency.rx_phy", stages.rx_phy},
                           {"latency.rx_mac", stages.rx_mac},
                           {"latency.ingress_pipeline", stages.ingress_pipeline},
                           {"latency.mmu", stages.mmu}};
  if (IngressPipes::can_be_oversubscribed(params.pipes, rates_[chip], pipes_[chip])) {
    receiver.to_admission.push_back({"wait for its pipeline", pipe_wait(chip, port)});
  }
  receiver.stores_frames = params.mode == SwitchingMode::kStoreAndForward;
  receiver.cell_bytes = params.mmu.cell_bytes;
  receiver.ppm = params.freq_offset_ppm;
  receiver.slowest_port = *std::min_element(rates_[chip].begin(), rates_[chip].end());
  return receiver;
}

LoopPeer PortLoops::peer(std::uint32_t chip, std::uint32_t port) const {
  const PortRef& far = wiring_.far_end(chip, port);
  if (far.is_chip) return chip_peer(spec_.chips[far.node]);
  return spec_.is_raw() ? tester_peer(spec_.raw.endpoint) : nic_peer(spec_.nic_of(far.node));
}

PauseLoop PortLoops::loop(std::uint32_t chip, std::uint32_t port) const {
  const LinkParams cable = spec_.link_of(wiring_.cable(chip, port));
  return {receiver(chip, port),
          peer(chip, port),
          {cable.rate, cable.length.value, cable.propagation(), cable.extra_latency},
          frames_};
}

PgProfile PortLoops::group(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const {
  const MmuParams& mmu = spec_.chips[chip].mmu;
  PgProfile profile = mmu.pg_default(pg);
  for (const PgOverride& o : mmu.pg_overrides) {
    if (o.port == port && o.pg == pg) profile = o.profile;
  }
  return profile;
}

bool PortLoops::sends_pause(std::uint32_t chip, std::uint32_t port, std::uint32_t pg) const {
  const std::vector<std::uint8_t>& enabled = spec_.chips[chip].ports.pfc_enable;
  return port >= enabled.size() || (enabled[port] >> pg & 1) != 0;
}

}  // namespace sluice
