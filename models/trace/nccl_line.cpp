// SPDX-License-Identifier: Apache-2.0
// One line of an NCCL debug log: which parts of it say something about communicators or ops.
// Leaves out: which rank a part belongs to (nccl_comms.h); GRAPH, TUNING and TRACE parts.
#include "trace/nccl_line.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::string_view kInfo = "NCCL INFO ";
constexpr std::string_view kOpCount = ": opCount ";
constexpr std::size_t kNone = std::string_view::npos;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
}

template <class Integer>
bool parse_number(std::string_view text, Integer& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Next blank-separated word, removed from `text`; empty at the end.
std::string_view next_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == kNone) {
    text = {};
    return {};
  }
  const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

void cut_colours(std::string& text) {
  std::size_t at = 0;
  while ((at = text.find('\x1b', at)) != std::string::npos) {
    std::size_t end = at + 1;
    if (end < text.size() && text[end] == '[') {
      ++end;
      while (end < text.size() && (is_digit(text[end]) || text[end] == ';')) ++end;
      if (end < text.size()) ++end;
    }
    text.erase(at, end - at);
  }
}

/// HOST:PID:TID [DEV] that ends where `before` ends.
struct Prefix {
  std::size_t begin = kNone;  ///< of the host; kNone: no prefix there
  std::string_view host;
  std::uint32_t pid = 0;
};

/// Digits that end at `end`; moves `end` to their first. False when there are none.
bool digits_back(std::string_view text, std::size_t& end) {
  const std::size_t last = end;
  while (end > 0 && is_digit(text[end - 1])) --end;
  return end != last;
}

bool char_back(std::string_view text, std::size_t& end, char c) {
  if (end == 0 || text[end - 1] != c) return false;
  --end;
  return true;
}

Prefix prefix_before(std::string_view before) {
  Prefix prefix;
  std::size_t at = before.size();
  if (!char_back(before, at, ' ') || !char_back(before, at, ']') || !digits_back(before, at) ||
      !char_back(before, at, '[') || !char_back(before, at, ' ') || !digits_back(before, at) ||
      !char_back(before, at, ':'))
    return prefix;
  const std::size_t pid_end = at;
  if (!digits_back(before, at)) return prefix;
  if (!parse_number(before.substr(at, pid_end - at), prefix.pid)) return prefix;
  if (!char_back(before, at, ':')) return prefix;
  const std::size_t host_end = at;
  while (at > 0 && is_host(before[at - 1])) --at;
  if (at == host_end) return prefix;
  prefix.host = before.substr(at, host_end - at);
  prefix.begin = at;
  return prefix;
}

std::optional<OpKind> kind_of(std::string_view name) {
  using Pair = std::pair<std::string_view, OpKind>;
  constexpr std::array<Pair, 13> kKinds = {Pair{"AllReduce", OpKind::kAllReduce},
                                           Pair{"AllGather", OpKind::kAllGather},
                                           Pair{"ReduceScatter", OpKind::kReduceScatter},
                                           Pair{"Broadcast", OpKind::kBroadcast},
                                           Pair{"Bcast", OpKind::kBroadcast},
                                           Pair{"Reduce", OpKind::kReduce},
                                           Pair{"Gather", OpKind::kGather},
                                           Pair{"Scatter", OpKind::kScatter},
                                           Pair{"AlltoAll", OpKind::kAllToAll},
                                           Pair{"AllToAll", OpKind::kAllToAll},
                                           Pair{"Alltoall", OpKind::kAllToAll},
                                           Pair{"Send", OpKind::kSend},
                                           Pair{"Recv", OpKind::kRecv}};
  for (const auto& [known, kind] : kKinds)
    if (name == known) return kind;
  return std::nullopt;
}

}  // namespace

std::uint32_t TextTable::number(std::string_view text) {
  const auto [at, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.emplace_back(text);
  return at->second;
}

std::uint32_t nccl_element_bytes(std::uint32_t datatype) {
  // int8 uint8 int32 uint32 int64 uint64 fp16 fp32 fp64 bf16 fp8e4m3 fp8e5m2
  constexpr std::array<std::uint8_t, 12> kBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return datatype < kBytes.size() ? kBytes[datatype] : 0;
}

void NcclLineParser::parse(const std::string& name, std::uint32_t file, std::uint64_t line,
                           std::string& text) {
  if (text.find('\x1b') != std::string::npos) cut_colours(text);
  NcclRecord record;
  record.file = file;
  record.line = line;
  std::string_view rest = text;
  // Text in front of the first prefix belongs to nobody: a torn line may still name its pointer.
  NcclRecord owner = record;
  for (;;) {
    const std::size_t at = rest.find(kInfo);
    const std::string_view before = rest.substr(0, at);
    const Prefix prefix = at == kNone ? Prefix{} : prefix_before(before);
    parse_part(name, owner, prefix.begin == kNone ? before : before.substr(0, prefix.begin));
    if (at == kNone) return;
    ++nccl_lines_;
    owner = record;
    if (prefix.begin != kNone) {
      owner.host = texts_.number(prefix.host);
      owner.pid = prefix.pid;
      owner.at_start = prefix.host.data() == text.data();
    }
    rest.remove_prefix(at + kInfo.size());
  }
}

void NcclLineParser::parse_part(const std::string& name, NcclRecord record, std::string_view part) {
  const std::size_t op = part.find(kOpCount);
  if (op != kNone) {
    parse_op(name, record, part, op);
  } else if (record.host != 0 && part.find("comm ") != kNone) {
    parse_comm(record, part);
  }
}

void NcclLineParser::parse_op(const std::string& name, NcclRecord record, std::string_view part,
                              std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && std::isalnum(static_cast<unsigned char>(part[begin - 1])) != 0) --begin;
  const std::string_view op_name = part.substr(begin, at - begin);
  std::string_view rest = part.substr(at + kOpCount.size());
  bool whole = parse_number(next_word(rest), record.op_count, 16);
  std::uint32_t datatype = UINT32_MAX;
  bool have_count = false;
  bool have_root = false;
  bool behind_comm = false;
  for (std::string_view key = next_word(rest); !key.empty(); key = next_word(rest)) {
    if (key.starts_with("[nranks=") && key.ends_with("]")) {
      behind_comm |= parse_number(key.substr(8, key.size() - 9), record.nranks);
      continue;
    }
    if (key != "count" && key != "datatype" && key != "root" && key != "comm" && key != "stream")
      continue;
    const std::string_view value = next_word(rest);
    if (key == "count") have_count = parse_number(value, record.count);
    if (key == "datatype") whole &= parse_number(value, datatype);
    if (key == "root") have_root = parse_number(value, record.rank);
    if (key == "comm") record.pointer = texts_.number(value);
    if (key == "stream") {
      record.stream = texts_.number(value);
      behind_comm = true;
    }
  }
  if (!whole || !have_count || !have_root || datatype == UINT32_MAX || record.pointer == 0 ||
      !behind_comm) {
    torn_.push_back(record.line);
    return;
  }
  const auto kind = kind_of(op_name);
  if (!kind) {
    if (record.host == 0) {  // a torn name, not an unknown op
      torn_.push_back(record.line);
      return;
    }
    throw TraceError(fmt::format("{}: line {}: op '{}' is not one that can be replayed", name,
                                 record.line, op_name));
  }
  if (nccl_element_bytes(datatype) == 0)
    throw TraceError(fmt::format("{}: line {}: {} with data type {}, expected 0..11", name,
                                 record.line, op_name, datatype));
  record.kind = NcclRecord::Kind::kOp;
  record.op = *kind;
  record.datatype = static_cast<std::uint8_t>(datatype);
  sink_(record);
}

void NcclLineParser::parse_comm(NcclRecord record, std::string_view part) {
  std::string_view rest = part;
  bool have_rank = false;
  bool have_nranks = false;
  bool behind = false;  // what follows nranks shows that its digits are all there
  for (std::string_view key = next_word(rest); !key.empty(); key = next_word(rest)) {
    if (key == "comm") record.pointer = texts_.number(next_word(rest));
    if (record.pointer == 0) continue;
    if (key == "rank") have_rank = parse_number(next_word(rest), record.rank);
    if (key == "nranks" || key == "nRanks")
      have_nranks = parse_number(next_word(rest), record.nranks);
    if (key == "nNodes") behind = true;
    if (key == "cudaDev") {
      behind = true;
      if (!parse_number(next_word(rest), record.device)) record.device = -1;
    }
    if (key == "commId") record.comm_id = texts_.number(next_word(rest));
  }
  if (!have_rank || !have_nranks || !behind || record.rank >= record.nranks) return;
  const bool ends = part.find("Destroy COMPLETE") != kNone || part.find("Abort COMPLETE") != kNone;
  record.kind = ends ? NcclRecord::Kind::kEnd : NcclRecord::Kind::kInit;
  sink_(record);
}

}  // namespace sluice
