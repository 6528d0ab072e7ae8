// SPDX-License-Identifier: Apache-2.0
#include "rtl/egress_scheduler/egress_scheduler_record.h"

#include <fmt/ranges.h>

#include <istream>

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

SchedulerParams read_profile(std::istream& words) {
  SchedulerParams params;
  unsigned strict = 0;
  words >> strict >> params.quantum_bytes.value;
  params.strict_queues.clear();
  for (std::uint32_t q = 0; q < kSchedulerQueues; ++q) {
    if (strict >> q & 1u) params.strict_queues.push_back(q);
  }
  for (std::uint32_t& weight : params.weights) words >> weight;
  words >> params.port_shaper.value >> params.port_burst.value;
  params.queue_shapers.resize(kSchedulerQueues);
  params.queue_bursts.resize(kSchedulerQueues);
  for (std::uint32_t& rate : params.queue_shapers) words >> rate;
  for (std::uint32_t& burst : params.queue_bursts) words >> burst;
  return params;
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

bool read_request(const std::string& kind, std::istream& words, Request& r) {
  words >> r.port;
  if (kind == "pick") {
    r.kind = Kind::kPick;
    unsigned waiting = 0;
    words >> waiting;
    r.waiting = static_cast<std::uint8_t>(waiting);
    for (std::uint32_t& head : r.heads) words >> head;
    r.now = kNever;
  } else if (kind == "emptied") {
    r.kind = Kind::kEmptied;
    words >> r.queue;
  } else if (kind == "sent") {
    r.kind = Kind::kSent;
    words >> r.queue >> r.bytes >> r.now.value;
  } else if (kind == "held") {
    r.kind = Kind::kHeld;
    words >> r.now.value;
  } else {
    return false;
  }
  return !words.fail();
}

}  // namespace sluice::rtl
