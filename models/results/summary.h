// SPDX-License-Identifier: Apache-2.0
// The outcome of a run in plain numbers, and its stable JSON form (docs/formats.md, summary.json).
// Leaves out: collecting it from a fabric, and per-entity counters (counters.csv).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/run_recorder.h"
#include "host/verbs_source.h"
#include "kernel/error.h"
#include "kernel/time.h"
#include "workload/workload.h"

namespace sluice {

enum class Verdict : std::uint8_t {
  kOk,
  kStopped,  ///< by --until
  kNotLossless,
  kStalled,
  kDeadlock,
  kInvariant,
  kRtlMismatch,
};
std::string_view verdict_name(Verdict verdict);
/// What the process ends with.
ExitCode exit_code(Verdict verdict);

struct Summary {
  struct Pfc {
    std::uint64_t xoff_frames = 0;
    std::uint64_t xon_frames = 0;
    Ps paused{};  ///< summed over transmitters and priorities
  };
  /// A NIC's port whose host could not keep up, so that it paused its leaf.
  struct PausingNic {
    std::string port;
    std::uint64_t xoff_frames = 0;
  };
  /// Of the chip with the highest peak.
  struct Buffer {
    std::uint64_t peak_cells = 0;
    std::uint64_t pool_cells = 0;
    std::uint64_t peak_headroom_cells = 0;
  };

  /// What of a run was in RTL; no block: the model alone.
  struct Rtl {
    std::vector<std::string> blocks;
    std::string scope;      ///< one chip or NIC; empty: all
    std::string verilator;  ///< version that made the RTL's model; empty without blocks
  };

  std::string version;
  Rtl rtl;
  std::uint64_t seed = 0;
  std::uint64_t config_hash = 0;
  std::uint64_t result_hash = 0;
  Verdict verdict = Verdict::kOk;
  Ps simulated{};
  double cpu_s = 0;
  double wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t packets_delivered = 0;
  std::uint64_t packet_hops = 0;
  std::uint64_t bytes_delivered = 0;
  std::uint64_t retransmitted_packets = 0;
  /// (reason, packets); the total is their sum.
  std::vector<std::pair<std::string, std::uint64_t>> drops;
  Pfc pfc;
  std::uint64_t ecn_marked = 0;
  std::uint64_t cnp_sent = 0;
  Buffer buffer;
  std::vector<OpRow> ops;
  std::vector<VerbsResult> work_requests;  ///< of `workload: {type: verbs}`, a row a line
  std::vector<std::string> qp_errors;      ///< why QPs of such a run failed
  std::vector<PausingNic> pausing_nics;    ///< in order of their hosts
  Ledger ledger;
  std::uint64_t bytes_simulated = 0;

  std::uint64_t drops_total() const;
};

nlohmann::ordered_json to_json(const Summary& summary);
/// Exactly the content of summary.json, with a final newline.
std::string summary_json_text(const Summary& summary);
/// A 64-bit hash as 16 hexadecimal digits.
std::string hash_text(std::uint64_t hash);

/// Adds what the ranks recorded: ops, ledger and bytes_simulated. `verdict` must be set before: a
/// run that is not ok lists what has not ended as skipped.
void add_recorded(Summary& summary, const RunRecorder& recorder);

}  // namespace sluice
