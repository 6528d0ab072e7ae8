// SPDX-License-Identifier: Apache-2.0
// Construction, wiring and reports of a chip; its datapath is in datapath.cpp.
#include "switch/chip.h"

#include "kernel/error.h"

namespace sluice {
namespace {

std::vector<std::uint8_t> narrow(const std::vector<std::uint32_t>& wide) {
  std::vector<std::uint8_t> result(wide.size());
  for (std::size_t i = 0; i < wide.size(); ++i) result[i] = static_cast<std::uint8_t>(wide[i]);
  return result;
}

MmuGeometry geometry_of(const std::vector<BitsPerSecond>& rates) {
  MmuGeometry geometry;
  geometry.ports = static_cast<std::uint32_t>(rates.size());
  geometry.queues_per_port = SwitchChip::kQueues;
  return geometry;
}

std::vector<std::uint8_t> lossless_masks(const Mmu& mmu, std::size_t ports, bool pfc) {
  std::vector<std::uint8_t> masks(ports, 0);
  for (std::size_t port = 0; port < ports && pfc; ++port) {
    for (std::uint32_t pg = 0; pg < kPriorityGroups; ++pg) {
      if (mmu.lossless(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(pg))) {
        masks[port] = static_cast<std::uint8_t>(masks[port] | 1u << pg);
      }
    }
  }
  return masks;
}

/// Marking applies to the lossless queues; the others have an unmarked profile.
std::unique_ptr<EcnMarker> marker_of(const SwitchParams& params, const Mmu& mmu,
                                     std::size_t ports) {
  EcnParams off = params.ecn;
  off.enabled = false;
  std::vector<std::uint8_t> profile(ports * SwitchChip::kQueues, 1);
  for (std::size_t port = 0; port < ports; ++port) {
    for (std::uint32_t q = 0; q < SwitchChip::kQueues; ++q) {
      if (mmu.lossless(static_cast<std::uint16_t>(port), static_cast<std::uint8_t>(q))) {
        profile[port * SwitchChip::kQueues + q] = 0;
      }
    }
  }
  return make_ecn_marker({params.ecn, off}, profile);
}

}  // namespace

class SwitchChip::PortReceiver : public FrameReceiver {
 public:
  PortReceiver(const SwitchChip& chip, std::uint32_t port) : chip_(chip), port_(port) {}
  ReceivePath receive_path() const override { return chip_.path_of(port_); }

 private:
  const SwitchChip& chip_;
  std::uint32_t port_;
};

SwitchChip::SwitchChip(const sc_core::sc_module_name& name, const SwitchParams& params,
                       const std::vector<BitsPerSecond>& rates, const ChipContext& context)
    : sc_core::sc_module(name),
      tx("tx", rates.size()),
      rx("rx", rates.size()),
      wheel_(context.wheel),
      packets_(context.packets),
      tc_of_dscp_(narrow(params.qos.dscp_to_tc)),
      tc_of_pcp_(narrow(params.qos.pcp_to_tc)),
      egress_(rates.size()),
      queues_(rates.size() * kQueues),
      ingress_(rates.size()),
      routes_(params.routing, context.seed, context.chip),
      params_(params),
      mmu_(make_mmu(params.mmu, geometry_of(rates))),
      ecn_(marker_of(params, *mmu_, rates.size())),
      scheduler_(make_scheduler(params.scheduler, static_cast<std::uint32_t>(rates.size()))),
      pfc_receiver_(rates, lossless_masks(*mmu_, rates.size(), params.pfc.enabled)),
      pfc_sender_(params.pfc, rates),
      ecn_random_(context.seed, context.chip, RandomPurpose::kEcnMark),
      refresh_at_(rates.size(), kNever),
      resume_at_(rates.size(), kNever),
      watermarks_(rates.size(), kQueues) {
  params.validate();
  mmu_raw_ = mmu_.get();
  mmu_lines_ = mmu_->hot_lines();
  std::uint64_t sum = 0;
  for (const BitsPerSecond rate : rates) {
    sum += rate.value;
    mixed_rates_ |= rate != rates.front();
  }
  if (sum > params.capacity.value) {
    throw ConfigError(fmt::format("capacity: {} ports need {} Gb/s, the chip has {} Gb/s",
                                  rates.size(), sum / 1'000'000'000,
                                  params.capacity.value / 1'000'000'000));
  }
  routes_.resize(context.endpoints);
  fifo_limit_cells_ = params.egress_fifo_cells;
  wred_drops_ = params.ecn.drop_not_ect;
  stores_frames_ = params.mode == SwitchingMode::kStoreAndForward;
  mark_at_enqueue_ = params.ecn.mark_at == MarkAt::kEnqueue;
  // Exact for frames up to 9216 B and cells of 64 B or more (checked by a test over all sizes).
  cell_reciprocal_ = ((std::uint64_t{1} << 32) + params.mmu.cell_bytes - 1) / params.mmu.cell_bytes;
  for (std::uint32_t port = 0; port < ports(); ++port) {
    RandomStream offset(context.seed, context.first_port + port, RandomPurpose::kFrequencyOffset);
    const double ppb = (2 * offset.uniform() - 1) * params.freq_offset_ppm * 1000;
    egress_[port].clock = ByteClock(rates[port], static_cast<std::int64_t>(ppb));
    egress_[port].rate_gbps = static_cast<std::uint32_t>(rates[port].value / 1'000'000'000);
    for (std::uint32_t q = 0; q < kQueues; ++q) {
      const bool marks = params.ecn.enabled && mmu_->lossless(static_cast<std::uint16_t>(port),
                                                              static_cast<std::uint8_t>(q));
      if (marks) {
        queues_[port * kQueues + q].ecn_floor =
            params.ecn.weight == 0 ? static_cast<std::uint32_t>(params.ecn.kmin_bytes.value) : 0;
      }
    }
    receivers_.push_back(std::make_unique<PortReceiver>(*this, port));
    rx[port].bind(*receivers_[port]);
  }
  // Two targets a port: arriving frames touch the receive record first, the rest the egress record.
  first_target_ = wheel_.add_targets(*this, ports(), ingress_.data(), sizeof(IngressPort));
  first_egress_target_ = wheel_.add_targets(*this, ports(), egress_.data(), sizeof(EgressPort));
  register_statistics(context.statistics);
}

SwitchChip::~SwitchChip() = default;

void SwitchChip::start_of_simulation() {
  for (std::uint32_t port = 0; port < ports(); ++port) {
    const ReceivePath path = tx[port]->receive_path();
    EgressPort& egress = egress_[port];
    egress.head_delay = params_.latency.from_scheduler() + path.head_delay;
    // A PFC frame enters at the MAC, behind the egress pipeline.
    egress.pfc_delay = params_.latency.tx_phy + path.pfc_delay;
    egress.peer = path.target;
    egress.peer_frame_kind = path.frame_kind;
    egress.peer_pfc_kind = path.pfc_kind;
    egress.peer_at_tail = path.at_tail;
  }
}

ReceivePath SwitchChip::path_of(std::uint32_t port) const {
  ReceivePath path;
  path.head_delay = params_.latency.to_admission();
  path.pfc_delay = params_.latency.rx_phy + params_.latency.rx_mac + params_.pfc.resp_time;
  path.target = first_target_ + port;
  path.frame_kind = kFrame;
  path.pfc_kind = kPfc;
  path.at_tail = params_.mode == SwitchingMode::kStoreAndForward;
  return path;
}

void SwitchChip::settle() {
  pfc_receiver_.settle(wheel_.now());
  watermarks_.settle(*mmu_);
}

ChipReport SwitchChip::report() const {
  ChipReport report;
  report.buffer = mmu_->totals();
  report.lossless_drops = lossless_drops_;
  report.first_loss = first_loss_;
  for (const IngressPort& port : ingress_) {
    for (std::size_t i = 0; i < kChipDropReasons; ++i) report.drops[i] += port.drops[i];
  }
  for (const EgressPort& port : egress_) {
    report.pfc_xoff_frames += port.tx_pfc_xoff_frames;
    report.pfc_xon_frames += port.tx_pfc_xon_frames;
  }
  for (const PfcRxCounters& counters : pfc_receiver_.all_counters()) {
    report.paused_ps += counters.paused_ps;
  }
  for (const EgressQueue& queue : queues_) report.ecn_marked += queue.ecn_marked;
  return report;
}

void SwitchChip::check_conservation() const {
  mmu_->check_conservation();
  std::uint64_t cells = 0;
  for (const EgressQueue& queue : queues_) {
    std::uint64_t bytes = 0;
    for (PacketId id = queue.head; id != kNoPacket; id = packets_[id].next) {
      bytes += packets_[id].frame_bytes;
      cells += packets_[id].cells;
    }
    SLUICE_CHECK(bytes == queue.bytes, "{}: a queue counts {} B and holds {} B", name(),
                 queue.bytes, bytes);
  }
  for (const EgressPort& port : egress_) cells += port.held.cells;
  SLUICE_CHECK(cells == mmu_->totals().used, "{}: packets hold {} cells, the MMU counts {}", name(),
               cells, mmu_->totals().used);
}

}  // namespace sluice
