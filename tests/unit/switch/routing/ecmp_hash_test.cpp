// SPDX-License-Identifier: Apache-2.0
// The bucket of a packet: which hash counts, and that a table asks whoever stands in.
// Leaves out: the hashes themselves (header_hash_test).
#include "switch/routing/ecmp_hash.h"

#include <gtest/gtest.h>

#include "switch/routing/route_table.h"

namespace sluice {
namespace {

Packet data(std::uint32_t source, std::uint32_t destination) {
  Packet packet;
  packet.kind = PacketKind::kWriteData;
  packet.source = source;
  packet.destination = destination;
  return packet;
}

EcmpRequest request_of(const Packet& packet) {
  EcmpRequest request;
  request.header = HashInput::of(packet, false);
  request.flow_hash = packet.flow_hash;
  request.seed = 7;
  request.buckets = 1000;
  return request;
}

TEST(EcmpHash, TheDefaultTakesWhatCameWithThePacket) {
  Packet packet = data(1, 2);
  packet.flow_hash = 0x12345678;
  const auto hash = make_ecmp_hash(HashAlgorithm::kCrc32, {});
  EXPECT_EQ(hash->bucket(request_of(packet)),
            RouteTable::bucket_of(RouteTable::member_hash(0x12345678, 7), 1000));
}

TEST(EcmpHash, AnyOtherLooksAtTheHeader) {
  HashFields source_only{true, false, false, false, false, false};
  const auto hash = make_ecmp_hash(HashAlgorithm::kXor, source_only);
  // One word, 10.0.0.1: its XOR is itself.
  EXPECT_EQ(hash->bucket(request_of(data(1, 2))),
            RouteTable::bucket_of(RouteTable::member_hash(0x0A000001, 7), 1000));
}

TEST(EcmpHash, ATableAsksWhoeverStandsIn) {
  struct Last final : EcmpHash {
    std::uint32_t bucket(const EcmpRequest& request) override { return request.buckets - 1; }
  };
  RouteTable table({}, 1, 0);
  table.resize(4);
  table.route_to_group(2, table.add_group({10, 11, 12}));
  table.use_hash(std::make_unique<Last>());
  for (std::uint32_t source = 0; source < 32; ++source) {
    EXPECT_EQ(table.pick(data(source, 2)), 12u);
  }
}

}  // namespace
}  // namespace sluice
