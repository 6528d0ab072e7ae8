// SPDX-License-Identifier: Apache-2.0
// Construction, wiring and reports of a chip; its datapath is in datapath.cpp.
#include "switch/chip.h"

#include "kernel/error.h"
#include "packet/addressing.h"
#include "switch/chip_setup.h"

namespace sluice {
namespace {

std::vector<ClassTable> class_tables_of(const SwitchParams& params) {
  std::vector<ClassTable> tables{ClassTable(params.qos)};
  for (const QosMaps& maps : params.ports.maps) tables.emplace_back(maps);
  return tables;
}

std::unique_ptr<Mmu> mmu_of(const MmuParams& params, const MmuGeometry& geometry,
                            SwitchBlockSwap* swap, const BlockPlace& place) {
  auto mmu = make_mmu(params, geometry);
  if (swap == nullptr) return mmu;
  return swap->mmu_admission(std::move(mmu), params, geometry, place);
}

std::unique_ptr<EcnMarker> marker_of(const QueueCurves& curves, SwitchBlockSwap* swap,
                                     const BlockPlace& place) {
  auto marker = make_ecn_marker(curves.curves, curves.curve_of_queue);
  if (swap == nullptr) return marker;
  return swap->wred_marker(std::move(marker), curves.curves, curves.curve_of_queue, place);
}

std::unique_ptr<Scheduler> scheduler_of(const SwitchParams& params, std::size_t ports,
                                        SwitchBlockSwap* swap, const BlockPlace& place) {
  const SchedulerProfiles of = scheduler_profiles(params.scheduler, params.ports, ports);
  auto scheduler = make_scheduler(of.profiles, of.profile_of_port);
  if (swap == nullptr) return scheduler;
  return swap->egress_scheduler(std::move(scheduler), of.profiles, of.profile_of_port, place);
}

std::unique_ptr<PfcReceiver> pfc_receiver_of(const std::vector<BitsPerSecond>& rates,
                                             const std::vector<std::uint8_t>& lossless,
                                             SwitchBlockSwap* swap, const BlockPlace& place) {
  if (swap != nullptr) return swap->pfc_rx(rates, lossless, place);
  return std::make_unique<PfcReceiver>(rates, lossless);
}

std::unique_ptr<PfcSender> pfc_sender_of(const PfcParams& params,
                                         const std::vector<BitsPerSecond>& rates,
                                         SwitchBlockSwap* swap, const BlockPlace& place) {
  if (swap != nullptr) return swap->pfc_tx(params, rates, place);
  return std::make_unique<PfcSender>(params, rates);
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
      pipes_(params.pipes),
      class_tables_(class_tables_of(params)),
      egress_(rates.size()),
      queues_(rates.size() * kQueues),
      ingress_(rates.size()),
      routes_(params.routing, context.seed, context.chip, context.ipv6),
      params_(params),
      ipv6_(context.ipv6),
      endpoints_(context.endpoints),
      fib_({params.forwarding.lpm_entries, params.forwarding.host_entries}),
      pipe_of_port_(pipes_of_ports(params.pipes, params.capacity, rates, params.ports.first_lane)),
      mmu_(mmu_of(mmu_params_of(params, pipe_of_port_), mmu_geometry_of(params, rates.size()),
                  context.swap, {this->name(), &context.wheel})),
      ecn_(marker_of(queue_curves(params, *mmu_, rates.size()), context.swap,
                     {this->name(), &context.wheel})),
      scheduler_(scheduler_of(params, rates.size(), context.swap, {this->name(), &context.wheel})),
      pfc_receiver_(pfc_receiver_of(rates, pfc_masks(params, *mmu_, rates.size()), context.swap,
                                    {this->name(), &context.wheel})),
      pfc_sender_(pfc_sender_of(params.pfc, rates, context.swap, {this->name(), &context.wheel})),
      ecn_random_(context.seed, context.chip, RandomPurpose::kEcnMark),
      refresh_at_(rates.size(), kNever),
      resume_at_(rates.size(), kNever),
      watermarks_(rates.size(), kQueues, mmu_->slices()),
      watchdog_(watchdog_of(params.watchdog, params.ports, rates.size())),
      poll_at_(rates.size(), kNever) {
  params.validate();
  mmu_raw_ = mmu_.get();
  mmu_lines_ = mmu_->hot_lines();
  check_capacity(params, rates);
  for (const BitsPerSecond rate : rates) mixed_rates_ |= rate != rates.front();
  // One entry more for the broadcast address, which no route leads to.
  routes_.resize(context.endpoints + 1);
  if (params.forwarding.mode == ForwardingMode::kL2) {
    routes_.close();
    bridge_ = std::make_unique<Bridge>(params.forwarding, ports(), broadcast_of(endpoints_));
  }
  fifo_limit_cells_ = params.egress_fifo_cells;
  stores_frames_ = params.mode == SwitchingMode::kStoreAndForward;
  pipes_limit_ = IngressPipes::can_be_oversubscribed(params.pipes, rates, pipe_of_port_);
  open_gate();
  for (std::uint32_t port = 0; port < ports(); ++port) shapes_ |= scheduler_->shapes(port);
  special_starts_ = mixed_rates_ || shapes_;
  plain_service_ = !special_starts_ && fifo_limit_cells_ == 0;
  if (context.swap != nullptr) {
    set_cells(context.swap->cell_buffer({mmu_->totals().total, ports() * kQueues},
                                        {this->name(), &context.wheel}));
  }
  // Exact for frames up to 9216 B and cells of 64 B or more (checked by a test over all sizes).
  cell_reciprocal_ = ((std::uint64_t{1} << 32) + params.mmu.cell_bytes - 1) / params.mmu.cell_bytes;
  for (std::uint32_t port = 0; port < ports(); ++port) {
    configure_port(port, rates[port], context);
    receivers_.push_back(std::make_unique<PortReceiver>(*this, port));
    rx[port].bind(*receivers_[port]);
  }
  configure_queues();
  // Two targets a port: arriving frames touch the receive record first, the rest the egress record.
  first_target_ = wheel_.add_targets(*this, ports(), ingress_.data(), sizeof(IngressPort));
  first_egress_target_ = wheel_.add_targets(*this, ports(), egress_.data(), sizeof(EgressPort));
  adaptive_ = AdaptiveRouting::make(params, adaptive_context(rates, context), wheel_, packets_,
                                    first_egress_target_, kAdaptiveTick);
  if (context.swap != nullptr) swap_routing(*context.swap, {this->name(), &context.wheel});
  register_statistics(context.statistics);
}

SwitchChip::~SwitchChip() = default;

void SwitchChip::configure_port(std::uint32_t port, BitsPerSecond rate,
                                const ChipContext& context) {
  RandomStream offset(context.seed, context.first_port + port, RandomPurpose::kFrequencyOffset);
  const double ppb = (2 * offset.uniform() - 1) * params_.freq_offset_ppm * 1000;
  egress_[port].clock = ByteClock(rate, static_cast<std::int64_t>(ppb));
  egress_[port].rate_gbps = static_cast<std::uint32_t>(rate.value / 1'000'000'000);
  const std::vector<std::uint16_t>& maps = params_.ports.maps_of_port;
  IngressPort& ingress = ingress_[port];
  ingress.classes = &class_tables_[maps.empty() ? 0 : maps[port]];
  ingress.pipe = pipe_of_port_[port];
}

void SwitchChip::configure_queues() {
  const QueueCurves curves = queue_curves(params_, *mmu_, ports());
  const std::vector<std::uint8_t> masks = pfc_masks(params_, *mmu_, ports());
  for (std::uint32_t port = 0; port < ports(); ++port) {
    ingress_[port].pfc_enable = masks[port];
    queue_maps_differ_ |= !ingress_[port].classes->same_queues(*ingress_[0].classes);
  }
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const EcnParams& curve = curves.curves[curves.curve_of_queue[i]];
    if (!curve.enabled) continue;
    EgressQueue& queue = queues_[i];
    queue.ecn_floor = curve.quiet_depth();
    queue.marks_at_enqueue = curve.mark_at == MarkAt::kEnqueue;
    queue.wred_drops = curve.drop_not_ect;
  }
}

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
    if (adaptive_) {
      adaptive_->set_upstream(port, {path.takes_notices, path.target, path.notice_kind,
                                     egress.pfc_delay + egress.clock.peek(64 + kPreambleBytes)});
    }
  }
}

ReceivePath SwitchChip::path_of(std::uint32_t port) const {
  ReceivePath path;
  path.head_delay = params_.latency.to_admission();
  path.pfc_delay = params_.latency.rx_phy + params_.latency.rx_mac + params_.pfc.resp_time;
  path.target = first_target_ + port;
  path.frame_kind = kFrame;
  path.pfc_kind = kPfc;
  path.notice_kind = kNotice;
  path.takes_notices = adaptive_ != nullptr;
  path.at_tail = params_.mode == SwitchingMode::kStoreAndForward;
  return path;
}

void SwitchChip::set_tap(std::uint32_t port, TapPoint tap) {
  taps_.resize(ports());
  taps_[port] = tap;
  special_starts_ = true;
  plain_service_ = false;
}

void SwitchChip::set_cells(std::unique_ptr<PacketCells> cells) {
  cells_ = std::move(cells);
  special_starts_ |= cells_ != nullptr;
  plain_service_ &= cells_ == nullptr;
  open_gate();
}

void SwitchChip::settle() {
  pfc_receiver_->settle(wheel_.now());
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
  for (const PfcRxCounters& counters : pfc_receiver_->all_counters()) {
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
      cells += packets_[id].claim.cells;
    }
    SLUICE_CHECK(bytes == queue.bytes, "{}: a queue counts {} B and holds {} B", name(),
                 queue.bytes, bytes);
  }
  for (const EgressPort& port : egress_) cells += port.held.cells;
  SLUICE_CHECK(cells == mmu_->totals().used, "{}: packets hold {} cells, the MMU counts {}", name(),
               cells, mmu_->totals().used);
  SLUICE_CHECK(cells_ == nullptr || cells == cells_->used(),
               "{}: packets hold {} cells, the cell buffer counts {}", name(), cells,
               cells_->used());
}

}  // namespace sluice
