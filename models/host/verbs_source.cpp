// SPDX-License-Identifier: Apache-2.0
#include "host/verbs_source.h"

#include <algorithm>
#include <numeric>

#include "kernel/error.h"
#include "kernel/random.h"

namespace sluice {

void VerbsOperation::describe(ParameterVisitor& visitor) {
  constexpr std::string_view kChoice = "choice of the experiment";
  constexpr ParameterRange kHosts{0, 16777215};
  constexpr ParameterRange kWord{0, 9.2e18};
  visitor.visit("from", from, kHosts, {"host that posts", kChoice});
  visitor.visit("to", to, kHosts, {"host that it is meant for", kChoice});
  visitor.visit("op", op, kOperationNames, {"operation", "IBTA 9.4"});
  visitor.visit("bytes", bytes, {0, 0x1p50}, {"of each; atomics have none", kChoice, "B"});
  visitor.visit("at", at, {0, 1e18}, {"when the first is posted", kChoice});
  visitor.visit("count", count, {1, 1e9}, {"equal work requests", kChoice});
  visitor.visit("interval", interval, {0, 1e15}, {"between the posts of two", kChoice});
  visitor.visit("address", address, kWord, {"remote address", kChoice});
  visitor.visit("key", key, {0, 4294967295.0}, {"remote key; nic.verbs.memory_key fits", kChoice});
  visitor.visit("immediate", immediate, {0, 4294967295.0}, {"immediate data", kChoice});
  visitor.visit("compare", compare, kWord, {"what compare_swap expects", kChoice});
  visitor.visit("operand", operand, kWord, {"what compare_swap stores, fetch_add adds", kChoice});
}

void VerbsOperation::validate() const {
  if (from == to) throw ConfigError(fmt::format("to: {}, expected another host than from", to));
  if (is_atomic(op) && bytes.value != 0) {
    throw ConfigError(fmt::format("bytes: {}, expected none: an atomic is 8 bytes", bytes.value));
  }
}

std::uint64_t VerbsResult::ended_count() const {
  return std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
}

VerbsSource::VerbsSource(const std::vector<VerbsOperation>& operations) {
  for (const VerbsOperation& operation : operations) {
    lines_.push_back({operation});
    VerbsResult& result = results_.emplace_back();
    result.from = operation.from;
    result.to = operation.to;
    result.op = operation.op;
    result.bytes = is_atomic(operation.op) ? 8 : operation.bytes.value;
    result.count = operation.count;
  }
}

Ps VerbsSource::next_post() const {
  Ps next = kNever;
  for (const Line& line : lines_) {
    if (line.posted < line.operation.count) next = std::min(next, line.due());
  }
  return next;
}

std::vector<WorkRequest> VerbsSource::due(Ps now) {
  std::vector<WorkRequest> requests;
  for (std::uint64_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    const VerbsOperation& wanted = line.operation;
    for (; line.posted < wanted.count && line.due() <= now; ++line.posted) {
      requests.push_back({.destination = wanted.to,
                          .op = wanted.op,
                          .bytes = wanted.bytes.value,
                          .cookie = i << kLineShift | line.posted,
                          .remote_address = wanted.address,
                          .compare = wanted.compare,
                          .operand = wanted.operand,
                          .remote_key = wanted.key,
                          .immediate = wanted.immediate});
    }
  }
  return requests;
}

void VerbsSource::ended(const Completion& completion, Ps now) {
  const std::size_t line = completion.cookie >> kLineShift;
  const auto number = static_cast<std::uint32_t>(completion.cookie);
  VerbsResult& result = results_[line];
  ++result.ended[static_cast<std::size_t>(completion.status)];
  result.hash += mix64(mix64(completion.cookie + 1) ^ now.value) +
                 mix64(completion.result + static_cast<std::uint64_t>(completion.status));
  result.last_end = now;
  if (completion.status != CompletionStatus::kSuccess) return;
  const Ps posted = lines_[line].operation.at + lines_[line].operation.interval * number;
  const Ps time = now - posted;
  result.shortest = std::min(result.shortest, time);
  result.longest = std::max(result.longest, time);
  result.total += time;
  result.last_result = completion.result;
}

bool VerbsSource::finished() const {
  return std::all_of(results_.begin(), results_.end(), [](const VerbsResult& result) {
    return result.ended_count() == result.count;
  });
}

}  // namespace sluice
