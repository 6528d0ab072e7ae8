// SPDX-License-Identifier: Apache-2.0
#include "fabric/capture/message_table.h"

#include <algorithm>

namespace sluice {
namespace {

constexpr std::uint64_t kPsns = std::uint64_t{1} << 24;
/// No more than half the PSNs may be outstanding (IBTA 9.7.2), so nothing older is on its way.
constexpr std::uint64_t kMostOutstanding = kPsns / 2;
/// Where messages without an address of their own begin: looks like user memory.
constexpr std::uint64_t kFirstAddress = 0x7F0000000000;
constexpr std::uint64_t kAlignment = 64;
constexpr std::uint32_t kFirstRemoteKey = 0x1000;

std::uint64_t key_of(std::uint32_t source, std::uint32_t flow) {
  return std::uint64_t{source} << 32 | flow;
}

/// The number next to `near` that is `psn` modulo 2^24.
std::uint64_t counted_on(std::uint64_t near, std::uint32_t psn) {
  const std::uint64_t ahead = (psn - near) % kPsns;
  return ahead < kMostOutstanding ? near + ahead : near + ahead - kPsns;
}

}  // namespace

MessageTable::Flow& MessageTable::flow_of(std::uint32_t source, std::uint32_t destination,
                                          std::uint32_t flow) {
  const auto [at, added] = flows_.try_emplace(key_of(source, flow));
  if (added) {
    at->second.responder_qp = (2 * responding_qps_[destination]++ + 3) & 0xFFFFFF;
    at->second.next_address = kFirstAddress;
  }
  return at->second;
}

std::uint32_t MessageTable::responder_qp(std::uint32_t source, std::uint32_t destination,
                                         std::uint32_t flow) {
  return flow_of(source, destination, flow).responder_qp;
}

void MessageTable::remember(std::uint32_t source, std::uint32_t destination, std::uint32_t flow,
                            std::uint32_t first_psn, std::uint32_t packets,
                            wire::WireMessage message) {
  Flow& qp = flow_of(source, destination, flow);
  const std::uint64_t first =
      qp.messages.empty() ? kPsns + first_psn : counted_on(qp.messages.back().first, first_psn);
  if (!qp.messages.empty() && first <= qp.messages.back().first) return;  // sent again
  if (!message.has_address) {
    message.remote_address = qp.next_address;
    qp.next_address += (message.bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (message.remote_key == 0) message.remote_key = kFirstRemoteKey + qp.responder_qp;
  while (!qp.messages.empty() && qp.messages.front().first + kMostOutstanding < first) {
    qp.messages.pop_front();
  }
  qp.messages.push_back({first, packets, message});
}

const wire::WireMessage* MessageTable::find(std::uint32_t source, std::uint32_t flow,
                                            std::uint32_t psn) const {
  const auto at = flows_.find(key_of(source, flow));
  if (at == flows_.end() || at->second.messages.empty()) return nullptr;
  const std::deque<Entry>& messages = at->second.messages;
  const std::uint64_t wanted = counted_on(messages.back().first, psn);
  auto after = std::upper_bound(
      messages.begin(), messages.end(), wanted,
      [](std::uint64_t number, const Entry& entry) { return number < entry.first; });
  if (after == messages.begin()) return nullptr;
  const Entry& entry = *--after;
  return wanted < entry.first + entry.packets ? &entry.message : nullptr;
}

}  // namespace sluice
