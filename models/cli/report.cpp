// SPDX-License-Identifier: Apache-2.0
#include "cli/report.h"

#include "packet/packet.h"
#include "results/table.h"

namespace sluice {
namespace {

/// Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 (IBTA annex A17).
constexpr std::uint32_t kRoceFrameOverhead = 62;
constexpr std::uint32_t kVlanTag = 4;

std::string fabric_text(const FabricSpec& spec) {
  const TopologyParams& topology = spec.topology;
  const std::string planes =
      topology.planes == 1 ? "" : fmt::format("{} planes of ", topology.planes);
  const std::string ports = spec.nic.ports == 1 ? "" : fmt::format("{} x ", spec.nic.ports);
  const std::string rate = ports + format_rate(spec.host_link.rate);
  if (!topology.cage_ports.empty()) {
    return fmt::format("one switch, {} hosts, the fastest at {}", topology.hosts, rate);
  }
  if (topology.type == FabricType::kGraph) {
    return fmt::format("graph of {} switches, {} hosts at {}", topology.chip_names.size(),
                       make_topology(topology).endpoints, rate);
  }
  if (topology.type == FabricType::kSingleSwitch) {
    return fmt::format("{}one switch, {} hosts at {}", planes, topology.hosts, rate);
  }
  return fmt::format("{}{} leaves x {} spines, {} hosts at {}", planes, topology.leaves,
                     topology.spines, topology.leaves * topology.hosts_per_leaf, rate);
}

std::string workload_text(const FabricSpec& spec, const Workload& workload) {
  if (spec.is_raw()) return "raw frames";
  if (spec.is_ud()) return "datagrams";
  if (spec.is_verbs()) return fmt::format("{} lines of work requests", spec.verbs.size());
  return fmt::format("{}, {} ranks", workload.source, workload.rank_count());
}

}  // namespace

std::string report_header(const RunRequest& request, const FabricSpec& spec,
                          const Workload& workload) {
  return fmt::format("{}: {}; workload {}; seed {}\n", request.fabric_file, fabric_text(spec),
                     workload_text(spec, workload), request.seed);
}

std::string sonic_text(const SonicReport& sonic) {
  if (!sonic.used()) return {};
  std::string text = fmt::format("sonic: {} settings not used\n", sonic.notes.size());
  for (const std::string& note : sonic.notes) text += fmt::format("  {}\n", note);
  return text;
}

std::string run_report(const Summary& summary, const ReportOptions& options) {
  TableOptions table;
  table.busbw_bound_gbytes_per_s = options.busbw_bound_gbytes_per_s;
  std::string text = summary_table(summary, table);
  text +=
      fmt::format("ledger         {} B in, {} B simulated, {} B skipped\n", summary.ledger.bytes_in,
                  summary.bytes_simulated, summary.ledger.bytes_skipped);
  text += fmt::format("cost           {} events, {:.2f} s CPU, {:.2f} s wall, {} MiB peak\n",
                      summary.events, summary.cpu_s, summary.wall_s, summary.peak_rss_bytes >> 20);
  if (!options.run_directory.empty()) {
    text += fmt::format("run directory  {}\n", options.run_directory);
  }
  return text;
}

std::string verdict_line(const Summary& summary) {
  return fmt::format("{} after {:.3f} us, seed {}, result {}\n", verdict_name(summary.verdict),
                     summary.simulated.microseconds(), summary.seed,
                     hash_text(summary.result_hash));
}

double busbw_bound(const NicParams& nic) {
  const std::uint32_t overhead = kRoceFrameOverhead + kPreambleBytes + nic.inter_packet_gap_bytes +
                                 (nic.vlan_tag ? kVlanTag : 0);
  const double payload_share =
      static_cast<double>(nic.mtu_bytes) / static_cast<double>(nic.mtu_bytes + overhead);
  const double bytes_per_s = static_cast<double>(nic.ports * nic.port_rate.value) / 8;
  return bytes_per_s * payload_share * (1 + nic.frequency_offset_ppm * 1e-6) * 1e-9;
}

}  // namespace sluice
