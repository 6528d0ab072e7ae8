// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/switch_slice/slice_rtl.h"

#include <Vswitch_slice.h>
#include <Vswitch_slice_switch_slice.h>

#include <algorithm>

#include "packet/addressing.h"
#include "rtl/egress_scheduler/egress_scheduler_twin.h"
#include "rtl/harness/rtl_model.h"
#include "rtl/harness/wide.h"
#include "switch/mmu/mmu_tables.h"
#include "switch/qos/class_table.h"

namespace sluice::cosim {
namespace {

constexpr unsigned kClasses = 8;
constexpr unsigned kQuantumBits = 23;
constexpr unsigned kBytesBits = 10;  // of a cell, on the pins
constexpr std::uint64_t kBytesMask = (1u << kBytesBits) - 1;
constexpr std::uint32_t kMostCells = (1u << 20) - 1;
/// Numbers of the slice's own faults follow this one: those of the blocks in it are below.
constexpr int kFirstFault = 100;

using Shape = Vswitch_slice_switch_slice;
static_assert(Shape::CellBytes == kSliceCellBytes);
static_assert(Shape::PauseClocks == kSlicePauseClocks && Shape::ClockPs == kSliceClockPs);
static_assert(Shape::ClockUnits == kSliceClockUnits && Shape::ByteUnits == kSliceByteUnits);

rtl::RtlOptions with_own_fault(rtl::RtlOptions options) {
  if (options.fault != 0) options.fault += kFirstFault;
  return options;
}

std::uint32_t clamped(std::uint32_t cells) { return std::min(cells, kMostCells); }
std::uint8_t exponent(const AlphaShift& alpha) {
  return static_cast<std::uint8_t>((alpha.left - alpha.right) & 31);
}

std::uint32_t number_in(const std::array<std::uint8_t, 64>& word) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | word[kSliceNumberAt + i];
  return number;
}

}  // namespace

struct SliceRtl::Rtl : rtl::RtlModel<Vswitch_slice> {
  using RtlModel::RtlModel;
};

SliceRtl::SliceRtl(const SwitchParams& params, const rtl::RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(with_own_fault(options))) {
  Vswitch_slice& pins = rtl_->pins();
  pins.host_valid_i = pins.class_valid_i = pins.chip_valid_i = pins.slice_valid_i = 0;
  pins.pg_valid_i = pins.queue_valid_i = pins.map_valid_i = pins.sched_valid_i = 0;
  pins.sched_bucket_valid_i = pins.sched_map_valid_i = pins.curve_valid_i = 0;
  pins.mark_map_valid_i = pins.pause_valid_i = 0;
  pins.now_i = 0;
  pins.in_valid_i = 0;
  rtl_->reset();
  configure(params);
  configure_mmu(params);
  configure_pauses(params);
}

SliceRtl::~SliceRtl() = default;

std::uint64_t SliceRtl::cycle() const { return rtl_->cycle(); }

void SliceRtl::configure(const SwitchParams& params) {
  Vswitch_slice& pins = rtl_->pins();
  const auto write = [this](auto& valid) {
    valid = 1;
    rtl_->tick();
    valid = 0;
  };
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    pins.host_index_i = static_cast<std::uint8_t>(port);
    pins.host_address_i = ipv4_address_of(port);
    pins.host_port_i = static_cast<std::uint8_t>(port);
    write(pins.host_valid_i);
  }
  const ClassTable classes(params.qos);
  for (unsigned dscp = 0; dscp < 64; ++dscp) {
    const FrameClass cls = classes.of_dscp(static_cast<std::uint8_t>(dscp));
    pins.class_dscp_i = static_cast<std::uint8_t>(dscp);
    pins.class_pg_i = cls.pg;
    pins.class_queue_i = cls.queue;
    write(pins.class_valid_i);
  }
  const auto quanta = rtl::scheduler_quanta(params.scheduler);
  pins.sched_strict_i = 0;
  for (const std::uint32_t queue : params.scheduler.strict_queues) {
    pins.sched_strict_i = static_cast<std::uint8_t>(pins.sched_strict_i | 1u << queue);
  }
  for (unsigned q = 0; q < kClasses; ++q) {
    rtl::put_bits(pins.sched_quanta_i, q * kQuantumBits, kQuantumBits, quanta[q]);
  }
  write(pins.sched_valid_i);
  for (unsigned bucket = 0; bucket <= kClasses; ++bucket) {
    pins.sched_bucket_i = static_cast<std::uint8_t>(bucket);
    write(pins.sched_bucket_valid_i);
  }
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    pins.sched_map_port_i = static_cast<std::uint8_t>(port);
    write(pins.sched_map_valid_i);
  }
  for (unsigned curve = 0; curve < 2; ++curve) {
    const EcnParams& p = params.ports.curves.front();
    pins.curve_profile_i = static_cast<std::uint8_t>(curve);
    pins.curve_enabled_i = curve == 1;
    pins.curve_kmin_i = static_cast<std::uint32_t>(p.kmin_bytes.value);
    pins.curve_kmax_i = static_cast<std::uint32_t>(p.kmax_bytes.value);
    write(pins.curve_valid_i);
  }
  for (unsigned queue = 0; queue < kSlicePorts * kClasses; ++queue) {
    pins.mark_map_queue_i = static_cast<std::uint8_t>(queue);
    pins.mark_map_profile_i = params.ports.curve_of_queue[queue] != 0;
    write(pins.mark_map_valid_i);
  }
}

void SliceRtl::configure_mmu(const SwitchParams& params) {
  const MmuTables tables = resolve(params.mmu, {kSlicePorts, kClasses, {}});
  Vswitch_slice& pins = rtl_->pins();
  const auto write = [this](auto& valid) {
    valid = 1;
    rtl_->tick();
    valid = 0;
  };
  pins.chip_nvidia_i = params.mmu.policy == MmuPolicy::kNvidia;
  pins.chip_total_i = tables.total_cells;
  write(pins.chip_valid_i);
  pins.slice_main_i = tables.slices[0].shared;
  pins.slice_lossy_i = tables.slices[0].lossy;
  pins.slice_egress_i = tables.slices[0].egress;
  write(pins.slice_valid_i);
  for (std::size_t i = 0; i < tables.pg_limits.size(); ++i) {
    const PgLimits& pg = tables.pg_limits[i];
    pins.pg_profile_i = static_cast<std::uint8_t>(i);
    pins.pg_own_pool_i = pg.own_pool;
    pins.pg_static_i = pg.static_limit != kDynamic;
    pins.pg_alpha_i = exponent(pg.alpha);
    pins.pg_static_limit_i = clamped(pg.static_limit);
    pins.pg_min_i = clamped(pg.min);
    write(pins.pg_valid_i);
  }
  for (std::size_t i = 0; i < tables.queue_limits.size(); ++i) {
    const QueueLimits& queue = tables.queue_limits[i];
    pins.queue_profile_i = static_cast<std::uint8_t>(i);
    pins.queue_static_i = queue.static_limit != kDynamic;
    pins.queue_alpha_i = exponent(queue.alpha);
    pins.queue_static_limit_i = clamped(queue.static_limit);
    pins.queue_min_i = clamped(queue.min);
    write(pins.queue_valid_i);
  }
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    for (std::uint32_t n = 0; n < kClasses; ++n) {
      pins.map_port_i = static_cast<std::uint8_t>(port);
      pins.map_class_i = static_cast<std::uint8_t>(n);
      pins.map_pg_profile_i = static_cast<std::uint8_t>(tables.pg_profile[port * kClasses + n]);
      pins.map_queue_profile_i =
          static_cast<std::uint8_t>(tables.queue_profile[port * kClasses + n]);
      write(pins.map_valid_i);
    }
  }
}

void SliceRtl::configure_pauses(const SwitchParams& params) {
  // ps of 512 bit times at 800 Gb/s, a whole number, in units of 2^-58.
  constexpr std::uint64_t kQuantumPs = 640;
  constexpr unsigned kPointBits = 58;
  Vswitch_slice& pins = rtl_->pins();
  const __uint128_t quantum = static_cast<__uint128_t>(kQuantumPs) << kPointBits;
  rtl::put_bits(pins.pause_quantum_i, 0, 64, static_cast<std::uint64_t>(quantum));
  rtl::put_bits(pins.pause_quantum_i, 64, 24, static_cast<std::uint64_t>(quantum >> 64));
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    pins.pause_port_i = static_cast<std::uint8_t>(port);
    pins.pause_lossless_i = params.pfc.enabled ? params.ports.pfc_enable[port] : std::uint8_t{0};
    pins.pause_valid_i = 1;
    rtl_->tick();
    pins.pause_valid_i = 0;
  }
}

/// Cells that come in this clock.
void SliceRtl::drive(const SliceTrace& trace, std::uint64_t clock) {
  Vswitch_slice& pins = rtl_->pins();
  pins.in_valid_i = pins.in_first_i = pins.in_last_i = 0;
  pins.now_i = clock * kSliceClockPs;
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    if (next_[port] == waiting_[port].size()) continue;
    const SliceFrame& frame = trace.frames[waiting_[port][next_[port]]];
    const std::uint32_t cell = cell_[port];
    const bool last = cell + 1 == slice_cells(frame.bytes);
    const std::uint32_t bytes = last ? frame.bytes - cell * kSliceCellBytes : kSliceCellBytes;
    if (frame.clock + slice_cell_delay(cell) > clock) continue;
    const auto bit = static_cast<std::uint8_t>(1u << port);
    pins.in_valid_i |= bit;
    if (cell == 0) pins.in_first_i |= bit;
    if (last) pins.in_last_i |= bit;
    const unsigned at = port * kBytesBits;
    pins.in_bytes_i &= ~(kBytesMask << at);
    pins.in_bytes_i |= std::uint64_t{bytes} << at;
    for (unsigned i = 0; i < 16; ++i) {
      // Cells behind the first carry their frame's number and their own.
      std::uint32_t value = waiting_[port][next_[port]] << 8 | cell;
      if (cell == 0) {
        value = 0;
        for (unsigned b = 0; b < 4; ++b) value |= std::uint32_t{frame.word[i * 4 + b]} << (8 * b);
      }
      pins.in_word_i[port * 16 + i] = value;
    }
    cell_[port] = last ? 0 : cell + 1;
    if (last) ++next_[port];
  }
}

void SliceRtl::watch(std::uint64_t clock, SliceDepartures& out, const SliceBad& bad) {
  Vswitch_slice& pins = rtl_->pins();
  out.dropped += pins.drop_o;
  out.no_route += pins.no_route_o;
  out.late_verdicts += pins.late_verdict_o;
  out.late_releases += pins.late_release_o;
  out.most_cells = std::max<std::uint64_t>(out.most_cells, pins.used_o);
  for (std::uint32_t port = 0; port < kSlicePorts; ++port) {
    if ((pins.out_valid_o >> port & 1u) == 0) continue;
    const bool first = (pins.out_first_o >> port & 1u) != 0;
    const bool last = (pins.out_last_o >> port & 1u) != 0;
    std::array<std::uint8_t, 64> word{};
    for (unsigned i = 0; i < 64; ++i) {
      word[i] = static_cast<std::uint8_t>(pins.out_word_o[port * 16 + i / 4] >> (8 * (i % 4)));
    }
    if (first != (left_[port] == 0)) bad("out_first_o", left_[port] == 0, first);
    if (first) {
      leaving_[port] = number_in(word);
      if (leaving_[port] >= trace_->frames.size())
        bad("frame", trace_->frames.size(), leaving_[port]);
      left_[port] = slice_cells(trace_->frames[leaving_[port]].bytes);
      // The wire: not before the frame ahead and its gap have passed.
      const std::uint64_t now = clock * kSliceClockUnits;
      std::uint64_t& free = wire_free_[port];
      if (now + kSliceClockUnits <= free) bad("clock of the wire", free / kSliceClockUnits, clock);
      free = std::max(free, now) + slice_wire_units(trace_->frames[leaving_[port]].bytes);
      if (slice_ip_sum(word) != 0xffff) bad("checksum", 0xffff, slice_ip_sum(word));
      out.ports[port].push_back(
          {leaving_[port], static_cast<double>(clock), (word[15] & 3u) == 3u});
    } else {
      const SliceFrame& frame = trace_->frames[leaving_[port]];
      const std::uint32_t cell = slice_cells(frame.bytes) - left_[port];
      bad("cell", leaving_[port] << 8 | cell, pins.out_word_o[port * 16]);
    }
    const SliceFrame& frame = trace_->frames[leaving_[port]];
    --left_[port];
    const std::uint32_t size = left_[port] != 0
                                   ? kSliceCellBytes
                                   : frame.bytes - (slice_cells(frame.bytes) - 1) * kSliceCellBytes;
    bad("out_bytes_o", size, pins.out_bytes_o >> (port * kBytesBits) & kBytesMask);
    bad("out_last_o", left_[port] == 0, last);
  }
}

SliceDepartures SliceRtl::run(const SliceTrace& trace, std::uint64_t clocks,
                              const std::function<void(std::uint64_t)>& at, const SliceBad& bad) {
  trace_ = &trace;
  for (std::uint32_t i = 0; i < trace.frames.size(); ++i) {
    waiting_[trace.frames[i].port].push_back(i);
  }
  SliceDepartures out;
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    drive(trace, clock);
    rtl_->tick();
    at(rtl_->cycle());
    watch(clock, out, bad);
  }
  return out;
}

}  // namespace sluice::cosim
