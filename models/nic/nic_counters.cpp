// SPDX-License-Identifier: Apache-2.0
#include "nic/nic_counters.h"

#include <cstddef>

namespace sluice {

std::vector<CounterField> nic_port_counter_fields() {
  using C = NicPortCounters;
  return {
      {"tx_frames", "frames", "frames that began to leave", offsetof(C, tx_frames)},
      {"tx_bytes", "B", "bytes of those frames, FCS included", offsetof(C, tx_bytes)},
      {"rx_frames", "frames", "frames that arrived, PFC aside", offsetof(C, rx_frames)},
      {"rx_bytes", "B", "bytes of those frames, FCS included", offsetof(C, rx_bytes)},
      {"pause_frames", "frames", "PFC frames received", offsetof(C, pause_frames)},
      {"paused_ps", "ps", "time paused, summed over priorities", offsetof(C, paused_ps)},
      {"xoff_sent", "frames", "PFC frames sent that pause", offsetof(C, xoff_sent)},
      {"xon_sent", "frames", "PFC frames sent that resume", offsetof(C, xon_sent)},
      {"rx_overflow_drops", "frames",
       "frames that the receive buffer of a slow host had no room for",
       offsetof(C, rx_overflow_drops)},
      {"rx_buffer_peak_bytes", "B", "most in that buffer", offsetof(C, rx_buffer_peak_bytes)},
  };
}

std::vector<CounterField> nic_counter_fields() {
  using C = NicCounters;
  return {
      {"acks_sent", "frames", "ACKs generated", offsetof(C, acks_sent)},
      {"acks_received", "frames", "ACKs received", offsetof(C, acks_received)},
      {"naks_sent", "frames", "NAKs generated, RNR aside", offsetof(C, naks_sent)},
      {"naks_received", "frames", "NAKs received", offsetof(C, naks_received)},
      {"cnps_sent", "frames", "CNPs generated", offsetof(C, cnps_sent)},
      {"cnps_received", "frames", "CNPs received", offsetof(C, cnps_received)},
      {"ecn_marked_received", "packets", "data packets that arrived marked CE",
       offsetof(C, ecn_marked_received)},
      {"data_packets_sent", "packets", "data packets sent, repetitions included",
       offsetof(C, data_packets_sent)},
      {"retransmitted_packets", "packets", "data packets sent again",
       offsetof(C, retransmitted_packets)},
      {"out_of_order_drops", "packets", "data packets beyond the expected PSN, dropped",
       offsetof(C, out_of_order_drops)},
      {"discarded_packets", "packets", "data packets accepted of messages that began again",
       offsetof(C, discarded_packets)},
      {"placed_out_of_order", "packets", "data packets beyond the expected PSN, kept",
       offsetof(C, placed_out_of_order)},
      {"reorder_span_max", "packets",
       "most PSNs from the expected packet to one that came ahead of it, both counted",
       offsetof(C, reorder_span_max)},
      {"duplicates", "packets", "data packets before the expected PSN", offsetof(C, duplicates)},
      {"corrupt_drops", "frames", "frames with a bad FCS", offsetof(C, corrupt_drops)},
      {"foreign_drops", "frames", "frames that are not RoCE or not for this endpoint",
       offsetof(C, foreign_drops)},
      {"timeouts", "events", "acknowledgement timeouts", offsetof(C, timeouts)},
      {"plane_failures", "events", "planes given up by a QP", offsetof(C, plane_failures)},
      {"plane_recoveries", "events", "planes used again by a QP", offsetof(C, plane_recoveries)},
      {"plane_lost_packets", "packets", "data packets on their way by a plane that was given up",
       offsetof(C, plane_lost_packets)},
      {"plane_detection_ps", "ps", "from a plane's last sign of life to a QP giving it up, summed",
       offsetof(C, plane_detection_ps)},
      {"plane_down_ps", "ps", "from there to the plane's return, summed",
       offsetof(C, plane_down_ps)},
      {"rnr_naks_sent", "frames", "RNR NAKs generated: no receive request",
       offsetof(C, rnr_naks_sent)},
      {"rnr_naks_received", "frames", "RNR NAKs received", offsetof(C, rnr_naks_received)},
      {"implied_naks", "events", "lost READ or atomic responses that a later packet showed",
       offsetof(C, implied_naks)},
      {"read_requests_sent", "packets", "READ requests sent, repetitions included",
       offsetof(C, read_requests_sent)},
      {"atomic_requests_sent", "packets", "atomic requests sent, repetitions included",
       offsetof(C, atomic_requests_sent)},
      {"repeated_requests", "packets", "READ and atomic requests that had been executed before",
       offsetof(C, repeated_requests)},
      {"stale_responses", "packets", "READ and atomic responses that nobody waited for",
       offsetof(C, stale_responses)},
      {"qp_errors", "QPs", "QPs that went to the error state", offsetof(C, qp_errors)},
      {"flushed_messages", "messages", "work requests that ended with such a QP",
       offsetof(C, flushed_messages)},
      {"delivered_packets", "packets", "data packets accepted at their QP",
       offsetof(C, delivered_packets)},
      {"delivered_bytes", "B", "payload of those packets", offsetof(C, delivered_bytes)},
      {"packet_hops", "hops", "links crossed by those packets", offsetof(C, packet_hops)},
      {"datagrams_sent", "packets", "UD packets sent", offsetof(C, datagrams_sent)},
      {"datagrams_received", "packets", "UD packets received, among the delivered",
       offsetof(C, datagrams_received)},
      {"probes_sent", "frames", "round-trip probes that left", offsetof(C, probes_sent)},
      {"probes_answered", "frames", "probes of other NICs answered", offsetof(C, probes_answered)},
      {"probe_replies", "frames", "replies to its own probes, in time", offsetof(C, probe_replies)},
      {"probes_missed", "frames", "its own probes that had no reply in time",
       offsetof(C, probes_missed)},
      {"probe_rtt_ps", "ps", "round-trip times of those replies, summed",
       offsetof(C, probe_rtt_ps)},
      {"probe_rtt_max_ps", "ps", "the longest of them", offsetof(C, probe_rtt_max_ps)},
      {"messages_sent", "messages", "work requests posted", offsetof(C, messages_sent)},
      {"messages_received", "messages", "work requests received whole",
       offsetof(C, messages_received)},
      {"last_acked_ps", "ps", "when the last of its work requests was acknowledged",
       offsetof(C, last_acked_ps)},
      {"message_hash", "hash", "sum of a hash of (source, destination, ordinal, time) of each",
       offsetof(C, message_hash)},
  };
}

}  // namespace sluice
