// SPDX-License-Identifier: Apache-2.0
// Figures of public SONiC profiles (SN5600, Arista 7060X6, Dell Z9664F) and the headroom formula.
// Leaves out: SKUs with mixed speeds, which need overrides per port.
#include "switch/mmu/mmu_presets.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::uint64_t kGbitPerS = 1000000000;
/// Both vendors' headroom tables follow a signal at 1.98e8 m/s (5.05 ns/m).
constexpr double kMetresPerSecond = 1.98e8;

struct HeadroomPoint {
  double metres;
  double bytes;
};

Bytes interpolate(std::span<const HeadroomPoint> points, double metres) {
  std::size_t i = 1;
  while (i + 1 < points.size() && metres > points[i].metres) ++i;
  const HeadroomPoint& a = points[i - 1];
  const HeadroomPoint& b = points[i];
  const double slope = (b.bytes - a.bytes) / (b.metres - a.metres);
  // Shorter than the shortest published cable: its headroom.
  const double bytes =
      metres <= points[0].metres ? points[0].bytes : a.bytes + slope * (metres - a.metres);
  return Bytes{static_cast<std::uint64_t>(std::ceil(bytes))};
}

double metres_of(Millimetres cable) { return static_cast<double>(cable.value) / 1000; }

std::uint64_t round_up(double value, std::uint64_t step) {
  return static_cast<std::uint64_t>(std::ceil(value / static_cast<double>(step))) * step;
}

}  // namespace

std::uint32_t peer_response_quanta(BitsPerSecond rate) {
  constexpr std::array<std::pair<std::uint64_t, std::uint32_t>, 8> kQuanta{
      {{800, 905}, {400, 905}, {200, 453}, {100, 394}, {50, 147}, {40, 118}, {25, 80}, {10, 67}}};
  for (const auto& [gbit, quanta] : kQuanta) {
    if (rate.value == gbit * kGbitPerS) return quanta;
  }
  throw ConfigError(fmt::format(
      "port rate {} bit/s has no published PFC response budget (10, 25, 40, 50, 100, 200, 400 or "
      "800 Gb/s); set mmu.xoff_bytes",
      rate.value));
}

Bytes vendor_xoff(const HeadroomInputs& in) {
  const auto rate = static_cast<double>(in.rate.value);
  const double peer_response = peer_response_quanta(in.rate) * 64.0;
  const double cable = 2 * metres_of(in.cable) * rate / kMetresPerSecond / 8;
  const double tile = rate / 1e9 * 120 / 8;
  const double mac_phy = 0.8 * 1024;
  const double propagation = in.port_mtu + cable + mac_phy + peer_response + tile;
  const double cell = in.cell_bytes;
  const double worst_cells = cell > 128 ? std::ceil(cell / 64) : std::ceil(2 * cell / (1 + cell));
  const double small = in.small_packet_percent / 100.0;
  const double occupancy = 1 - small + small * worst_cells;
  return Bytes{round_up(in.lossless_mtu + propagation * occupancy, 1024)};
}

Bytes vendor_xon(BitsPerSecond rate) {
  return Bytes{std::uint64_t{19} * 1024 * (rate.value >= 800 * kGbitPerS ? 2 : 1)};
}

Bytes tomahawk5_xoff(BitsPerSecond rate, Millimetres cable) {
  static constexpr std::array<HeadroomPoint, 3> k800{{{5, 724662}, {40, 833536}, {300, 1621536}}};
  static constexpr std::array<HeadroomPoint, 7> k400{{{5, 425958},
                                                      {30, 425958},
                                                      {40, 445770},
                                                      {60, 475136},
                                                      {150, 611328},
                                                      {300, 839216},
                                                      {500, 1136396}}};
  // 200G and below: published at 5 m only; the slope, and its use below 200G, are estimates.
  static constexpr std::array<HeadroomPoint, 2> k200{{{5, 300990}, {105, 376740}}};
  const double metres = metres_of(cable);
  if (rate.value > 400 * kGbitPerS) return interpolate(k800, metres);
  if (rate.value > 200 * kGbitPerS) return interpolate(k400, metres);
  return interpolate(k200, metres);
}

MmuParams spectrum4_mmu(std::uint32_t, BitsPerSecond rate, Millimetres cable) {
  MmuParams p;
  p.policy = MmuPolicy::kNvidia;
  p.cell_bytes = 192;
  p.total_cells = 873813;  // 160 MiB
  p.pool_bytes = Bytes{158229504};
  p.num_slices = 1;
  p.shared_headroom_bytes = Bytes{0};
  p.shp_in_pool = false;
  p.pg_min_bytes = Bytes{0};
  p.port_alpha_enabled = true;
  p.xoff_bytes = vendor_xoff({.rate = rate, .cable = cable});
  p.xon_bytes = vendor_xon(rate);
  p.xon_offset_bytes = Bytes{0};
  p.lossy_pg_static_bytes = Bytes{0};
  p.queue_min_bytes = Bytes{0};
  p.queue_min_count = 0;
  p.lossy_alpha_exp = 3;
  return p;
}

MmuParams tomahawk5_mmu(std::uint32_t, BitsPerSecond rate, Millimetres cable) {
  MmuParams p;  // the defaults are Tomahawk 5's
  p.xoff_bytes = tomahawk5_xoff(rate, cable);
  return p;
}

MmuParams tomahawk4_mmu(std::uint32_t, BitsPerSecond, Millimetres cable) {
  static constexpr std::array<HeadroomPoint, 3> k400{{{5, 371348}, {40, 424434}, {300, 817372}}};
  MmuParams p;
  p.total_cells = 447637;  // 113.7 MB
  p.pool_bytes = Bytes{113620296};
  p.shared_headroom_bytes = Bytes{50653696};
  p.pg_min_bytes = Bytes{9144};
  p.xoff_bytes = interpolate(k400, metres_of(cable));
  p.xon_bytes = Bytes{9144};
  p.xon_offset_bytes = Bytes{9144};
  p.lossy_pg_static_bytes = Bytes{113620296};
  p.queue_min_bytes = Bytes{0};
  p.queue_min_count = 0;
  p.lossy_alpha_exp = 2;
  return p;
}

}  // namespace sluice
