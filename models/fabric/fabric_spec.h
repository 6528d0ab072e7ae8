// SPDX-License-Identifier: Apache-2.0
// A fabric file read into typed parameter structs: presets first, then what the file says on top.
// Leaves out: building modules (fabric.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config_tree.h"
#include "fabric/deadlock_params.h"
#include "fabric/failure_spec.h"
#include "fabric/link_loss.h"
#include "fabric/sonic/sonic_import.h"
#include "fabric/topology.h"
#include "host/host_params.h"
#include "host/raw_source.h"
#include "host/verbs_source.h"
#include "link/link.h"
#include "nic/nic_params.h"
#include "nic/ud/ud_source.h"
#include "switch/switch_params.h"
#include "workload/synthetic.h"

namespace sluice {

enum class PlacementMode : std::uint8_t { kLinear, kPacked, kRandom, kFile };

struct PlacementParams {
  PlacementMode mode = PlacementMode::kLinear;
  std::uint64_t seed = 1;
  std::string file;  ///< one host number a line, line i for rank i
};

/// `workload: {type: raw}`: testers instead of hosts, and which of them sends or pauses what.
struct RawWorkload {
  RawParams endpoint;                  ///< of every endpoint; its streams are below
  std::vector<std::uint32_t> sources;  ///< of each stream
  std::vector<RawStream> streams;
  std::vector<std::uint32_t> pausing_hosts;  ///< endpoints that pause the switch
  std::vector<BitsPerSecond> port_rates;     ///< of each endpoint; empty: endpoint.port_rate

  /// Parameters of one endpoint.
  RawParams of(std::uint32_t host) const;
};

/// `workload: {type: ud}`: NICs that send datagrams, and what each sends.
struct UdWorkload {
  std::vector<std::uint32_t> sources;  ///< of each stream
  std::vector<UdStream> streams;

  /// Streams of one endpoint.
  std::vector<UdStream> of(std::uint32_t host) const;
};

struct FabricSpec {
  TopologyParams topology;
  LinkParams link;                              ///< between chips
  LinkParams host_link;                         ///< between a host and its chip
  std::vector<SwitchParams> chips;              ///< in the order of Topology::chip_names
  NicParams nic;                                ///< of every host that has none of its own
  std::map<std::uint32_t, NicParams> own_nics;  ///< of hosts named in the file's `nics`
  std::vector<BitsPerSecond> host_rates;        ///< where cages differ; empty: nic.port_rate
  HostParams host;
  DeadlockParams deadlock;
  PlacementParams placement;
  SyntheticParams workload;
  RawWorkload raw;
  UdWorkload ud;
  std::vector<VerbsOperation> verbs;
  SonicReport sonic;  ///< of `sonic` keys, if there are any
  std::vector<LinkFailure> failures;
  std::vector<CableLoss> losses;
  std::uint64_t config_hash = 0;

  NicParams nic_of(std::uint32_t endpoint) const;
  LinkParams link_of(const Cable& cable) const;
  bool is_raw() const { return workload.type == SyntheticType::kRaw; }
  bool is_ud() const { return workload.type == SyntheticType::kUd; }
  bool is_verbs() const { return workload.type == SyntheticType::kVerbs; }
  /// Nobody waits for anything: such a run ends when its frames do.
  bool is_open_loop() const { return is_raw() || is_ud(); }
};

/// Reads a whole fabric file; throws ConfigError for anything it does not know.
FabricSpec read_fabric(const ConfigTree& tree);

/// Names of the switch and NIC presets, and their parameters for `presets show`.
std::vector<std::string> switch_preset_names();
std::vector<std::string> nic_preset_names();
SwitchParams switch_preset(std::string_view name, std::uint32_t ports, BitsPerSecond rate,
                           Millimetres cable);
/// Rate of a port that has a cage's 8 lanes for itself.
BitsPerSecond fastest_port(std::string_view preset);
NicParams nic_preset(std::string_view name);

/// Endpoint of each rank. Throws ConfigError when there are more ranks than hosts.
std::vector<std::uint32_t> place_ranks(const PlacementParams& placement, std::uint32_t ranks,
                                       std::uint32_t hosts);

}  // namespace sluice
