// SPDX-License-Identifier: Apache-2.0
// Lines up the collectives of each group and the two ends of each message, and names the first gap.
// Leaves out: a second fault behind the first; one line is what a stalled run can use.
#include "workload/mismatch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>

#include "kernel/error.h"

namespace sluice {
namespace {

/// What all members of a collective must agree on.
struct Signature {
  OpKind kind = OpKind::kBarrier;
  std::uint32_t root = 0;
  std::uint64_t bytes = 0;
  auto operator<=>(const Signature&) const = default;
};

Signature signature_of(const Op& op) {
  const bool own_bytes = op.kind == OpKind::kAllToAll && op.splits != kNoSplits;
  return {op.kind, is_rooted(op.kind) ? op.peer : 0, own_bytes ? 0 : op.bytes};
}

/// The collectives of one member on one group, in stream order.
struct Sequence {
  std::uint32_t rank = 0;
  std::vector<Signature> ops;
  std::vector<const Op*> sources;
};

/// "0-2,4-7".
std::string rank_list(std::vector<std::uint32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == i ? fmt::format("{}", ranks[i]) : fmt::format("{}-{}", ranks[i], ranks[end]);
    i = end + 1;
  }
  return text;
}

std::string describe(const Op& op) {
  std::string text = fmt::format("{} of {} B", op_kind_name(op.kind), op.bytes);
  if (op.splits != kNoSplits) text += ", uneven";
  if (is_rooted(op.kind)) text += fmt::format(", root {}", op.peer);
  return text;
}

/// The sequence that most members have; on a tie the longest.
const Sequence& reference_of(const std::vector<Sequence>& members) {
  std::map<std::vector<Signature>, std::pair<std::size_t, std::size_t>> votes;
  for (std::size_t m = 0; m < members.size(); ++m) {
    auto& vote = votes.try_emplace(members[m].ops, 0, m).first->second;
    ++vote.first;
  }
  const auto better = [](const auto& a, const auto& b) {
    return std::tuple(a.second.first, a.first.size(), b.second.second) <
           std::tuple(b.second.first, b.first.size(), a.second.second);
  };
  return members[std::max_element(votes.begin(), votes.end(), better)->second.second];
}

/// Position of the first op that `member` lacks by the trace's own op numbers, when both number
/// their ops upwards and `member` numbers only such that `reference` has too; otherwise npos.
std::size_t lacking_by_number(const Sequence& reference, const Sequence& member) {
  const auto number = [](const Sequence& s, std::size_t i) { return s.sources[i]->tag; };
  for (const Sequence* s : {&reference, &member})
    for (std::size_t i = 1; i < s->ops.size(); ++i)
      if (number(*s, i) <= number(*s, i - 1)) return std::string::npos;
  std::size_t lacks = std::string::npos;
  std::size_t r = 0;
  for (std::size_t m = 0; m < member.ops.size(); ++m, ++r) {
    for (; r < reference.ops.size() && number(reference, r) != number(member, m); ++r)
      lacks = std::min(lacks, r);
    if (r == reference.ops.size() || reference.ops[r] != member.ops[m]) return std::string::npos;
  }
  return lacks;
}

/// Ops that agree from a[i] and b[j] on, at most `limit`; the whole rest counts as `limit`.
std::size_t agreement(const std::vector<Signature>& a, std::size_t i,
                      const std::vector<Signature>& b, std::size_t j, std::size_t limit) {
  std::size_t n = 0;
  while (n < limit && i + n < a.size() && j + n < b.size() && a[i + n] == b[j + n]) ++n;
  return i + n == a.size() && j + n == b.size() ? limit : n;
}

std::string compare(const Group& group, const std::vector<Sequence>& members,
                    const Sequence& reference, const Sequence& member) {
  constexpr std::size_t kWindow = 16;
  const auto lacks = [&](std::size_t at) {
    std::vector<std::uint32_t> waiting;
    for (const Sequence& other : members)
      if (&other != &member && other.ops.size() > at && other.ops[at] == reference.ops[at])
        waiting.push_back(other.rank);
    return fmt::format("rank {} lacks op {} of group '{}' ({}), which rank{} {} wait{} in",
                       member.rank, at + 1, group.name, describe(*reference.sources[at]),
                       waiting.size() == 1 ? "" : "s", rank_list(waiting),
                       waiting.size() == 1 ? "s" : "");
  };
  if (member.ops.size() < reference.ops.size()) {
    const std::size_t numbered = lacking_by_number(reference, member);
    if (numbered != std::string::npos) return lacks(numbered);
  }
  std::size_t at = 0;
  while (at < member.ops.size() && at < reference.ops.size() && member.ops[at] == reference.ops[at])
    ++at;
  if (at == member.ops.size()) return lacks(at);
  const bool at_end = at == reference.ops.size();
  const std::size_t same = agreement(reference.ops, at + 1, member.ops, at + 1, kWindow);
  const std::size_t without = agreement(reference.ops, at + 1, member.ops, at, kWindow);
  const std::size_t beyond = agreement(reference.ops, at, member.ops, at + 1, kWindow);
  if (at_end || (beyond > same && beyond > without))
    return fmt::format(
        "rank {} has op {} of group '{}' ({}) in which rank{} {} take{} no part", member.rank,
        at + 1, group.name, describe(*member.sources[at]), members.size() == 2 ? "" : "s",
        [&] {
          std::vector<std::uint32_t> others;
          for (const Sequence& other : members)
            if (&other != &member) others.push_back(other.rank);
          return rank_list(others);
        }(),
        members.size() == 2 ? "s" : "");
  if (without > same) return lacks(at);
  return fmt::format("op {} of group '{}' differs: rank {} has {}, rank {} has {}", at + 1,
                     group.name, member.rank, describe(*member.sources[at]), reference.rank,
                     describe(*reference.sources[at]));
}

std::string transfer_mismatch(std::uint32_t from, std::uint32_t to, std::uint64_t sent,
                              std::uint64_t expected) {
  return fmt::format("mismatch {}->{}: sent {}, expected {}", from, to, sent, expected);
}

std::string compare_splits(const Workload& workload, const Group& group,
                           const std::vector<Sequence>& members) {
  for (std::size_t k = 0; k < members.front().ops.size(); ++k) {
    const Op& first = *members.front().sources[k];
    if (first.kind != OpKind::kAllToAll || first.splits == kNoSplits) continue;
    for (std::size_t to = 0; to < members.size(); ++to) {
      const Splits& receiver = workload.splits[members[to].sources[k]->splits];
      for (std::size_t from = 0; from < members.size(); ++from) {
        const Splits& sender = workload.splits[members[from].sources[k]->splits];
        if (sender.send_bytes[to] != receiver.recv_bytes[from])
          return transfer_mismatch(members[from].rank, members[to].rank, sender.send_bytes[to],
                                   receiver.recv_bytes[from]) +
                 fmt::format(" (op {} of group '{}')", k + 1, group.name);
      }
    }
  }
  return {};
}

std::string compare_group(const Workload& workload, const Group& group,
                          const std::vector<Sequence>& members) {
  const Sequence& reference = reference_of(members);
  for (const Sequence& member : members)
    if (member.ops != reference.ops) return compare(group, members, reference, member);
  for (std::size_t k = 0; k < reference.ops.size(); ++k)
    for (const Sequence& member : members)
      if ((member.sources[k]->splits == kNoSplits) != (reference.sources[k]->splits == kNoSplits))
        return compare(group, members, reference, member);
  return compare_splits(workload, group, members);
}

std::string compare_collectives(const Workload& workload) {
  std::vector<std::vector<Sequence>> groups(workload.groups.size());
  std::vector<std::map<std::uint32_t, std::uint32_t>> places(workload.ranks.size());
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t rank : workload.groups[g].ranks) {
      places[rank][g] = static_cast<std::uint32_t>(groups[g].size());
      groups[g].push_back({rank, {}, {}});
    }
  }
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    for (const Op& op : workload.ranks[rank].ops) {
      if (!is_collective(op.kind)) continue;
      Sequence& sequence = groups[op.group][places[rank].at(op.group)];
      sequence.ops.push_back(signature_of(op));
      sequence.sources.push_back(&op);
    }
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::string text = compare_group(workload, workload.groups[g], groups[g]);
    if (!text.empty()) return text;
  }
  return {};
}

struct Message {
  std::uint32_t from, to, tag;
  bool received;  ///< false: the sender's side
  std::uint32_t ordinal;
  std::uint64_t bytes;
  auto operator<=>(const Message&) const = default;
};

/// Both sides of one (from, to, tag), each in order.
std::string compare_messages(std::span<const Message> sent, std::span<const Message> expected) {
  const std::size_t common = std::min(sent.size(), expected.size());
  const auto differs = [](const Message& a, const Message& b) { return a.bytes != b.bytes; };
  std::size_t at = 0;
  while (at < common && !differs(sent[at], expected[at])) ++at;
  if (at == sent.size() && at == expected.size()) return {};
  const auto rest_equal = [&](std::size_t skip_sent, std::size_t skip_expected) {
    const auto a = sent.subspan(at + skip_sent);
    const auto b = expected.subspan(at + skip_expected);
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [&](const Message& x, const Message& y) { return !differs(x, y); });
  };
  std::uint64_t s = at < sent.size() ? sent[at].bytes : 0;
  std::uint64_t e = at < expected.size() ? expected[at].bytes : 0;
  if (at < common && rest_equal(0, 1)) s = 0;
  if (at < common && rest_equal(1, 0)) e = 0;
  const Message& any = sent.empty() ? expected.front() : sent.front();
  return transfer_mismatch(any.from, any.to, s, e) +
         fmt::format(" (message {}, tag {})", at + 1, any.tag);
}

std::string compare_point_to_point(const Workload& workload) {
  std::vector<Message> messages;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    std::uint32_t ordinal = 0;
    for (const Op& op : workload.ranks[rank].ops) {
      if (op.kind == OpKind::kSend)
        messages.push_back({rank, op.peer, op.tag, false, ordinal++, op.bytes});
      if (op.kind == OpKind::kRecv)
        messages.push_back({op.peer, rank, op.tag, true, ordinal++, op.bytes});
    }
  }
  std::sort(messages.begin(), messages.end());
  const std::span<const Message> all(messages);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t middle = begin;
    std::size_t end = begin;
    for (; end < all.size() && all[end].from == all[begin].from && all[end].to == all[begin].to &&
           all[end].tag == all[begin].tag;
         ++end)
      if (!all[end].received) middle = end + 1;
    std::string text =
        compare_messages(all.subspan(begin, middle - begin), all.subspan(middle, end - middle));
    if (!text.empty()) return text;
    begin = end;
  }
  return {};
}

}  // namespace

std::string describe_mismatch(const Workload& workload) {
  std::string text = compare_collectives(workload);
  return text.empty() ? compare_point_to_point(workload) : text;
}

}  // namespace sluice
