// SPDX-License-Identifier: Apache-2.0
#include "study/check/port_loops.h"

#include <algorithm>

#include "packet/serialisation.h"

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
    frames.largest = write_frame_bytes(spec.nic.mtu_bytes, true, {.vlan = spec.nic.vlan_tag});
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
}

std::uint32_t PortLoops::ports(std::uint32_t chip) const {
  return wiring_.topology().chip_ports[chip] + spec_.chips[chip].ports.unwired_ports;
}

const LinkParams& PortLoops::link(std::uint32_t chip, std::uint32_t port) const {
  return wiring_.to_host(chip, port) ? spec_.host_link : spec_.link;
}

BitsPerSecond PortLoops::rate(std::uint32_t chip, std::uint32_t port) const {
  return link(chip, port).rate;
}

LoopReceiver PortLoops::receiver(std::uint32_t chip) const {
  const SwitchParams& params = spec_.chips[chip];
  const StageLatencies& stages = params.latency;
  LoopReceiver receiver;
  receiver.to_wire = {{"latency.tx_phy", stages.tx_phy}};
  receiver.to_admission = {{"latency.rx_phy", stages.rx_phy},
                           {"latency.rx_mac", stages.rx_mac},
                           {"latency.ingress_pipeline", stages.ingress_pipeline},
                           {"latency.mmu", stages.mmu}};
  receiver.stores_frames = params.mode == SwitchingMode::kStoreAndForward;
  receiver.cell_bytes = params.mmu.cell_bytes;
  receiver.ppm = params.freq_offset_ppm;
  receiver.slowest_port = rate(chip, 0);
  for (std::uint32_t port = 1; port < wiring_.topology().chip_ports[chip]; ++port) {
    receiver.slowest_port = std::min(receiver.slowest_port, rate(chip, port));
  }
  return receiver;
}

LoopPeer PortLoops::peer(std::uint32_t chip, std::uint32_t port) const {
  const PortRef& far = wiring_.far_end(chip, port);
  if (far.is_chip) return chip_peer(spec_.chips[far.node]);
  return spec_.is_raw() ? tester_peer(spec_.raw.endpoint) : nic_peer(spec_.nic);
}

PauseLoop PortLoops::loop(std::uint32_t chip, std::uint32_t port) const {
  const LinkParams& cable = link(chip, port);
  return {receiver(chip),
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
