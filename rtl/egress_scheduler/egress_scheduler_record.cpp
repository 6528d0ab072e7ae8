// SPDX-License-Identifier: Apache-2.0
#include "rtl/egress_scheduler/egress_scheduler_record.h"

#include <fmt/ranges.h>

namespace sluice::rtl {

using Kind = EgressSchedulerTwin::Kind;
using Request = EgressSchedulerTwin::Request;

std::string profile_line(const SchedulerParams& params) {
  unsigned strict = 0;
  for (const std::uint32_t queue : params.strict_queues) strict |= 1u << queue;
  std::vector<std::uint32_t> rates(kSchedulerQueues, 0);
  std::vector<std::uint32_t> bursts(kSchedulerQueues, 16384);
  if (!params.queue_shapers.empty()) rates = params.queue_shapers;
  if (!params.queue_bursts.empty()) bursts = params.queue_bursts;
  return fmt::format("profile {} {} {} {} {} {} {}", strict, params.quantum_bytes.value,
                     fmt::join(params.weights, " "), params.port_shaper.value,
                     params.port_burst.value, fmt::join(rates, " "), fmt::join(bursts, " "));
}

std::string request_line(const Request& r) {
  switch (r.kind) {
    case Kind::kPick:
      return fmt::format("pick {} {} {}", r.port, r.waiting, fmt::join(r.heads, " "));
    case Kind::kEmptied:
      return fmt::format("emptied {} {}", r.port, r.queue);
    case Kind::kSent:
      return fmt::format("sent {} {} {} {}", r.port, r.queue, r.bytes, r.now.value);
    case Kind::kHeld:
      break;
  }
  return fmt::format("held {} {}", r.port, r.now.value);
}

}  // namespace sluice::rtl
