// SPDX-License-Identifier: Apache-2.0
// One line of an NCCL debug log: which parts of it say something about communicators or ops.
// Leaves out: which rank a part belongs to (nccl_comms.h); GRAPH, TUNING and TRACE parts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/workload.h"

namespace sluice {

/// Each text once, as a number. 0 is the empty text.
class TextTable {
 public:
  TextTable() { number(""); }
  std::uint32_t number(std::string_view text);
  const std::string& text(std::uint32_t number) const { return texts_[number]; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
};

/// An INIT, end or COLL part of a line. Texts are numbers of the TextTable.
struct NcclRecord {
  enum class Kind : std::uint8_t { kInit, kEnd, kOp };
  Kind kind = Kind::kOp;
  bool at_start = false;  ///< its HOST:PID:TID began the line
  std::uint8_t datatype = 0;
  OpKind op = OpKind::kBarrier;
  std::uint32_t file = 0;  ///< index of the source
  std::uint32_t host = 0;  ///< 0: the prefix was lost
  std::uint32_t pid = 0;
  std::uint32_t pointer = 0;  ///< of the communicator, per process
  std::uint32_t rank = 0;     ///< in the communicator; op: root or peer
  std::uint32_t nranks = 0;   ///< 0: not said
  std::int32_t device = -1;   ///< cudaDev of INIT
  std::uint32_t comm_id = 0;
  std::uint32_t stream = 0;
  std::uint64_t line = 0;
  std::uint64_t op_count = 0;
  std::uint64_t count = 0;  ///< elements
};

/// Bytes of one element of an NCCL data type; 0 for an unknown one.
std::uint32_t nccl_element_bytes(std::uint32_t datatype);

class NcclLineParser {
 public:
  using Sink = std::function<void(const NcclRecord&)>;
  NcclLineParser(TextTable& texts, Sink sink) : texts_(texts), sink_(std::move(sink)) {}

  /// `name`, `file` and `line` are the place of `text`. Colours are cut out of `text`. Throws
  /// TraceError for an op or a data type that NCCL may know and we do not.
  void parse(const std::string& name, std::uint32_t file, std::uint64_t line, std::string& text);

  std::uint64_t nccl_lines() const { return nccl_lines_; }
  /// Lines with an op of which too much is lost to use it.
  const std::vector<std::uint64_t>& torn() const { return torn_; }

 private:
  void parse_part(const std::string& name, NcclRecord record, std::string_view part);
  void parse_op(const std::string& name, NcclRecord record, std::string_view part, std::size_t at);
  void parse_comm(NcclRecord record, std::string_view part);

  TextTable& texts_;
  Sink sink_;
  std::uint64_t nccl_lines_ = 0;
  std::vector<std::uint64_t> torn_;
};

}  // namespace sluice
