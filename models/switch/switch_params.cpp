// SPDX-License-Identifier: Apache-2.0
#include "switch/switch_params.h"

#include <array>

#include "kernel/error.h"
#include "switch/mmu/mmu_presets.h"

namespace sluice {

void StageLatencies::describe(ParameterVisitor& v) {
  const ParameterRange range{0, 1e7};
  const std::string_view source = "estimate: no vendor publishes stages; sum forced to the total";
  v.visit("rx_phy", rx_phy, range, {"SerDes CDR, deskew, PCS and FEC decode", source});
  v.visit("rx_mac", rx_mac, range, {"MAC and cell segmentation", source});
  v.visit("ingress_pipeline", ingress_pipeline, range, {"parser and lookups", source});
  v.visit("mmu", mmu, range, {"enqueue, buffer write, schedule, read, uncongested", source});
  v.visit("egress_pipeline", egress_pipeline, range, {"rewrite, marking, MAC", source});
  v.visit("tx_phy", tx_phy, range, {"FEC encode and PMA", source});
}

void SwitchParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 2> kModes{"cut_through", "store_and_forward"};
  v.visit("capacity", capacity, {1e9, 1e15},
          {"sum of port rates", "product briefs: 51.2 Tb/s for Spectrum-4 and Tomahawk 5"});
  v.visit("lanes", lanes, {1, 4096},
          {"SerDes lanes; one carries capacity / lanes",
           "product briefs: 512 of 100G (51.2T) or 50G (25.6T)"});
  v.visit("max_ports", max_ports, {1, 1024},
          {"most ports, however slow", "product briefs: 256x200G (51.2T), 256x100G (25.6T)"});
  v.visit("mode", mode, kModes, {"when a frame may leave", "vendor documents: cut-through"});
  v.visit("egress_fifo_cells", egress_fifo_cells, {0, 4096},
          {"FIFO between scheduler and MAC; PFC does not stop what is in it",
           "public SONiC QoS tests of Tomahawk 5 (packets past the scheduler); Spectrum-4: "
           "estimate, none seen",
           "cells"});
  v.visit("freq_offset_ppm", freq_offset_ppm, {0, 100},
          {"each port's clock lies within +- this of nominal", "IEEE 802.3: +-100 ppm; estimate 50",
           "ppm"});
  qos.describe(v);
  v.begin("latency", "stages of the port-to-port latency");
  latency.describe(v);
  v.end();
  v.begin("mmu", "shared buffer");
  mmu.describe(v);
  v.end();
  v.begin("ecn", "marking of the lossless queues");
  ecn.describe(v);
  v.end();
  v.begin("pfc", "priority-based flow control");
  pfc.describe(v);
  v.end();
  v.begin("scheduler", "egress scheduling");
  scheduler.describe(v);
  v.end();
  v.begin("pipes", "ingress pipelines");
  pipes.describe(v);
  v.end();
  v.begin("forwarding", "routed or bridged, and table sizes");
  forwarding.describe(v);
  v.end();
  v.begin("watchdog", "PFC storm watchdog");
  watchdog.describe(v);
  v.end();
  v.begin("routing", "choice among equal-cost ports");
  routing.describe(v);
  v.end();
}

void SwitchParams::validate() const {
  qos.validate();
  mmu.validate();
  ecn.validate();
  pfc.validate();
  scheduler.validate();
  pipes.validate();
  routing.validate();
  forwarding.validate();
  if (forwarding.mode == ForwardingMode::kL2 && routing.mode != LoadBalancing::kEcmp) {
    throw ConfigError("routing.mode: has no effect with forwarding.mode l2");
  }
  watchdog.validate();
}

SwitchParams spectrum4(std::uint32_t ports, BitsPerSecond rate, Millimetres cable) {
  SwitchParams params;
  params.mmu = spectrum4_mmu(ports, rate, cable);
  // 37.6 Gpps in all (TechInsights, 2022); how many pipes is not public.
  params.pipes.packets_per_second = 2'350'000'000;
  params.ecn = EcnParams::for_rate(rate);
  params.watchdog = WatchdogParams::for_ports(ports);
  return params;
}

SwitchParams tomahawk5(std::uint32_t ports, BitsPerSecond rate, Millimetres cable) {
  SwitchParams params;
  params.mmu = tomahawk5_mmu(ports, rate, cable);
  params.ecn = EcnParams::for_rate(rate);
  params.watchdog = WatchdogParams::for_ports(ports);
  // 700 ns in all (vendor brief of a 64x800G box: "from 700 ns"), spread as in the default chip.
  params.latency.ingress_pipeline = Ps{220'000};
  params.latency.mmu = Ps{150'000};
  params.latency.egress_pipeline = Ps{140'000};
  // Packets of one cell past the scheduler in the public QoS tests: 714 on 800G boxes, 376 on 400G,
  // 238 on 200G.
  // 16 pipes of 1.325 GHz, a packet a clock: 21.2 Gpps (data sheets of 64x800G boxes).
  params.pipes.slice_of_pipe = {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0};
  const std::uint64_t gigabits = rate.value / 1'000'000'000;
  params.egress_fifo_cells = gigabits >= 800 ? 714 : gigabits >= 400 ? 376 : 238;
  return params;
}

SwitchParams tomahawk4(std::uint32_t ports, BitsPerSecond rate, Millimetres cable) {
  if (rate.value > 400'000'000'000) {
    throw ConfigError(
        fmt::format("preset: a Tomahawk 4 port has at most 400 Gb/s (8 lanes of 50G), not {} Gb/s",
                    rate.value / 1'000'000'000));
  }
  SwitchParams params;
  params.capacity = BitsPerSecond{25'600'000'000'000};
  params.mmu = tomahawk4_mmu(ports, rate, cable);
  params.ecn = EcnParams::for_rate(rate);
  params.watchdog = WatchdogParams::for_ports(ports);
  // 825 ns in all (vendor brief of a 64x400G box: "from 825 ns"), spread as in the default chip.
  params.latency.ingress_pipeline = Ps{279'000};
  params.latency.mmu = Ps{186'000};
  params.latency.egress_pipeline = Ps{170'000};
  // 10.6 Gpps in all (data sheets of 64x400G boxes).
  params.pipes.count = 8;
  params.pipes.lanes_per_pipe = 64;
  params.pipes.packets_per_second = 1'325'000'000;
  return params;
}

}  // namespace sluice
