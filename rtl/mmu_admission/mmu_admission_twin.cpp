// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_admission_twin.h"

#include <Vmmu_admission.h>
#include <Vmmu_admission_mmu_admission.h>

#include <algorithm>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct MmuAdmissionTwin::Rtl : RtlModel<Vmmu_admission> {
  using RtlModel::RtlModel;
};

namespace {

using Top = Vmmu_admission_mmu_admission;
static_assert(Top::Ports == MmuAdmissionTwin::kMaxPorts);
static_assert(Top::PgProfiles == MmuAdmissionTwin::kMaxProfiles);
static_assert(Top::QueueProfiles == MmuAdmissionTwin::kMaxProfiles);

/// No count reaches this (MmuParams allows 10^8 cells), so that a limit of more is one of this.
constexpr std::uint32_t kMostCells = (1u << Top::CellBits) - 1;
static_assert(kMostCells > 100'000'000 + UINT16_MAX);

std::uint32_t clamped(std::int64_t cells) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(cells, 0, kMostCells));
}

/// n of alpha = 2^n, five bits in two's complement.
std::uint8_t exponent(const AlphaShift& alpha) {
  return static_cast<std::uint8_t>((alpha.left - alpha.right) & 31);
}

void refuse(std::string_view what, std::size_t wanted, std::size_t most) {
  throw ConfigError(fmt::format("mmu_admission in RTL: {} {}, it has {}", wanted, what, most));
}

}  // namespace

MmuAdmissionTwin::MmuAdmissionTwin(const MmuParams& params, const MmuGeometry& geometry,
                                   const RtlOptions& options)
    : tables_(resolve(params, geometry)),
      nvidia_(params.policy == MmuPolicy::kNvidia),
      mirror_(tables_) {
  check_size();
  books_.until_check = kCheckEvery;
  rtl_ = std::make_unique<Rtl>(options);
  Vmmu_admission& pins = rtl_->pins();
  pins.chip_valid_i = pins.slice_valid_i = pins.pg_valid_i = pins.queue_valid_i = 0;
  pins.map_valid_i = pins.in_valid_i = 0;
  rtl_->reset();
  configure();
}

MmuAdmissionTwin::~MmuAdmissionTwin() = default;

void MmuAdmissionTwin::check_size() const {
  if (tables_.ports > kMaxPorts) refuse("ports", tables_.ports, kMaxPorts);
  if (tables_.queues_per_port > kQueues) {
    refuse("queues a port (queues_per_port)", tables_.queues_per_port, kQueues);
  }
  if (tables_.pg_limits.size() > kMaxProfiles) {
    refuse("kinds of priority groups (mmu.port*_pg*)", tables_.pg_limits.size(), kMaxProfiles);
  }
  if (tables_.queue_limits.size() > kMaxProfiles) {
    refuse("kinds of queues (mmu.port*_queue*)", tables_.queue_limits.size(), kMaxProfiles);
  }
}

void MmuAdmissionTwin::configure() {
  configure_chip();
  configure_profiles();
  configure_map();
}

void MmuAdmissionTwin::configure_chip() {
  Vmmu_admission& pins = rtl_->pins();
  pins.chip_valid_i = 1;
  pins.chip_nvidia_i = nvidia_;
  pins.chip_by_ingress_i = tables_.by_ingress;
  pins.chip_shared_headroom_i = tables_.shared_headroom;
  pins.chip_port_level_i = tables_.port_level;
  pins.chip_port_alpha_i = exponent(tables_.port_alpha);
  pins.chip_total_i = tables_.total_cells;
  pins.chip_in_min_i = tables_.port.min;
  pins.chip_in_limited_i = tables_.port.limit != kDynamic;
  pins.chip_in_limit_i = clamped(tables_.port.limit);
  pins.chip_out_min_i = tables_.egress_port.min;
  pins.chip_out_limited_i = tables_.egress_port.limit != kDynamic;
  pins.chip_out_limit_i = clamped(tables_.egress_port.limit);
  rtl_->tick();
  pins.chip_valid_i = 0;
  pins.slice_valid_i = 1;
  for (std::size_t s = 0; s < tables_.slices.size(); ++s) {
    const SliceLimits& slice = tables_.slices[s];
    pins.slice_index_i = static_cast<std::uint8_t>(s);
    pins.slice_main_i = slice.shared;
    pins.slice_lossy_i = slice.lossy;
    pins.slice_egress_i = slice.egress;
    pins.slice_headroom_i = slice.headroom;
    rtl_->tick();
  }
  pins.slice_valid_i = 0;
}

void MmuAdmissionTwin::configure_profiles() {
  Vmmu_admission& pins = rtl_->pins();
  pins.pg_valid_i = 1;
  for (std::size_t i = 0; i < tables_.pg_limits.size(); ++i) {
    const PgLimits& pg = tables_.pg_limits[i];
    pins.pg_profile_i = static_cast<std::uint8_t>(i);
    pins.pg_lossless_i = pg.lossless;
    pins.pg_own_pool_i = pg.own_pool;
    pins.pg_static_i = pg.static_limit != kDynamic;
    pins.pg_alpha_i = exponent(pg.alpha);
    pins.pg_static_limit_i = clamped(pg.static_limit);
    pins.pg_min_i = clamped(pg.min);
    pins.pg_room_i = clamped(pg.room);
    pins.pg_private_i = clamped(pg.private_headroom);
    pins.pg_xon_i = clamped(pg.xon);
    pins.pg_xon_offset_i = clamped(pg.xon_offset);
    pins.pg_xoff_above_i = clamped(pg.xoff_above);
    rtl_->tick();
  }
  pins.pg_valid_i = 0;
  pins.queue_valid_i = 1;
  for (std::size_t i = 0; i < tables_.queue_limits.size(); ++i) {
    const QueueLimits& queue = tables_.queue_limits[i];
    pins.queue_profile_i = static_cast<std::uint8_t>(i);
    pins.queue_lossless_i = queue.lossless;
    pins.queue_static_i = queue.static_limit != kDynamic;
    pins.queue_alpha_i = exponent(queue.alpha);
    pins.queue_static_limit_i = clamped(queue.static_limit);
    pins.queue_min_i = clamped(queue.min);
    rtl_->tick();
  }
  pins.queue_valid_i = 0;
}

/// Which profiles every port uses; its counts in every slice are emptied with it.
void MmuAdmissionTwin::configure_map() {
  Vmmu_admission& pins = rtl_->pins();
  pins.map_valid_i = 1;
  for (std::size_t s = 0; s < tables_.slices.size(); ++s) {
    for (std::uint32_t port = 0; port < tables_.ports; ++port) {
      for (std::uint32_t n = 0; n < kPriorityGroups; ++n) {
        const std::uint32_t queue = std::min(n, tables_.queues_per_port - 1);
        pins.map_slice_i = static_cast<std::uint8_t>(s);
        pins.map_port_i = static_cast<std::uint16_t>(port);
        pins.map_class_i = static_cast<std::uint8_t>(n);
        pins.map_home_i = tables_.slice_of_port[port];
        pins.map_pg_profile_i =
            static_cast<std::uint8_t>(tables_.pg_profile[port * kPriorityGroups + n]);
        pins.map_queue_profile_i = static_cast<std::uint8_t>(
            tables_.queue_profile[port * tables_.queues_per_port + queue]);
        rtl_->tick();
      }
    }
  }
  pins.map_valid_i = 0;
}

const MmuAnswer& MmuAdmissionTwin::clock(const Command* command) {
  Vmmu_admission& pins = rtl_->pins();
  pins.in_valid_i = command != nullptr;
  if (command != nullptr) {
    const MmuRequest& r = command->request;
    pins.in_release_i = command->release;
    pins.in_ingress_port_i = r.ingress_port;
    pins.in_pg_i = r.pg;
    pins.in_egress_port_i = r.egress_port;
    pins.in_queue_i = r.queue;
    pins.in_cells_i = r.cells;
    asked_.push_back(*command);
  }
  rtl_->tick();
  answer_.valid = pins.out_valid_o;
  if (!answer_.valid) return answer_;
  if (asked_.empty()) throw RtlError("an answer without a request");
  answer_ = {.valid = true,
             .drop = static_cast<DropReason>(pins.out_drop_o),
             .xoff = pins.out_xoff_o != 0,
             .xon = pins.out_xon_o != 0,
             .pg_xoff = pins.out_pg_xoff_o != 0,
             .slice = pins.out_slice_o,
             .pg_min = pins.out_pg_min_o,
             .pg_shared = pins.out_pg_shared_o,
             .pg_headroom = pins.out_pg_headroom_o,
             .pg_total = pins.out_pg_total_o,
             .queue_min = pins.out_queue_min_o,
             .queue_shared = pins.out_queue_shared_o,
             .main = pins.out_main_o,
             .lossy = pins.out_lossy_o,
             .egress = pins.out_egress_o,
             .headroom = pins.out_headroom_o,
             .free = pins.out_free_o};
  if (answer_.slice >= tables_.slices.size()) throw RtlError("an answer in a slice that is not");
  mirror_.apply(asked_.front().request,
                !asked_.front().release && answer_.drop == DropReason::kNone, answer_);
  asked_.pop_front();
  return answer_;
}

const MmuAnswer& MmuAdmissionTwin::ask(const Command& command) {
  clock(&command);
  for (unsigned i = 1; i < kLatency && !answer_.valid; ++i) clock(nullptr);
  if (!answer_.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  return answer_;
}

AdmitResult MmuAdmissionTwin::admit_any(MmuRequest request) {
  const MmuAnswer& answer = ask({request, false});
  return {answer.drop, answer.xoff};
}

bool MmuAdmissionTwin::release_any(MmuRequest request) { return ask({request, true}).xon; }

std::uint64_t MmuAdmissionTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
