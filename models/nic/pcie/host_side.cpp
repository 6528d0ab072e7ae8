// SPDX-License-Identifier: Apache-2.0
#include "nic/pcie/host_side.h"

#include <algorithm>
#include <cstddef>

#include "kernel/random.h"

namespace sluice {

std::vector<CounterField> host_side_counter_fields() {
  using C = HostSideCounters;
  return {
      {"context_misses", "reads", "QP contexts fetched from the host", offsetof(C, context_misses)},
      {"translation_misses", "reads", "page addresses fetched from the host",
       offsetof(C, translation_misses)},
      {"read_bytes", "B", "payload and WQEs read from the host", offsetof(C, read_bytes)},
      {"written_bytes", "B", "payload and CQEs written to the host", offsetof(C, written_bytes)},
  };
}

HostSide::HostSide(const PcieParams& params)
    : params_(params),
      link_(params),
      contexts_(params.context_entries),
      translations_(params.translation_entries) {
  if (params.messages_per_second != 0) {
    ps_per_message_ = static_cast<std::uint64_t>(
        (__uint128_t{1'000'000'000'000} << kPcieFractionBits) / params.messages_per_second);
  }
}

/// Time of the misses: the context first, then the pages, whose fetches overlap.
Ps HostSide::lookup(std::uint64_t key, std::uint64_t offset, std::uint64_t bytes) {
  Ps time{};
  if (!contexts_.use(key)) {
    ++counters_.context_misses;
    time += params_.context_miss;
  }
  if (bytes == 0) return time;
  bool missed = false;
  const std::uint64_t last = (offset + bytes - 1) / params_.page_bytes.value;
  for (std::uint64_t page = offset / params_.page_bytes.value; page <= last; ++page) {
    if (translations_.use(mix64(key) ^ page)) continue;
    ++counters_.translation_misses;
    missed = true;
  }
  if (missed) time += params_.translation_miss;
  return time;
}

/// Every QP sends from one buffer of its own, from the buffer's beginning.
Ps HostSide::message_ready(std::uint32_t qp, std::uint64_t bytes, bool idle, Ps doorbell) {
  Ps ready = doorbell;
  if (ps_per_message_ != 0) {
    // Messages begin an interval apart; the server says when this one's interval ends.
    const Ps interval{(ps_per_message_ + (1u << kPcieFractionBits) - 1) >> kPcieFractionBits};
    ready = std::max(doorbell, messages_.take(1, ps_per_message_, doorbell) - interval);
  }
  if (!params_.inline_wqe) {
    counters_.read_bytes += params_.wqe_bytes;
    ready = link_.read(params_.wqe_bytes, ready) + params_.read_latency;
  }
  ready += lookup(qp, 0, bytes);
  if (bytes == 0) return ready;
  if (idle) link_.begin_reading(ready);
  return ready + params_.read_latency;
}

Ps HostSide::payload_sent(std::uint32_t payload, Ps now) {
  counters_.read_bytes += payload;
  return link_.read(payload, now);
}

Ps HostSide::payload_received(std::uint64_t key, std::uint64_t offset, std::uint32_t payload,
                              Ps now) {
  // Flows of receivers and QPs of senders are contexts of one cache; the top bit tells them apart.
  const Ps miss = lookup(key | std::uint64_t{1} << 63, offset, payload);
  counters_.written_bytes += payload;
  return link_.write(payload, now + Ps{miss.value / params_.parallel_misses});
}

void HostSide::complete(Ps now) {
  counters_.written_bytes += params_.cqe_bytes;
  link_.write(params_.cqe_bytes, now);
}

}  // namespace sluice
