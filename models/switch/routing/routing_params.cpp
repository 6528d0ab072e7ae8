// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/routing_params.h"

#include <array>

#include "kernel/error.h"

namespace sluice {

void RoutingParams::describe(ParameterVisitor& visitor) {
  static constexpr std::array<std::string_view, 4> kModes{"ecmp", "spray", "dlb", "ar"};
  static constexpr std::array<std::string_view, 3> kHashes{"crc32", "xor", "toeplitz"};
  visitor.visit(
      "mode", mode, kModes,
      {"choice of the member of an equal-cost group: by hash, drawn per packet, by DLB or "
       "by AR",
       "SAI saihash.h, saiars.h; spray and AR as in Spectrum-X"});
  visitor.visit("hash", hash, kHashes,
                {"what makes one number of the header fields; a non-linear finaliser with the seed "
                 "follows",
                 "SAI_HASH_ALGORITHM; CRC is the default there"});
  visitor.visit("hash_seed", hash_seed, {0, 4294967295.0},
                {"ECMP hash seed; 0 derives one from the run's seed and the chip's number",
                 "SAI_SWITCH_ATTR_ECMP_DEFAULT_HASH_SEED"});
  visitor.begin("hash_fields", "header fields that the hash counts");
  hash_fields.describe(visitor);
  visitor.end();
  visitor.visit("resilient", resilient,
                {"a lost member's flows alone are moved, not all flows", "SAI fine-grained ECMP"});
  visitor.visit("resilient_buckets", resilient_buckets, {8, 32768},
                {"buckets of a resilient group, rounded down to whole rounds of its members",
                 "estimate: 64 to 1024 in vendors' guides", "buckets"});
  visitor.visit("max_groups", max_groups, {1, 65536},
                {"size of the group table", "estimate: 64 to 16k on these chips", "groups"});
  visitor.visit("max_members", max_members, {2, 512},
                {"most ports of one group", "estimate: 2 to 512 on these chips", "ports"});
  visitor.visit("max_buckets", max_buckets, {2, 4096},
                {"entries of a group that weights are replicated into", "estimate", "buckets"});
  visitor.begin("dlb", "dynamic load balancing, in mode dlb");
  dlb.describe(visitor);
  visitor.end();
  visitor.begin("ar", "adaptive routing, in mode ar; refresh counts with dlb too");
  ar.describe(visitor);
  visitor.end();
  failover.describe(visitor, is_adaptive(mode));
}

void RoutingParams::validate() const {
  dlb.validate();
  ar.validate();
  if (hash_fields.none()) throw ConfigError("hash_fields: none, expected at least one");
  if (max_members > max_buckets) {
    throw ConfigError(fmt::format("max_members: {}, expected at most max_buckets = {}", max_members,
                                  max_buckets));
  }
}

}  // namespace sluice
