// SPDX-License-Identifier: Apache-2.0
// Tables into a SonicConfig, table by table; used by read_sonic() alone.
// Leaves out: the forms of files (sonic_tables.h).
#pragma once

#include <functional>
#include <map>
#include <set>

#include "fabric/sonic/sonic_config.h"
#include "fabric/sonic/sonic_tables.h"

namespace sluice {

class SonicParser {
 public:
  explicit SonicParser(SonicTables& tables) : tables_(tables) {}
  SonicConfig parse();

 private:
  using Names = std::map<std::string, std::size_t, std::less<>>;
  /// Ports and numbers that a key "Ethernet0,Ethernet4|3-4" names.
  struct Target {
    std::vector<std::size_t> ports;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };

  // sonic_ports.cpp
  void read_ports();
  void find_unlisted_ports();
  void refuse_shared_lanes() const;
  void sort_ports();
  void read_cables();
  Target target(const SonicRow& row, bool must_exist);
  std::vector<std::size_t> ports_of(const SonicRow& row, const std::string& list, bool must_exist);

  // sonic_buffers.cpp
  void read_pools();
  void read_profiles();
  void read_groups();
  void read_queues();
  void read_profile_lists();
  std::size_t profile_of(const SonicRow& row, const std::string& name) const;
  void assign(const SonicRow& row, SonicIndices SonicPort::*slots, std::size_t profile);

  // sonic_qos.cpp
  void read_wreds();
  void read_schedulers();
  void read_queue_bindings();
  void read_port_maps();
  void bind_maps(const SonicRow* row, const SonicRow* global, SonicMaps& maps);
  std::optional<std::vector<std::uint32_t>> map_of(const SonicRow* row, const SonicRow* global,
                                                   std::string_view field, std::string_view table,
                                                   std::size_t entries, bool identity);
  void read_watchdogs();

  // sonic_lossless.cpp
  void find_lossless_groups();
  void make_lossless(std::size_t port, std::uint32_t priority, const SonicRow* row);
  std::size_t lookup_profile(const SonicPort& port, const std::string& why);
  void refuse_unknown_lossless() const;
  void read_lookup();
  void read_settings();

  SonicTables& tables_;
  SonicConfig config_;
  Names port_index_;
  Names pool_index_;
  Names profile_index_;
  Names wred_index_;
  Names scheduler_index_;
  std::set<std::string> unlisted_;
  const SonicRow* computed_ = nullptr;  ///< the first BUFFER_PG row with profile NULL
  std::map<std::string, std::optional<std::uint8_t>, std::less<>> pfc_enable_;
};

}  // namespace sluice
