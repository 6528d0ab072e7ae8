// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/mmu_admission/mmu_sets.h"

#include "switch/mmu/mmu_presets.h"

namespace sluice::cosim {
namespace {

constexpr std::uint64_t kCell = 100;  // bytes
constexpr std::uint32_t kPorts = 4;
constexpr BitsPerSecond k800G{800'000'000'000};

Bytes cells(std::uint64_t n) { return Bytes{n * kCell}; }

/// One slice of a few hundred cells, private headroom, minima everywhere.
MmuParams small_broadcom() {
  MmuParams p;
  p.policy = MmuPolicy::kBroadcom;
  p.cell_bytes = kCell;
  p.total_cells = 1000;
  p.pool_bytes = cells(1000);
  p.num_slices = 1;
  p.shared_headroom_bytes = Bytes{0};
  p.lossless_pgs = {3, 4};
  p.pg_min_bytes = cells(5);
  p.xoff_bytes = cells(40);
  p.xon_bytes = cells(10);
  p.xon_offset_bytes = cells(6);
  p.lossy_pg_min_bytes = cells(2);
  p.lossy_pg_alpha_exp = -1;
  p.lossy_pg_static_bytes = Bytes{0};
  p.queue_min_bytes = cells(3);
  p.queue_min_count = 8;
  p.lossy_alpha_exp = -1;
  return p;
}

MmuParams small_nvidia() {
  MmuParams p = small_broadcom();
  p.policy = MmuPolicy::kNvidia;
  p.port_alpha_enabled = true;
  p.port_alpha_exp = 1;
  p.pg_alpha_exp = 1;
  p.pg_min_bytes = Bytes{0};
  p.xoff_bytes = cells(25);
  p.xon_bytes = cells(8);
  p.hysteresis_cells = 3;
  p.headroom_overhead_cells = 4;
  p.queue_min_bytes = Bytes{0};
  p.lossy_alpha_exp = 2;
  return p;
}

/// Several slices; the pool that groups take headroom from holds less than their caps together.
MmuParams sliced(std::uint32_t slices, SliceBy by) {
  MmuParams p = small_broadcom();
  p.total_cells = 2000;
  p.pool_bytes = cells(2000);
  p.num_slices = slices;
  p.slice_by = by;
  p.shared_headroom_bytes = cells(slices * 50);
  p.xoff_bytes = cells(35);
  p.xon_offset_bytes = cells(9);
  p.pg_alpha_exp = 1;
  p.queue_min_bytes = cells(2);
  return p;
}

/// Pools of their own for lossy traffic, static thresholds, reserves and limits of ports: what
/// SONiC files hold.
MmuParams with_pools(MmuParams p) {
  p.total_cells = 1700;
  p.pool_bytes = cells(900);
  p.lossy_pool_bytes = cells(300);
  p.egress_lossy_pool_bytes = cells(260);
  p.port_min_bytes = cells(12);
  p.port_static_bytes = cells(65);
  p.egress_port_min_bytes = cells(7);
  p.egress_port_static_bytes = cells(60);
  return p;
}

MmuParams with_statics(MmuParams p) {
  p.pg_static_bytes = cells(70);
  p.lossy_pg_static_bytes = cells(90);
  p.lossy_queue_static_bytes = cells(50);
  p.lossless_queue_min_bytes = cells(4);
  p.lossless_queue_static_bytes = cells(120);
  PgProfile other = p.pg_default(3);
  other.alpha_exp = -2;
  other.static_limit = Bytes{0};
  other.xon = Bytes{0};
  other.xon_offset = cells(20);
  p.pg_overrides = {{1, 3, other}, {2, 0, p.pg_default(4)}};
  QueueProfile queue = p.queue_default(0);
  queue.alpha_exp = 3;
  queue.static_limit = Bytes{0};
  p.queue_overrides = {{1, 0, queue}, {2, 5, p.queue_default(3)}};
  return p;
}

/// Ports without reserves that send all the same: the only way to run out of cells.
MmuSet overcommitted() {
  MmuSet set{"ports beyond the plan", small_broadcom(), {kPorts, 8, {1, 0, 0, 0}}, 9, 30};
  set.params.total_cells = 300;
  set.params.pool_bytes = cells(300);
  set.params.pg_min_bytes = cells(20);
  return set;
}

}  // namespace

std::vector<MmuSet> mmu_sets() {
  const MmuGeometry few{kPorts, 8, {}};
  const MmuGeometry many{64, 8, {}};
  MmuParams by_map = sliced(4, SliceBy::kEgress);
  by_map.slice_map = {2, 0, 3, 2};
  MmuParams shared_headroom = small_nvidia();
  shared_headroom.port_alpha_enabled = false;
  shared_headroom.shared_headroom_bytes = cells(60);
  shared_headroom.pg_alpha_exp = -2;
  shared_headroom.xon_bytes = cells(6);
  MmuParams no_minima = small_broadcom();
  no_minima.pg_min_bytes = no_minima.queue_min_bytes = no_minima.lossy_pg_min_bytes = Bytes{0};
  no_minima.xon_bytes = Bytes{0};
  no_minima.pg_alpha_exp = -1;
  return {{"broadcom", small_broadcom(), few, 9, 60},
          {"broadcom, two slices", sliced(2, SliceBy::kIngress), few, 9, 60},
          {"broadcom, four slices by egress", by_map, few, 7, 40},
          {"nvidia", small_nvidia(), few, 9, 60},
          {"nvidia, shared headroom", shared_headroom, few, 9, 60},
          {"pools and port levels", with_pools(small_broadcom()), few, 7, 40},
          {"pools, port levels, statics", with_statics(with_pools(small_broadcom())), few, 7, 40},
          {"nvidia, pools and port levels", with_pools(small_nvidia()), few, 7, 40},
          {"statics in two slices", with_statics(sliced(2, SliceBy::kEgress)), few, 9, 60},
          {"no minima", no_minima, few, 4, 40},
          overcommitted(),
          {"tomahawk5", tomahawk5_mmu(64, k800G, Millimetres{100'000}), many, 9000, 60000},
          {"spectrum4", spectrum4_mmu(64, k800G, Millimetres{100'000}), many, 9000, 60000}};
}

}  // namespace sluice::cosim
