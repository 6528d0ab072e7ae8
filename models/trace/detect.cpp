// SPDX-License-Identifier: Apache-2.0
// Tells kinds of files apart by their first bytes.
// Leaves out: archives, which source.h has unpacked before.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "kernel/error.h"
#include "trace/formats.h"

namespace sluice {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHead = 4096;

struct Magic {
  std::string_view bytes;
  std::string_view what;
};

constexpr std::array kRefused = {
    Magic{"version https://git-lfs"sv,
          "this is a Git LFS pointer, not the file: run 'git lfs pull'"},
    Magic{"\x7f\x45LF"sv, "a program"},
    Magic{"num_ranks"sv, "a GOAL schedule"},
    Magic{"\x7f\x10\0\0\0\0\0\0"sv, "a binary GOAL schedule"},
    Magic{"<!DOCTYPE"sv, "an HTML page"},
    Magic{"<!doctype"sv, "an HTML page"},
    Magic{"<html"sv, "an HTML page"},
    Magic{"<HTML"sv, "an HTML page"},
    Magic{"<?xml"sv, "an XML file"},
    Magic{"%PDF"sv, "a PDF document"},
};

/// pcapng; then pcap with microseconds and nanoseconds, in either byte order.
constexpr std::array kCaptures = {"\x0a\x0d\x0d\x0a"sv, "\xd4\xc3\xb2\xa1"sv, "\xa1\xb2\xc3\xd4"sv,
                                  "\x4d\x3c\xb2\xa1"sv, "\xa1\xb2\x3c\x4d"sv};

/// Varint at the front of `bytes`, removed from it; false when it does not end.
bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Length-delimited message whose first field is 1 or 2, as metadata and nodes have them.
bool looks_like_chakra(std::string_view bytes) {
  constexpr char kField1Bytes = 0x0a;
  constexpr char kField2Bytes = 0x12;
  constexpr char kField1Number = 0x08;
  constexpr char kField3Number = 0x18;
  std::uint64_t length = 0;
  if (!take_varint(bytes, length)) return false;
  if (length == 0 && (!take_varint(bytes, length) || length == 0)) return false;
  if (bytes.empty()) return false;
  const char tag = bytes.front();
  bytes.remove_prefix(1);
  std::uint64_t value = 0;
  if (!take_varint(bytes, value)) return false;
  if (tag == kField1Bytes || tag == kField2Bytes) return value + 2 <= length;
  return tag == kField1Number && !bytes.empty() &&
         (bytes.front() == kField2Bytes || bytes.front() == kField3Number);
}

bool looks_like_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

bool looks_like_text(std::string_view bytes) {
  const auto odd = std::count_if(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t' && byte != 0x1b;
  });
  return bytes.find('\0') == std::string_view::npos &&
         static_cast<std::size_t>(odd) * 50 <= bytes.size();
}

std::string_view skip_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0)
    text.remove_prefix(1);
  return text;
}

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char c : bytes.substr(0, 8))
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

TraceFormat detect_format(const TraceSource& source) {
  constexpr std::string_view kExpected = "expected a Chakra trace, an NCCL debug log or a capture";
  ByteReader reader(source);
  if (reader.size() == 0)
    throw TraceError(fmt::format("{}: byte 0: the file is empty", source.name));
  const std::string_view head = reader.peek(kHead);
  for (const std::string_view magic : kCaptures) {
    if (head.starts_with(magic)) return TraceFormat::kCapture;
  }
  const std::string_view text = skip_blanks(head);
  for (const Magic& magic : kRefused)
    if (head.starts_with(magic.bytes) || text.starts_with(magic.bytes))
      throw TraceError(fmt::format("{}: byte 0: {}; {}", source.name, magic.what, kExpected));
  if (looks_like_chakra(head)) return TraceFormat::kChakra;
  if (looks_like_pickle(head))
    throw TraceError(fmt::format("{}: byte 0: a Python pickle; {}", source.name, kExpected));
  if (!looks_like_text(head))
    throw TraceError(fmt::format("{}: byte 0: binary data of an unknown kind ({}); {}", source.name,
                                 hex_of(head), kExpected));
  if (text.starts_with("{")) return TraceFormat::kChakraJson;
  return TraceFormat::kNcclLog;
}

}  // namespace sluice
