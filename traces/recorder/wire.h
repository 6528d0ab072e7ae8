// SPDX-License-Identifier: Apache-2.0
// The few pieces of protobuf's wire format that a Chakra v0.0.4 trace needs: varints, strings,
// messages. Leaves out: reading, groups, fixed-width fields, and any schema; the caller knows the
// field numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::recorder {

using Bytes = std::string;  ///< encoded protobuf, not text

void put_varint(Bytes& out, std::uint64_t value);
void put_uint(Bytes& out, unsigned field, std::uint64_t value);
void put_string(Bytes& out, unsigned field, std::string_view value);
/// Repeated varints in one length-delimited field; nothing is written for an empty list.
void put_packed(Bytes& out, unsigned field, const std::vector<std::uint64_t>& values);

/// AttributeProto: a name and one value of its oneof, always present even when zero.
void put_attribute_bool(Bytes& node, std::string_view name, bool value);
void put_attribute_int32(Bytes& node, std::string_view name, std::int32_t value);
void put_attribute_int64(Bytes& node, std::string_view name, std::int64_t value);
void put_attribute_int64_list(Bytes& node, std::string_view name,
                              const std::vector<std::uint64_t>& values);
void put_attribute_string(Bytes& node, std::string_view name, std::string_view value);

/// `message` behind its length, as the messages of a trace file follow each other.
Bytes delimited(const Bytes& message);

}  // namespace sluice::recorder
