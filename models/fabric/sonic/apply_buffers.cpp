// SPDX-License-Identifier: Apache-2.0
// SONiC pools, priority groups, queues and lanes as MMU parameters. The profile that most ports
// have becomes the common one; ports that differ get overrides.
// Leaves out: everything of a switch that is not its buffer.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "config/config_value.h"
#include "fabric/sonic/apply_sonic.h"
#include "fabric/sonic/most_common.h"
#include "kernel/error.h"

namespace sluice {
namespace {

/// A limit of 0 is no limit in the model's parameters.
Bytes static_limit(const SonicProfile& profile) {
  if (profile.static_th && profile.static_th->value == 0) {
    throw ConfigError(
        fmt::format("{} static_th '0', expected more than 0 where a port uses it", profile.where));
  }
  return profile.static_th.value_or(Bytes{0});
}

std::int32_t cells_up(Bytes bytes, std::uint32_t cell) {
  return static_cast<std::int32_t>((bytes.value + cell - 1) / cell);
}

class BufferImport {
 public:
  BufferImport(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
               SwitchParams& chip, std::vector<std::string>& notes)
      : config_(config), ports_(ports), chip_(chip), mmu_(chip.mmu), notes_(notes) {}

  void run();

 private:
  bool nvidia() const { return mmu_.policy == MmuPolicy::kNvidia; }
  bool is_lossless(const SonicPort& port, std::uint32_t pg) const {
    return (port.lossless >> pg & 1) != 0;
  }
  bool is_lossless_queue(const SonicPort& port, std::uint32_t queue) const;
  void choose_pool();
  void check_other_pools();
  void choose_port_level();
  void map_slices();
  std::optional<PgProfile> group_of(const SonicPort& port, std::uint32_t pg) const;
  std::optional<QueueProfile> queue_of(const SonicPort& port, std::uint32_t queue) const;
  void set_common_group();
  void set_common_queue();
  void override_ports();

  const SonicConfig& config_;
  const std::vector<const SonicPort*>& ports_;
  SwitchParams& chip_;
  MmuParams& mmu_;
  std::vector<std::string>& notes_;
  const SonicPool* pool_ = nullptr;
};

bool BufferImport::is_lossless_queue(const SonicPort& port, std::uint32_t queue) const {
  for (std::uint32_t p = 0; p < kSonicClasses; ++p) {
    const std::uint32_t stops = port.maps.pfc_to_queue ? (*port.maps.pfc_to_queue)[p] : p;
    if (is_lossless(port, p) && stops == queue) return true;
  }
  return false;
}

/// The model has one pool: that of the lossless groups, else of all groups.
void BufferImport::choose_pool() {
  std::set<std::size_t> lossless;
  std::set<std::size_t> all;
  for (const SonicPort* port : ports_) {
    for (std::uint32_t pg = 0; pg < kSonicClasses; ++pg) {
      if (!port->pg[pg]) continue;
      const std::size_t pool = config_.profiles[*port->pg[pg]].pool;
      all.insert(pool);
      if (is_lossless(*port, pg)) lossless.insert(pool);
    }
  }
  if (lossless.size() > 1) {
    throw ConfigError(fmt::format("{}: lossless groups in the pools {} and {}, expected one pool",
                                  one_line(config_.source), config_.pools[*lossless.begin()].name,
                                  config_.pools[*lossless.rbegin()].name));
  }
  const auto ingress = [](const SonicPool& pool) { return pool.ingress; };
  if (!lossless.empty()) {
    pool_ = &config_.pools[*lossless.begin()];
  } else if (!all.empty()) {
    pool_ = &config_.pools[*all.begin()];
  } else {
    const auto at = std::find_if(config_.pools.begin(), config_.pools.end(), ingress);
    if (at == config_.pools.end()) {
      throw ConfigError(fmt::format("{}: BUFFER_POOL has no ingress pool, expected one",
                                    one_line(config_.source)));
    }
    pool_ = &*at;
  }
  if (!pool_->size) {
    throw ConfigError(
        fmt::format("{}: BUFFER_POOL|{} has no size, as the switch computes it (dynamic buffer "
                    "model), expected "
                    "one in bytes",
                    one_line(config_.source), one_line(pool_->name)));
  }
  const std::uint64_t cells = pool_->size->value / mmu_.cell_bytes;
  if (cells > mmu_.total_cells) {
    throw ConfigError(fmt::format(
        "{}: BUFFER_POOL|{} size '{}': {} cells of {} B, expected at most the {} cells of the chip",
        one_line(config_.source), one_line(pool_->name), pool_->size->value, cells, mmu_.cell_bytes,
        mmu_.total_cells));
  }
  mmu_.pool_bytes = *pool_->size;
  mmu_.shared_headroom_bytes = pool_->xoff;
  if (nvidia()) {
    // Spectrum's files state the pool net of minima, private headroom and the shared one.
    mmu_.reserves_in_pool = false;
    mmu_.shp_in_pool = false;
  }
}

/// Thresholds of other pools are taken of the one that the model has.
void BufferImport::check_other_pools() {
  std::set<std::size_t> used;
  for (const SonicPort* port : ports_) {
    for (std::uint32_t i = 0; i < kSonicClasses; ++i) {
      if (port->pg[i]) used.insert(config_.profiles[*port->pg[i]].pool);
      if (port->queue[i] && !is_lossless_queue(*port, i)) {
        used.insert(config_.profiles[*port->queue[i]].pool);
      }
    }
  }
  for (const std::size_t i : used) {
    const SonicPool& pool = config_.pools[i];
    if (&pool == pool_ || pool.size == pool_->size) continue;
    notes_.push_back(fmt::format(
        "BUFFER_POOL|{} size '{}': the model has one pool, dynamic thresholds are taken of {}",
        one_line(pool.name), pool.size ? std::to_string(pool.size->value) : "none",
        one_line(pool_->name)));
  }
}

/// Spectrum's second threshold. Its switch is in sai.profile; without that file it is taken as off
/// where headroom is shared, which is how the public profiles have it.
void BufferImport::choose_port_level() {
  if (!nvidia()) return;
  std::vector<std::int32_t> exponents;
  for (const SonicPort* port : ports_) {
    for (const std::size_t i : port->ingress_profiles) {
      const SonicProfile& profile = config_.profiles[i];
      if (&config_.pools[profile.pool] == pool_ && profile.dynamic_th) {
        exponents.push_back(*profile.dynamic_th);
        break;
      }
    }
  }
  mmu_.port_alpha_enabled = false;
  if (exponents.empty()) return;
  mmu_.port_alpha_exp = most_common(exponents);
  if (std::any_of(exponents.begin(), exponents.end(),
                  [&](std::int32_t n) { return n != mmu_.port_alpha_exp; })) {
    notes_.push_back(
        "BUFFER_PORT_INGRESS_PROFILE_LIST: ports differ in dynamic_th, the most common "
        "one is taken for all");
  }
  mmu_.port_alpha_enabled = config_.port_alpha.value_or(mmu_.shared_headroom_bytes.value == 0);
  if (!config_.port_alpha && !mmu_.port_alpha_enabled) {
    notes_.push_back(
        "port level threshold: taken as off, as the headroom is shared; sai.profile "
        "(SAI_KEY_DISABLE_PORT_ALPHA) or mmu.port_alpha_enabled say otherwise");
  }
}

/// By lane, as the chip has pipes in its slices; lanes beyond the pipes belong to service ports,
/// which count in the slices in turn.
void BufferImport::map_slices() {
  const std::vector<std::uint32_t>& slices = chip_.pipes.slice_of_pipe;
  if (mmu_.num_slices == 1 || slices.empty() || chip_.ports.first_lane.empty()) return;
  std::uint32_t service = 0;
  mmu_.slice_map.clear();
  for (const std::uint32_t lane : chip_.ports.first_lane) {
    const std::uint32_t pipe = (lane - 1) / chip_.pipes.lanes_per_pipe;
    mmu_.slice_map.push_back(pipe < slices.size() ? slices[pipe] : service++ % mmu_.num_slices);
  }
}

std::optional<PgProfile> BufferImport::group_of(const SonicPort& port, std::uint32_t pg) const {
  if (!port.pg[pg]) return std::nullopt;
  const SonicProfile& from = config_.profiles[*port.pg[pg]];
  const Bytes size = from.size.value_or(Bytes{0});
  PgProfile profile;
  profile.lossless = is_lossless(port, pg);
  profile.alpha_exp = from.dynamic_th.value_or(0);
  profile.static_limit = static_limit(from);
  profile.min = size;
  if (!profile.lossless) return profile;
  if (!from.size) {
    throw ConfigError(fmt::format("{}: no size, expected bytes: {}|{} uses it", from.where,
                                  one_line(port.name), pg));
  }
  profile.xoff = *from.xoff;
  profile.xon = from.xon;
  profile.xon_offset = from.xon_offset;
  const bool shared = mmu_.shared_headroom_bytes.value > 0;
  if (nvidia()) {
    // `size` is xon, and without a shared headroom pool xoff too; each is counted up to cells.
    const std::uint32_t cell = mmu_.cell_bytes;
    profile.min = Bytes{0};
    profile.hysteresis_cells = cells_up(size, cell) - cells_up(from.xon, cell) -
                               (shared ? 0 : cells_up(profile.xoff, cell));
  } else if (!shared && size >= profile.xoff) {
    profile.min = Bytes{size.value - profile.xoff.value};  // private headroom lies in `size`
  }
  return profile;
}

std::optional<QueueProfile> BufferImport::queue_of(const SonicPort& port,
                                                   std::uint32_t queue) const {
  if (!port.queue[queue]) return std::nullopt;
  const SonicProfile& from = config_.profiles[*port.queue[queue]];
  QueueProfile profile;
  profile.lossless = is_lossless_queue(port, queue);
  profile.min = from.size.value_or(Bytes{0});
  profile.static_limit = static_limit(from);
  // A lossless queue with a dynamic threshold has all memory: it must not drop.
  if (!profile.lossless) profile.alpha_exp = from.dynamic_th.value_or(0);
  return profile;
}

void BufferImport::set_common_group() {
  std::vector<PgProfile> lossless;
  std::vector<PgProfile> lossy;
  for (const SonicPort* port : ports_) {
    for (std::uint32_t pg = 0; pg < kSonicClasses; ++pg) {
      const std::optional<PgProfile> profile = group_of(*port, pg);
      if (profile) (profile->lossless ? lossless : lossy).push_back(*profile);
    }
  }
  if (!lossless.empty()) {
    const PgProfile common = most_common(lossless);
    mmu_.pg_min_bytes = common.min;
    mmu_.pg_alpha_exp = common.alpha_exp;
    mmu_.xoff_bytes = common.xoff;
    mmu_.xon_bytes = common.xon;
    mmu_.xon_offset_bytes = common.xon_offset;
    mmu_.hysteresis_cells = common.hysteresis_cells;
  }
  if (!lossy.empty()) {
    const PgProfile common = most_common(lossy);
    mmu_.lossy_pg_min_bytes = common.min;
    mmu_.lossy_pg_alpha_exp = common.alpha_exp;
    mmu_.lossy_pg_static_bytes = common.static_limit;
  }
}

void BufferImport::set_common_queue() {
  std::vector<QueueProfile> lossless;
  std::vector<QueueProfile> lossy;
  for (const SonicPort* port : ports_) {
    for (std::uint32_t queue = 0; queue < kSonicClasses; ++queue) {
      const std::optional<QueueProfile> profile = queue_of(*port, queue);
      if (profile) (profile->lossless ? lossless : lossy).push_back(*profile);
    }
  }
  if (!lossless.empty()) mmu_.lossless_queue_static_bytes = most_common(lossless).static_limit;
  if (!lossy.empty()) {
    const QueueProfile common = most_common(lossy);
    // How many queues of a port hold it is the chip's; 0: only those that have a row.
    mmu_.queue_min_bytes = mmu_.queue_min_count > 0 ? common.min : Bytes{0};
    mmu_.lossy_alpha_exp = common.alpha_exp;
  }
}

void BufferImport::override_ports() {
  const bool own = config_.has_buffers;
  for (std::uint32_t port = 0; port < ports_.size(); ++port) {
    const SonicPort& from = *ports_[port];
    for (std::uint32_t i = 0; i < kSonicClasses; ++i) {
      const PgProfile group_default = mmu_.pg_default(i);
      std::optional<PgProfile> group = own ? group_of(from, i) : std::nullopt;
      // No row: as the chip has groups of that kind.
      if (!group && group_default.lossless != is_lossless(from, i)) {
        MmuParams other = mmu_;
        other.lossless_pgs.clear();
        if (is_lossless(from, i)) other.lossless_pgs.push_back(i);
        group = other.pg_default(i);
      }
      if (group && *group != group_default) mmu_.pg_overrides.push_back({port, i, *group});

      const QueueProfile queue_default = mmu_.queue_default(i);
      std::optional<QueueProfile> queue = own ? queue_of(from, i) : std::nullopt;
      if (!queue && queue_default.lossless != is_lossless_queue(from, i)) {
        MmuParams other = mmu_;
        other.lossless_pgs.clear();
        if (is_lossless_queue(from, i)) other.lossless_pgs.push_back(i);
        queue = other.queue_default(i);
      }
      if (queue && *queue != queue_default) mmu_.queue_overrides.push_back({port, i, *queue});
    }
  }
}

void BufferImport::run() {
  if (config_.has_buffers) {
    choose_pool();
    check_other_pools();
    choose_port_level();
    set_common_group();
    set_common_queue();
  } else {
    notes_.push_back("no BUFFER_POOL: pools, headroom and thresholds are the chip's own");
  }
  map_slices();
  std::vector<std::uint8_t> masks;
  for (const SonicPort* port : ports_) masks.push_back(port->lossless);
  const std::uint8_t common = most_common(masks);
  // Without buffers and PFC settings the files do not say what is lossless.
  if (!config_.has_buffers && !config_.has_maps_of_ports) return;
  mmu_.lossless_pgs.clear();
  for (std::uint32_t pg = 0; pg < kSonicClasses; ++pg) {
    if ((common >> pg & 1) != 0) mmu_.lossless_pgs.push_back(pg);
  }
  override_ports();
}

}  // namespace

void apply_sonic_buffers(const SonicConfig& config, const std::vector<const SonicPort*>& ports,
                         SwitchParams& chip, std::vector<std::string>& notes) {
  BufferImport(config, ports, chip, notes).run();
}

}  // namespace sluice
