// SPDX-License-Identifier: Apache-2.0
#include "study/check/headroom_forms.h"

#include <array>
#include <utility>

#include "packet/serialisation.h"

namespace sluice {
namespace {

/// Rounded up to a byte.
std::uint64_t bytes_in(Ps time, BitsPerSecond rate) {
  const __uint128_t bits = __uint128_t{time.value} * rate.value;
  constexpr __uint128_t kPerByte = 8 * __uint128_t{1'000'000'000'000ULL};
  return static_cast<std::uint64_t>((bits + kPerByte - 1) / kPerByte);
}

}  // namespace

std::uint64_t ieee_headroom(const IeeeHeadroomInputs& in) {
  return in.reverse + kWireOverheadBytes + wire_bytes(kPfcFrameBytes) +
         bytes_in(2 * in.cable + in.response, in.rate) + in.forward;
}

std::optional<std::uint32_t> ieee_response_quanta(BitsPerSecond rate) {
  constexpr std::array<std::pair<std::uint64_t, std::uint32_t>, 4> kQuanta{
      {{100, 394}, {200, 453}, {400, 905}, {800, 1810}}};
  for (const auto& [gbit, quanta] : kQuanta) {
    if (rate.value == gbit * 1'000'000'000) return quanta;
  }
  return std::nullopt;
}

std::uint64_t cells_of_wire_bytes(std::uint64_t bytes, std::uint32_t frame_bytes,
                                  std::uint32_t cell_bytes) {
  const std::uint64_t wire = wire_bytes(frame_bytes);
  return (bytes * cells_of_frame(frame_bytes, cell_bytes) + wire - 1) / wire;
}

double round_trip_bytes(BitsPerSecond rate, double metres, double metres_per_second) {
  return 2 * metres / metres_per_second * static_cast<double>(rate.value) / 8;
}

}  // namespace sluice
