// SPDX-License-Identifier: Apache-2.0
// Which counters of a chip's ports, queues and priorities appear in counters.csv.
#include <cstddef>

#include "kernel/error.h"
#include "switch/chip.h"
#include "switch/counter_kinds.h"

namespace sluice {
namespace {

std::vector<CounterField> port_rx_fields() {
  std::vector<CounterField> fields{
      {"rx_frames", "frames", "frames that reached admission", offsetof(IngressPort, rx_frames)},
      {"rx_bytes", "B", "their bytes, FCS included", offsetof(IngressPort, rx_bytes)}};
  for (std::size_t i = 0; i < kChipDropReasons; ++i) {
    fields.push_back({kChipDrops[i].counter, "frames", kChipDrops[i].meaning,
                      offsetof(IngressPort, drops) + i * sizeof(std::uint64_t)});
  }
  return fields;
}

std::vector<CounterField> port_tx_fields() {
  return {{"tx_pfc_xoff_frames", "frames", "PFC frames sent with pause quanta",
           offsetof(EgressPort, tx_pfc_xoff_frames)},
          {"tx_pfc_xon_frames", "frames", "PFC frames sent with quanta 0",
           offsetof(EgressPort, tx_pfc_xon_frames)}};
}

std::vector<CounterField> queue_fields() {
  return {{"tx_frames", "frames", "frames sent", offsetof(EgressQueue, tx_frames)},
          {"tx_bytes", "B", "their bytes, FCS included", offsetof(EgressQueue, tx_bytes)},
          {"ecn_marked", "frames", "frames whose ECN field was set to CE here",
           offsetof(EgressQueue, ecn_marked)},
          {"peak_bytes", "B", "most frame bytes ever held", offsetof(EgressQueue, peak_bytes)}};
}

std::vector<CounterField> pfc_rx_fields() {
  return {{"rx_xoff_frames", "frames", "PFC frames obeyed that pause the priority",
           offsetof(PfcRxCounters, xoff_frames)},
          {"rx_xon_frames", "frames", "PFC frames obeyed that resume the priority",
           offsetof(PfcRxCounters, xon_frames)},
          {"rx_ignored_frames", "frames", "PFC frames for a priority that is not lossless",
           offsetof(PfcRxCounters, ignored_frames)},
          {"paused_ps", "ps", "time the priority was paused", offsetof(PfcRxCounters, paused_ps)}};
}

std::vector<CounterField> watchdog_fields() {
  return {{"storms_detected", "storms", "PFC storms found by the watchdog",
           offsetof(WatchdogCounters, storms_detected)},
          {"storms_restored", "storms", "PFC storms that ended",
           offsetof(WatchdogCounters, storms_restored)}};
}

std::vector<CounterField> bridge_fields() {
  return {{"flooded", "frames", "frames sent to all other ports of their VLAN",
           offsetof(BridgeCounters, flooded)},
          {"flooded_copies", "frames", "frames that this made",
           offsetof(BridgeCounters, flooded_copies)}};
}

std::vector<CounterField> mac_table_fields() {
  return {
      {"learned", "stations", "stations new to the table", offsetof(MacCounters, learned)},
      {"moved", "stations", "stations that appeared at another port", offsetof(MacCounters, moved)},
      {"aged", "stations", "stations forgotten", offsetof(MacCounters, aged)},
      {"not_learned", "frames", "frames whose source found the table full",
       offsetof(MacCounters, not_learned)}};
}

}  // namespace

std::vector<CounterKind> chip_counter_kinds() {
  return {{"port_rx", port_rx_fields()},     {"bridge", bridge_fields()},
          {"mac_table", mac_table_fields()}, {"port_tx", port_tx_fields()},
          {"queue", queue_fields()},         {"pfc_rx", pfc_rx_fields()},
          {"watchdog", watchdog_fields()}};
}

void SwitchChip::register_statistics(StatisticsRegistry& registry) {
  const std::string chip = name();
  const auto port_name = [chip](std::size_t i) { return fmt::format("{}.port{}", chip, i); };
  registry.add({"port_rx", port_name, ingress_.data(), ingress_.size(), sizeof(IngressPort),
                port_rx_fields()});
  register_bridge_statistics(registry);
  registry.add(
      {"port_tx", port_name, egress_.data(), egress_.size(), sizeof(EgressPort), port_tx_fields()});
  const auto queue_name = [chip](std::size_t i) {
    return fmt::format("{}.port{}.queue{}", chip, i / kQueues, i % kQueues);
  };
  registry.add(
      {"queue", queue_name, queues_.data(), queues_.size(), sizeof(EgressQueue), queue_fields()});
  watermarks_.register_counters(registry, chip);
  if (adaptive_) adaptive_->register_counters(registry, chip);
  const auto priority_name = [chip](std::size_t i) {
    return fmt::format("{}.port{}.priority{}", chip, i / kPriorities, i % kPriorities);
  };
  const auto& pauses = pfc_receiver_->all_counters();
  registry.add({"pfc_rx", priority_name, pauses.data(), pauses.size(), sizeof(PfcRxCounters),
                pfc_rx_fields()});
  if (!watchdog_) return;
  registry.add({"watchdog", queue_name, watchdog_->counters().data(), watchdog_->counters().size(),
                sizeof(WatchdogCounters), watchdog_fields()});
}

void SwitchChip::register_bridge_statistics(StatisticsRegistry& registry) {
  if (bridge_ == nullptr) return;
  const auto own_name = [chip = std::string(name())](std::size_t) { return chip; };
  registry.add(
      {"bridge", own_name, &bridge_->counters(), 1, sizeof(BridgeCounters), bridge_fields()});
  registry.add({"mac_table", own_name, &bridge_->table().counters(), 1, sizeof(MacCounters),
                mac_table_fields()});
}

}  // namespace sluice
