// SPDX-License-Identifier: Apache-2.0
// From a packet's header to its bucket of an ECMP group: the interface that the route table asks
// where NICs have not done the hashing for it, and where a twin stands in.
// Leaves out: which member a bucket belongs to (port_group.h).
#pragma once

#include <cstdint>
#include <memory>

#include "switch/routing/header_hash.h"

namespace sluice {

struct EcmpRequest {
  HashInput header;
  std::uint32_t flow_hash = 0;  ///< that came with the packet
  bool raw = false;             ///< a frame of a raw stream: no header of its own
  std::uint32_t seed = 0;       ///< of the group
  std::uint32_t buckets = 1;
};

/// The default hash is what came with the packet; NICs compute it once a flow.
constexpr bool is_flow_hash(HashAlgorithm algorithm, const HashFields& fields) {
  return algorithm == HashAlgorithm::kCrc32 && fields == HashFields{};
}

class EcmpHash {
 public:
  virtual ~EcmpHash() = default;
  /// 0 .. buckets - 1.
  virtual std::uint32_t bucket(const EcmpRequest& request) = 0;
};

std::unique_ptr<EcmpHash> make_ecmp_hash(HashAlgorithm algorithm, const HashFields& fields);

}  // namespace sluice
