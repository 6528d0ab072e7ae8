// SPDX-License-Identifier: Apache-2.0
#include "nic/verbs_params.h"

#include "kernel/error.h"

namespace sluice {
namespace {

void check(const char* key, std::uint64_t value, std::uint64_t min, std::uint64_t max) {
  if (value < min || value > max) {
    throw ConfigError(fmt::format("verbs.{}: {}, expected {}..{}", key, value, min, max));
  }
}

}  // namespace

void VerbsParams::describe(ParameterVisitor& visitor) {
  constexpr std::string_view kChoice = "choice of the experiment";
  visitor.visit("outstanding_reads", outstanding_reads, {1, 128},
                {"READs and atomics of a QP that wait for their answers, and results kept",
                 "ConnectX: 16 (max_qp_rd_atom)"});
  visitor.visit("read_latency", read_latency, {0, 1e9},
                {"host memory read before an answer's first byte", "estimate: host DRAM 600 ns"});
  visitor.visit("rnr_retry", rnr_retry, {0, 7},
                {"RNR NAKs without progress before the QP fails; 7: no limit", "IBTA 9.7.5.2.8"});
  visitor.visit("min_rnr_timer", min_rnr_timer, {0, 31},
                {"code of the pause that an RNR NAK asks for; 0: 655.36 ms, the longest",
                 "IBTA table 46; perftest and rdma-core examples: 12"});
  visitor.visit("receive_queue_depth", receive_queue_depth, {0, 65536},
                {"receive requests that the host keeps posted; 0: never too few", kChoice});
  visitor.visit("receive_queue_shared", receive_queue_shared,
                {"one receive queue for all QPs of the NIC", "IBTA 10.2.9"});
  visitor.visit("receive_repost_delay", receive_repost_delay, {0, 1.8e19},
                {"from a receive request used to another posted in its place", kChoice});
  visitor.visit("receive_buffer_bytes", receive_buffer_bytes, {0, 2147483648.0},
                {"longest SEND that a receive request takes; 0: any", kChoice});
  visitor.visit("end_to_end_credits", end_to_end_credits,
                {"ACKs tell of receive requests and SENDs keep to them", "IBTA 9.7.7.2"});
  visitor.visit("memory_bytes", memory_bytes, {0, 0x1p60},
                {"memory that others may reach, from address 0 on; 0: all", kChoice});
  visitor.visit("memory_key", memory_key, {0, 4294967295.0},
                {"key that requests for it must have", "IBTA 9.7.4.1.4"});
  visitor.visit("memory_error_at", memory_error_at, {0, 9e18},
                {"address of a byte that fails when it is touched; 0: none", kChoice});
}

void VerbsParams::validate() const {
  check("outstanding_reads", outstanding_reads, 1, 128);
  check("rnr_retry", rnr_retry, 0, 7);
  check("min_rnr_timer", min_rnr_timer, 0, 31);
  check("receive_queue_depth", receive_queue_depth, 0, 65536);
  check("receive_buffer_bytes", receive_buffer_bytes.value, 0, std::uint64_t{1} << 31);
}

}  // namespace sluice
