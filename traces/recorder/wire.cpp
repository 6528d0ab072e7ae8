// SPDX-License-Identifier: Apache-2.0
// Writes protobuf wire format (encoding documented at protobuf.dev) for Chakra nodes.
// Leaves out: anything a reader would need.
#include "recorder/wire.h"

namespace sluice::recorder {
namespace {

// Wire types.
constexpr unsigned kVarint = 0;
constexpr unsigned kLengthDelimited = 2;

// Chakra v0.0.4: Node.attr, and the members of AttributeProto.
constexpr unsigned kNodeAttr = 10;
constexpr unsigned kAttrName = 1;
constexpr unsigned kAttrInt32 = 7;
constexpr unsigned kAttrInt64 = 9;
constexpr unsigned kAttrInt64List = 10;
constexpr unsigned kAttrBool = 27;
constexpr unsigned kAttrString = 29;

void put_tag(Bytes& out, unsigned field, unsigned wire_type) {
  put_varint(out, (field << 3U) | wire_type);
}

void put_attribute(Bytes& node, std::string_view name, const Bytes& value) {
  Bytes attribute;
  put_string(attribute, kAttrName, name);
  attribute += value;
  put_string(node, kNodeAttr, attribute);
}

}  // namespace

void put_varint(Bytes& out, std::uint64_t value) {
  while (value >= 0x80U) {
    out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<char>(value));
}

void put_uint(Bytes& out, unsigned field, std::uint64_t value) {
  put_tag(out, field, kVarint);
  put_varint(out, value);
}

void put_string(Bytes& out, unsigned field, std::string_view value) {
  put_tag(out, field, kLengthDelimited);
  put_varint(out, value.size());
  out += value;
}

void put_packed(Bytes& out, unsigned field, const std::vector<std::uint64_t>& values) {
  if (values.empty()) return;
  Bytes packed;
  for (const std::uint64_t value : values) put_varint(packed, value);
  put_string(out, field, packed);
}

void put_attribute_bool(Bytes& node, std::string_view name, bool value) {
  Bytes encoded;
  put_uint(encoded, kAttrBool, value ? 1 : 0);
  put_attribute(node, name, encoded);
}

void put_attribute_int32(Bytes& node, std::string_view name, std::int32_t value) {
  Bytes encoded;
  // Negative numbers are sign-extended to 64 bits on the wire.
  put_uint(encoded, kAttrInt32, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  put_attribute(node, name, encoded);
}

void put_attribute_int64(Bytes& node, std::string_view name, std::int64_t value) {
  Bytes encoded;
  put_uint(encoded, kAttrInt64, static_cast<std::uint64_t>(value));
  put_attribute(node, name, encoded);
}

void put_attribute_int64_list(Bytes& node, std::string_view name,
                              const std::vector<std::uint64_t>& values) {
  Bytes list;
  put_packed(list, 1, values);
  Bytes encoded;
  put_string(encoded, kAttrInt64List, list);
  put_attribute(node, name, encoded);
}

void put_attribute_string(Bytes& node, std::string_view name, std::string_view value) {
  Bytes encoded;
  put_string(encoded, kAttrString, value);
  put_attribute(node, name, encoded);
}

Bytes delimited(const Bytes& message) {
  Bytes out;
  put_varint(out, message.size());
  out += message;
  return out;
}

}  // namespace sluice::recorder
