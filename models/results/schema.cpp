// SPDX-License-Identifier: Apache-2.0
// What every field of a run's results means. A test holds it against the files themselves.
#include <fmt/format.h>

#include <array>

#include "results/csv.h"

namespace sluice {
namespace {

constexpr std::string_view kSummary = "summary.json";
constexpr std::string_view kOps = "ops.csv";
constexpr std::string_view kCounters = "counters.csv";

constexpr std::array kSchema{
    FieldInfo{kSummary, "version", "", "version of Sluice"},
    FieldInfo{kSummary, "rtl.blocks[]", "", "blocks that were in RTL; none: the model alone"},
    FieldInfo{kSummary, "rtl.scope", "", "chip or NIC that had them; empty: all"},
    FieldInfo{kSummary, "rtl.verilator", "", "version of Verilator; empty without blocks"},
    FieldInfo{kSummary, "seed", "", "seed of the run"},
    FieldInfo{kSummary, "config_hash", "16 hex digits", "hash of every parameter"},
    FieldInfo{kSummary, "result_hash", "16 hex digits",
              "hash of completion times and modelled hardware counters"},
    FieldInfo{kSummary, "verdict", "",
              "ok, stopped, not_lossless, stalled, deadlock, invariant or rtl_mismatch"},
    FieldInfo{kSummary, "simulated_ps", "ps", "simulated time at the end of the run"},
    FieldInfo{kSummary, "cpu_s", "s", "user CPU time of the process"},
    FieldInfo{kSummary, "wall_s", "s", "elapsed time of the process"},
    FieldInfo{kSummary, "peak_rss_bytes", "B", "peak memory of the process"},
    FieldInfo{kSummary, "events", "events", "events executed"},
    FieldInfo{kSummary, "packets_delivered", "packets", "data packets accepted at their QP"},
    FieldInfo{kSummary, "packet_hops", "packet-hops",
              "links crossed by data packets later accepted at their QP"},
    FieldInfo{kSummary, "bytes_delivered", "B", "payload accepted at QPs"},
    FieldInfo{kSummary, "retransmitted_packets", "packets", "data packets sent again"},
    FieldInfo{kSummary, "drops.total", "packets", "sum over the reasons that follow it"},
    FieldInfo{kSummary, "pfc.xoff_frames", "frames", "PFC frames that pause"},
    FieldInfo{kSummary, "pfc.xon_frames", "frames", "PFC frames that resume"},
    FieldInfo{kSummary, "pfc.paused_ps", "ps", "time paused, over transmitters and priorities"},
    FieldInfo{kSummary, "ecn.marked", "packets", "packets marked congestion experienced"},
    FieldInfo{kSummary, "cnp.sent", "packets", "congestion notification packets sent"},
    FieldInfo{kSummary, "buffer.peak_cells", "cells", "highest use of a chip's buffer"},
    FieldInfo{kSummary, "buffer.pool_cells", "cells", "buffer of the same chip"},
    FieldInfo{kSummary, "buffer.peak_headroom_cells", "cells", "highest headroom use of that chip"},
    FieldInfo{kSummary, "ops[].op", "", "kind of op"},
    FieldInfo{kSummary, "ops[].bytes", "B", "size as nccl-tests defines it"},
    FieldInfo{kSummary, "ops[].ranks", "ranks", "ranks that take part"},
    FieldInfo{kSummary, "ops[].count", "ops", "ops of this kind, size and number of ranks"},
    FieldInfo{kSummary, "ops[].time_ps", "ps", "mean from first rank's start to last rank's end"},
    FieldInfo{kSummary, "ops[].algbw_gbytes_per_s", "GB/s",
              "bytes / time; null for an op without duration"},
    FieldInfo{kSummary, "ops[].busbw_gbytes_per_s", "GB/s",
              "algbw x factor of the kind; null for one rank and for a barrier"},
    FieldInfo{kSummary, "ledger.bytes_in", "B", "bytes that ranks put in, by the workload"},
    FieldInfo{kSummary, "ledger.bytes_simulated", "B", "of these, put in by ops carried out"},
    FieldInfo{kSummary, "ledger.bytes_skipped", "B", "of these, put in by ops not carried out"},
    FieldInfo{kSummary, "ledger.skipped[].reason", "", "why"},
    FieldInfo{kSummary, "ledger.skipped[].bytes", "B", "bytes skipped for this reason"},
    FieldInfo{kSummary, "ledger.skipped[].ops", "ops", "ops skipped for this reason"},
    FieldInfo{kSummary, "work_requests[].from", "", "verbs: host that posts"},
    FieldInfo{kSummary, "work_requests[].to", "", "host that it is meant for"},
    FieldInfo{kSummary, "work_requests[].op", "", "operation"},
    FieldInfo{kSummary, "work_requests[].bytes", "B", "of each"},
    FieldInfo{kSummary, "work_requests[].count", "work requests", "posted or to be posted"},
    FieldInfo{kSummary, "work_requests[].ended.success", "work requests", "ended well"},
    FieldInfo{kSummary, "work_requests[].ended.flushed", "work requests",
              "ended with a QP that had failed"},
    FieldInfo{kSummary, "work_requests[].ended.retry_exceeded", "work requests",
              "no answer after nic.retry_count repetitions"},
    FieldInfo{kSummary, "work_requests[].ended.rnr_retry_exceeded", "work requests",
              "no receive request after nic.verbs.rnr_retry repetitions"},
    FieldInfo{kSummary, "work_requests[].ended.remote_invalid_request", "work requests",
              "refused: not executable"},
    FieldInfo{kSummary, "work_requests[].ended.remote_access_error", "work requests",
              "refused: outside the memory or wrong key"},
    FieldInfo{kSummary, "work_requests[].ended.remote_operational_error", "work requests",
              "refused: the memory failed"},
    FieldInfo{kSummary, "work_requests[].time_ps", "ps",
              "mean from post to completion of those that succeeded; null for none"},
    FieldInfo{kSummary, "work_requests[].shortest_ps", "ps", "shortest of these"},
    FieldInfo{kSummary, "work_requests[].longest_ps", "ps", "longest of these"},
    FieldInfo{kSummary, "work_requests[].last_result", "",
              "value that the last atomic found; 0 for others"},
    FieldInfo{kSummary, "qp_errors[].reason", "", "verbs: why a QP failed"},
    FieldInfo{kSummary, "pausing_nics[].port", "",
              "port of a NIC whose host could not keep up, so that it sent pauses"},
    FieldInfo{kSummary, "pausing_nics[].xoff_frames", "frames", "PFC frames that pause, of it"},

    FieldInfo{kOps, "op", "", "kind of op"},
    FieldInfo{kOps, "bytes", "B", "size as nccl-tests defines it"},
    FieldInfo{kOps, "ranks", "ranks", "ranks that take part"},
    FieldInfo{kOps, "count", "ops", "ops of this kind, size and number of ranks"},
    FieldInfo{kOps, "time_ps", "ps", "mean from first rank's start to last rank's end"},
    FieldInfo{kOps, "shortest_ps", "ps", "the shortest of these times"},
    FieldInfo{kOps, "longest_ps", "ps", "the longest of these times"},
    FieldInfo{kOps, "algbw_gbytes_per_s", "GB/s", "bytes / time; empty for an op without duration"},
    FieldInfo{kOps, "busbw_gbytes_per_s", "GB/s",
              "algbw x factor of the kind; empty for one rank and for a barrier"},

    FieldInfo{kCounters, "kind", "", "port, queue, qp, …"},
    FieldInfo{kCounters, "entity", "", "name in the fabric, such as fabric.leaf3.port5"},
    FieldInfo{kCounters, "counter", "", "name of the counter"},
    FieldInfo{kCounters, "value", "see unit", "never 0: such rows are left out"},
    FieldInfo{kCounters, "unit", "", "unit of the value"},
};

}  // namespace

std::span<const FieldInfo> result_schema() { return kSchema; }

std::string result_schema_text() {
  std::string text = fmt::format("{:<14} {:<28} {:<14} {}\n", "file", "field", "unit", "meaning");
  for (const FieldInfo& info : kSchema) {
    text += fmt::format("{:<14} {:<28} {:<14} {}\n", info.file, info.field,
                        info.unit.empty() ? "-" : info.unit, info.meaning);
  }
  return text;
}

}  // namespace sluice
