// SPDX-License-Identifier: Apache-2.0
#include "packet/wire/extensions.h"

#include <array>
#include <string_view>

namespace sluice::wire {
namespace {

constexpr std::uint8_t kOperationMask = 0x1f;
constexpr std::uint8_t kUnreliableConnection = 0x20;
constexpr std::uint8_t kUnreliableDatagram = 0x60;

struct Row {
  std::string_view name;
  OpcodeForm form;
};

/// Operations of a reliable connection by the low five bits of the opcode; empty names are unused.
constexpr std::array<Row, 24> kOperations{{
    {"SEND First", {.payload = true, .first = true, .request = true}},
    {"SEND Middle", {.payload = true, .request = true}},
    {"SEND Last", {.payload = true, .last = true, .request = true}},
    {"SEND Last Immediate", {.immediate = true, .payload = true, .last = true, .request = true}},
    {"SEND Only", {.payload = true, .first = true, .last = true, .request = true}},
    {"SEND Only Immediate",
     {.immediate = true, .payload = true, .first = true, .last = true, .request = true}},
    {"WRITE First", {.reth = true, .payload = true, .first = true, .request = true}},
    {"WRITE Middle", {.payload = true, .request = true}},
    {"WRITE Last", {.payload = true, .last = true, .request = true}},
    {"WRITE Last Immediate", {.immediate = true, .payload = true, .last = true, .request = true}},
    {"WRITE Only", {.reth = true, .payload = true, .first = true, .last = true, .request = true}},
    {"WRITE Only Immediate",
     {.reth = true,
      .immediate = true,
      .payload = true,
      .first = true,
      .last = true,
      .request = true}},
    {"READ Request", {.reth = true, .first = true, .last = true, .request = true}},
    {"READ Response First", {.aeth = true, .payload = true, .first = true}},
    {"READ Response Middle", {.payload = true}},
    {"READ Response Last", {.aeth = true, .payload = true, .last = true}},
    {"READ Response Only", {.aeth = true, .payload = true, .first = true, .last = true}},
    {"Acknowledge", {.aeth = true, .first = true, .last = true}},
    {"ATOMIC Acknowledge", {.aeth = true, .atomic_ack = true, .first = true, .last = true}},
    {"CmpSwap", {.atomic = true, .first = true, .last = true, .request = true}},
    {"FetchAdd", {.atomic = true, .first = true, .last = true, .request = true}},
    {"", {}},
    {"SEND Last Invalidate", {.invalidate = true, .payload = true, .last = true, .request = true}},
    {"SEND Only Invalidate",
     {.invalidate = true, .payload = true, .first = true, .last = true, .request = true}},
}};

/// Null where nothing is defined or read.
const Row* row_of(std::uint8_t opcode) {
  const auto transport = static_cast<std::uint8_t>(opcode & ~kOperationMask);
  const std::size_t operation = opcode & kOperationMask;
  if (operation >= kOperations.size() || kOperations[operation].name.empty()) return nullptr;
  constexpr auto kLastOfUc = static_cast<std::size_t>(Opcode::kWriteOnlyImmediate);
  constexpr auto kSendOnly = static_cast<std::size_t>(Opcode::kSendOnly);
  const bool known =
      transport == 0 || (transport == kUnreliableConnection && operation <= kLastOfUc) ||
      (transport == kUnreliableDatagram && (operation == kSendOnly || operation == kSendOnly + 1));
  return known ? &kOperations[operation] : nullptr;
}

}  // namespace

std::optional<OpcodeForm> form_of(std::uint8_t opcode) {
  if (opcode == static_cast<std::uint8_t>(Opcode::kCnp)) return OpcodeForm{};
  const Row* row = row_of(opcode);
  if (row == nullptr) return std::nullopt;
  OpcodeForm form = row->form;
  form.deth = (opcode & ~kOperationMask) == kUnreliableDatagram;
  return form;
}

std::string opcode_name(std::uint8_t opcode) {
  if (opcode == static_cast<std::uint8_t>(Opcode::kCnp)) return "CNP";
  const Row* row = row_of(opcode);
  if (row == nullptr) return fmt::format("opcode 0x{:02x}", opcode);
  const auto transport = static_cast<std::uint8_t>(opcode & ~kOperationMask);
  return fmt::format("{} {}",
                     transport == 0                       ? "RC"
                     : transport == kUnreliableConnection ? "UC"
                                                          : "UD",
                     row->name);
}

void Extensions::encode(Buffer& out) const {
  if (deth) deth->encode(out);
  if (reth) reth->encode(out);
  if (atomic) atomic->encode(out);
  if (aeth) aeth->encode(out);
  if (atomic_ack) put_big(out, *atomic_ack, 8);
  if (immediate) put_big(out, *immediate, 4);
  if (invalidate) put_big(out, *invalidate, 4);
}

Extensions Extensions::decode(const OpcodeForm& form, Reader& in) {
  Extensions out;
  if (form.deth) out.deth = Deth::decode(in);
  if (form.reth) out.reth = Reth::decode(in);
  if (form.atomic) out.atomic = AtomicEth::decode(in);
  if (form.aeth) out.aeth = Aeth::decode(in);
  if (form.atomic_ack) out.atomic_ack = in.u64();
  if (form.immediate) out.immediate = in.u32();
  if (form.invalidate) out.invalidate = in.u32();
  return out;
}

}  // namespace sluice::wire
