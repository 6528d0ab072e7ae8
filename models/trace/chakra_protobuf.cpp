// SPDX-License-Identifier: Apache-2.0
// Chakra's protobuf form: frames, schema generations and attributes of any numeric type.
// Leaves out: what a node means (chakra_ops.h).
#include <cmath>
#include <string_view>

#include "kernel/error.h"
#include "models/trace/chakra.pb.h"  // generated
#include "trace/chakra_node.h"

namespace sluice {
namespace {

/// Largest message we take: a node with a long name and thousands of dependencies is below 1 MiB.
constexpr std::uint64_t kMaxMessage = std::uint64_t{64} << 20;

/// Next frame; false at the end of the file.
bool read_frame(ByteReader& reader, std::string& frame) {
  const std::uint64_t start = reader.position();
  std::uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    const int byte = reader.get();
    if (byte < 0 && shift == 0) return false;
    if (byte < 0 || shift > 56)
      throw TraceError(fmt::format("{}: byte {}: {}", reader.name(), start,
                                   byte < 0 ? "the length of a message is cut off: truncated file"
                                            : "the length of a message has more than 9 bytes"));
    length |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) break;
  }
  if (length > reader.left())
    throw TraceError(
        fmt::format("{}: byte {}: message of {} B, but only {} B are left: truncated "
                    "file",
                    reader.name(), start, length, reader.left()));
  if (length > kMaxMessage)
    throw TraceError(fmt::format("{}: byte {}: message of {} B; at most {} B are taken",
                                 reader.name(), start, length, kMaxMessage));
  reader.read(frame, static_cast<std::size_t>(length));
  return true;
}

class AttributeReader {
 public:
  AttributeReader(const std::string& file, const ChakraNode& node) : file_(file), node_(node) {}

  std::int64_t integer(const chakra::Attribute& a) const {
    using A = chakra::Attribute;
    switch (a.value_case()) {
      case A::kDoubleValue:
        return whole(a, a.double_value());
      case A::kFloatValue:
        return whole(a, static_cast<double>(a.float_value()));
      case A::kInt32Value:
        return a.int32_value();
      case A::kInt64Value:
        return a.int64_value();
      case A::kUint32Value:
        return a.uint32_value();
      case A::kUint64Value:
        return from_unsigned(a, a.uint64_value());
      case A::kSint32Value:
        return a.sint32_value();
      case A::kSint64Value:
        return a.sint64_value();
      case A::kFixed32Value:
        return a.fixed32_value();
      case A::kFixed64Value:
        return from_unsigned(a, a.fixed64_value());
      case A::kSfixed32Value:
        return a.sfixed32_value();
      case A::kSfixed64Value:
        return a.sfixed64_value();
      case A::kStringValue:
        fail(a, fmt::format("is the string '{}'", a.string_value()));
      case A::VALUE_NOT_SET:
        fail(a, "has no value");
      default:
        fail(a, fmt::format("has value field {}", static_cast<int>(a.value_case())));
    }
  }

  std::uint64_t size(const chakra::Attribute& a) const { return checked(a, integer(a)); }

  std::vector<std::uint64_t> sizes(const chakra::Attribute& a) const {
    using A = chakra::Attribute;
    switch (a.value_case()) {
      case A::kInt32List:
        return list(a, a.int32_list().values());
      case A::kInt64List:
        return list(a, a.int64_list().values());
      case A::kUint32List:
        return list(a, a.uint32_list().values());
      case A::kUint64List:
        return list(a, a.uint64_list().values());
      default:
        fail(a, "is not a list of integers");
    }
  }

  std::string text(const chakra::Attribute& a) const {
    if (a.value_case() == chakra::Attribute::kStringValue) return a.string_value();
    if (a.value_case() == chakra::Attribute::VALUE_NOT_SET) return {};
    return std::to_string(integer(a));  // some writers give group names as numbers
  }

  [[noreturn]] void fail(const chakra::Attribute& a, const std::string& what) const {
    throw TraceError(fmt::format("{}: node {} ('{}'): attribute {} {}; expected a number", file_,
                                 node_.id, node_.name, a.name(), what));
  }

 private:
  std::int64_t whole(const chakra::Attribute& a, double value) const {
    if (!(std::abs(value) < 0x1p53) || value != std::floor(value))
      fail(a, fmt::format("is {}, not a whole number", value));
    return static_cast<std::int64_t>(value);
  }
  std::int64_t from_unsigned(const chakra::Attribute& a, std::uint64_t value) const {
    if (value > INT64_MAX) fail(a, fmt::format("is {}, beyond 2^63", value));
    return static_cast<std::int64_t>(value);
  }
  std::uint64_t checked(const chakra::Attribute& a, std::int64_t value) const {
    if (value < 0) fail(a, fmt::format("is {}, below 0", value));
    return static_cast<std::uint64_t>(value);
  }
  template <class List>
  std::vector<std::uint64_t> list(const chakra::Attribute& a, const List& values) const {
    std::vector<std::uint64_t> sizes;
    for (const auto value : values) {
      if constexpr (std::is_unsigned_v<std::decay_t<decltype(value)>>) {
        sizes.push_back(value);
      } else {
        sizes.push_back(checked(a, value));
      }
    }
    return sizes;
  }

  const std::string& file_;
  const ChakraNode& node_;
};

bool is_false(const chakra::Attribute& a) {
  if (a.value_case() == chakra::Attribute::kBoolValue) return !a.bool_value();
  for (const bool used : a.bool_list().values())
    if (!used) return true;
  return false;
}

void read_attribute(const AttributeReader& reader, const chakra::Attribute& a, ChakraNode& node,
                    std::optional<std::uint64_t>& duration_ns) {
  const std::string_view name = a.name();
  if (name == "comm_size") {
    node.comm_size = reader.size(a);
  } else if (name == "comm_type") {
    if (a.value_case() != chakra::Attribute::VALUE_NOT_SET) node.comm_type = reader.integer(a);
  } else if (name == "comm_src") {
    node.comm_src = reader.integer(a);
  } else if (name == "comm_dst") {
    node.comm_dst = reader.integer(a);
  } else if (name == "comm_tag") {
    node.comm_tag = reader.integer(a);
  } else if (name == "comm_root") {
    node.comm_root = reader.integer(a);
  } else if (name == "pg_name") {
    node.group = reader.text(a);
  } else if (name == "is_cpu_op") {
    node.cpu_op =
        a.value_case() == chakra::Attribute::kBoolValue
            ? a.bool_value()
            : a.value_case() != chakra::Attribute::VALUE_NOT_SET && reader.integer(a) != 0;
  } else if (name == "involved_dim") {
    node.partial_dims = is_false(a);
  } else if (name == "comm_send_splits") {
    node.send_splits = reader.sizes(a);
  } else if (name == "comm_recv_splits") {
    node.recv_splits = reader.sizes(a);
  } else if (name == "comm_counts") {
    node.counts = reader.sizes(a);
  } else if (name == "duration_ns") {
    duration_ns = reader.size(a);
  }
}

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() ||
          std::string_view(" \t\r\n").find(text[word.size()]) != std::string_view::npos);
}

/// The first word of ASTRA-sim's text workloads.
bool is_astra_sim_text(std::string_view text) {
  for (const std::string_view word :
       {"DATA", "MODEL", "HYBRID_DATA_MODEL", "HYBRID_MODEL_DATA", "HYBRID_TRANSFORMER",
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD", "HYBRID_DLRM", "HYBRID_CUSTOMIZED", "MICRO"})
    if (starts_with_word(text, word)) return true;
  return false;
}

/// The schema number of "0.0.4" or "1.0.2-chakra.0.0.4".
std::string_view schema_of(std::string_view version) {
  const std::size_t at = version.find("chakra.");
  return at == std::string_view::npos ? version : version.substr(at + 7);
}

void read_head(const ByteReader& reader, const std::string& frame, ChakraHead& head) {
  chakra::GlobalMetadata metadata;
  // A node here is an old file; its id, type or dependencies are fields that metadata does not
  // have.
  if (!metadata.ParseFromString(frame) ||
      metadata.GetReflection()->GetUnknownFields(metadata).field_count() != 0)
    throw TraceError(
        fmt::format("{}: byte 0: starts with a node or another message instead of "
                    "metadata: not a Chakra trace of schema 0.0.4",
                    reader.name()));
  std::string_view schema = schema_of(metadata.version());
  for (const chakra::Attribute& a : metadata.attributes()) {
    if (a.name() == "schema" && a.string_value().find("chakra.") != std::string::npos)
      schema = schema_of(a.string_value());
    if (a.name() == "input_file") head.durations_in_cycles = is_astra_sim_text(a.string_value());
  }
  if (schema == "0.0.1" || schema == "0.0.2")
    throw TraceError(
        fmt::format("{}: byte 0: schema {}; 0.0.3 and 0.0.4 are read", reader.name(), schema));
  head.old_collective_numbers = schema == "0.0.3";
}

void read_node(const std::string& file, std::uint64_t start, const ChakraHead& head,
               const chakra::Node& from, ChakraNode& node) {
  node = ChakraNode{};
  node.id = from.id();
  node.type = from.type();
  node.name = from.name();
  if (from.old_attributes_size() != 0)
    throw TraceError(
        fmt::format("{}: byte {}: node {} keeps its attributes in field 11: a schema "
                    "before 0.0.4, which is not read",
                    file, start, node.id));
  node.deps.assign(from.control_deps().begin(), from.control_deps().end());
  node.deps.insert(node.deps.end(), from.data_deps().begin(), from.data_deps().end());
  const AttributeReader reader(file, node);
  std::optional<std::uint64_t> duration_ns;
  for (const chakra::Attribute& a : from.attributes()) read_attribute(reader, a, node, duration_ns);
  if (duration_ns) {
    if (*duration_ns > INT64_MAX / 1000)
      throw TraceError(fmt::format("{}: node {}: duration of {} ns", file, node.id, *duration_ns));
    node.duration_ps = *duration_ns * 1000;
  } else {
    node.duration_ps =
        micros_to_ps(file, node.id, from.duration_micros()) / (head.durations_in_cycles ? 1000 : 1);
  }
}

}  // namespace

std::uint64_t micros_to_ps(const std::string& file, std::uint64_t node, std::uint64_t micros) {
  if (micros > INT64_MAX / 1000000)
    throw TraceError(fmt::format("{}: node {}: duration of {} us", file, node, micros));
  return micros * 1000000;
}

void read_chakra_protobuf(ByteReader& reader, ChakraHead& head, const ChakraSink& sink) {
  std::string frame;
  if (!read_frame(reader, frame)) throw TraceError(fmt::format("{}: is empty", reader.name()));
  read_head(reader, frame, head);
  chakra::Node message;
  ChakraNode node;
  for (;;) {
    const std::uint64_t start = reader.position();
    if (!read_frame(reader, frame)) return;
    if (!message.ParseFromString(frame))
      throw TraceError(fmt::format("{}: byte {}: message of {} B is not a Chakra node",
                                   reader.name(), start, frame.size()));
    read_node(reader.name(), start, head, message, node);
    sink(node);
  }
}

}  // namespace sluice
