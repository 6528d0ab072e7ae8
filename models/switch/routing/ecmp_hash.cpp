// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/ecmp_hash.h"

#include "switch/routing/route_table.h"

namespace sluice {
namespace {

class ChosenHash final : public EcmpHash {
 public:
  ChosenHash(HashAlgorithm algorithm, const HashFields& fields)
      : hash_(algorithm, fields, false), by_flow_hash_(is_flow_hash(algorithm, fields)) {}

  std::uint32_t bucket(const EcmpRequest& request) override {
    const std::uint32_t hash = by_flow_hash_ ? request.flow_hash : hash_.of(request.header);
    return RouteTable::bucket_of(RouteTable::member_hash(hash, request.seed), request.buckets);
  }

 private:
  HeaderHash hash_;
  bool by_flow_hash_;
};

}  // namespace

std::unique_ptr<EcmpHash> make_ecmp_hash(HashAlgorithm algorithm, const HashFields& fields) {
  return std::make_unique<ChosenHash>(algorithm, fields);
}

}  // namespace sluice
