// SPDX-License-Identifier: Apache-2.0
// What a NIC counts: plain 64-bit integers, one record a port and one a NIC, told to the statistics
// registry. Leaves out: per-QP counters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/statistics.h"

namespace sluice {

struct NicPortCounters {
  std::uint64_t tx_frames = 0;
  std::uint64_t tx_bytes = 0;
  std::uint64_t rx_frames = 0;
  std::uint64_t rx_bytes = 0;
  std::uint64_t pause_frames = 0;
  std::uint64_t paused_ps = 0;  ///< summed over priorities; a pause counts when it ends
  // Of the receive buffer of a slow host.
  std::uint64_t xoff_sent = 0;
  std::uint64_t xon_sent = 0;
  std::uint64_t rx_overflow_drops = 0;
  std::uint64_t rx_buffer_peak_bytes = 0;
};

struct NicCounters {
  std::uint64_t acks_sent = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t naks_sent = 0;
  std::uint64_t naks_received = 0;
  std::uint64_t cnps_sent = 0;
  std::uint64_t cnps_received = 0;
  std::uint64_t ecn_marked_received = 0;
  std::uint64_t data_packets_sent = 0;
  std::uint64_t retransmitted_packets = 0;
  std::uint64_t out_of_order_drops = 0;
  std::uint64_t discarded_packets = 0;
  std::uint64_t placed_out_of_order = 0;
  std::uint64_t reorder_span_max = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t corrupt_drops = 0;
  std::uint64_t foreign_drops = 0;
  std::uint64_t timeouts = 0;
  // Of NICs with planes; a lane is one QP on one plane.
  std::uint64_t plane_failures = 0;
  std::uint64_t plane_recoveries = 0;
  std::uint64_t plane_lost_packets = 0;
  std::uint64_t plane_detection_ps = 0;  ///< from a lane's last sign of life to its failure
  std::uint64_t plane_down_ps = 0;       ///< from there to its return
  std::uint64_t rnr_naks_sent = 0;
  std::uint64_t rnr_naks_received = 0;
  std::uint64_t implied_naks = 0;
  std::uint64_t read_requests_sent = 0;
  std::uint64_t atomic_requests_sent = 0;
  std::uint64_t repeated_requests = 0;
  std::uint64_t stale_responses = 0;
  std::uint64_t qp_errors = 0;
  std::uint64_t flushed_messages = 0;
  std::uint64_t delivered_packets = 0;
  std::uint64_t delivered_bytes = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t datagrams_sent = 0;
  std::uint64_t datagrams_received = 0;
  std::uint64_t probes_sent = 0;
  std::uint64_t probes_answered = 0;  ///< of other NICs
  std::uint64_t probe_replies = 0;    ///< in time
  std::uint64_t probes_missed = 0;
  std::uint64_t probe_rtt_ps = 0;  ///< summed over the replies
  std::uint64_t probe_rtt_max_ps = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t last_acked_ps = 0;
  /// Sum over received messages of a hash of (source, destination, ordinal in the flow, time).
  std::uint64_t message_hash = 0;
};

/// Fields for the registry; kinds "nic_port" and "nic".
std::vector<CounterField> nic_port_counter_fields();
std::vector<CounterField> nic_counter_fields();

}  // namespace sluice
