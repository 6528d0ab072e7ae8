// SPDX-License-Identifier: Apache-2.0
#include "packet/addressing.h"

#include "kernel/random.h"

namespace sluice {

std::uint16_t flow_source_port(std::uint32_t source, std::uint32_t destination) {
  const std::uint64_t pair = (std::uint64_t{source} << 32) | destination;
  return udp_source_port_of_label(
      static_cast<std::uint32_t>(mix64(pair + 0x9e3779b97f4a7c15ULL) & 0xFFFFF));
}

}  // namespace sluice
