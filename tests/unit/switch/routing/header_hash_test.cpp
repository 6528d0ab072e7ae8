// SPDX-License-Identifier: Apache-2.0
// Hashes of header fields: which fields count, and that the default is what NICs compute.
// Leaves out: spreading over members (route_table_test).
#include "switch/routing/header_hash.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <set>

#include "packet/addressing.h"
#include "packet/wire/toeplitz.h"
#include "switch/routing/route_table.h"

namespace sluice {
namespace {

Packet data(std::uint32_t source, std::uint32_t destination, std::uint32_t qp = 0) {
  Packet packet;
  packet.kind = PacketKind::kWriteData;
  packet.source = source;
  packet.destination = destination;
  packet.flow = qp;
  return packet;
}

/// 10.0.0.1 to 10.0.1.0, protocol 17, the flow's port to 4791, written out by hand.
std::array<std::uint8_t, 13> tuple_of_1_to_256() {
  const std::uint16_t port = flow_source_port(1, 256);
  return {10,
          0,
          0,
          1,
          10,
          0,
          1,
          0,
          17,
          static_cast<std::uint8_t>(port >> 8),
          static_cast<std::uint8_t>(port),
          0x12,
          0xB7};
}

TEST(HeaderHash, Crc32IsThatOfTheFiveTupleInNetworkOrder) {
  const auto tuple = tuple_of_1_to_256();
  const HeaderHash hash(HashAlgorithm::kCrc32, {}, false);
  EXPECT_EQ(hash(data(1, 256)), crc32_z(0, tuple.data(), tuple.size()));
}

TEST(HeaderHash, ToeplitzIsThatOfTheChosenFields) {
  const auto tuple = tuple_of_1_to_256();
  HashFields fields;
  fields.protocol = false;
  std::vector<std::uint8_t> input(tuple.begin(), tuple.begin() + 8);
  input.insert(input.end(), tuple.begin() + 9, tuple.end());
  const HeaderHash hash(HashAlgorithm::kToeplitz, fields, false);
  EXPECT_EQ(hash(data(1, 256)), wire::toeplitz(input));
}

TEST(HeaderHash, XorFoldsTheFieldsIntoOneWord) {
  HashFields addresses{.protocol = false, .src_port = false, .dst_port = false};
  const HeaderHash hash(HashAlgorithm::kXor, addresses, false);
  // 0a000001 ^ 0a000100; and the way back folds to the same.
  EXPECT_EQ(hash(data(1, 256)), 0x00000101U);
  EXPECT_EQ(hash(data(256, 1)), 0x00000101U);
}

TEST(HeaderHash, Ipv6AddressesEnterWhole) {
  HashFields source{.dst_ip = false, .protocol = false, .src_port = false, .dst_port = false};
  const std::array<std::uint8_t, 16> address{0xfd, 0x53, 0x6c, 0x75, 0x69, 0x63, 0, 0,
                                             0,    0,    0,    0,    0,    1,    2, 3};
  const HeaderHash hash(HashAlgorithm::kCrc32, source, true);
  EXPECT_EQ(hash(data(0x010203, 9)), crc32_z(0, address.data(), address.size()));
}

TEST(HeaderHash, OnlyTheDestinationQpTellsQpsOfOnePairApart) {
  HashFields with_qp;
  with_qp.dst_qp = true;
  for (const auto algorithm :
       {HashAlgorithm::kCrc32, HashAlgorithm::kXor, HashAlgorithm::kToeplitz}) {
    const HeaderHash without(algorithm, {}, false);
    const HeaderHash with(algorithm, with_qp, false);
    std::set<std::uint32_t> apart;
    for (std::uint32_t qp = 0; qp < 32; ++qp) {
      EXPECT_EQ(without(data(1, 2, qp)), without(data(1, 2, 0)));
      apart.insert(with(data(1, 2, qp)));
    }
    EXPECT_EQ(apart.size(), 32u);
  }
}

TEST(HeaderHash, RawStreamsHaveTheirOwnSourcePort) {
  const HeaderHash hash(HashAlgorithm::kCrc32, {}, false);
  Packet one = data(1, 2);
  one.kind = PacketKind::kRaw;
  Packet other = one;
  other.flow_hash = 0x1234;
  EXPECT_NE(hash(one), hash(other));
}

/// Ports that 32 QPs of one pair use in a group of 8.
std::size_t ports_used(const RoutingParams& params) {
  RouteTable routes(params, 1, 0);
  routes.resize(3);
  routes.route_to_group(2, routes.add_group({0, 1, 2, 3, 4, 5, 6, 7}));
  std::set<std::uint32_t> used;
  for (std::uint32_t qp = 0; qp < 32; ++qp) used.insert(routes.pick(data(1, 2, qp)));
  return used.size();
}

TEST(RouteTable, EnhancedEcmpSpreadsTheQpsOfOnePair) {
  RoutingParams params;
  EXPECT_EQ(ports_used(params), 1u);
  params.hash_fields.dst_qp = true;
  // 32 flows on 8 members leave 8 (7/8)^32 = 0.11 idle on average.
  EXPECT_GE(ports_used(params), 7u);
}

}  // namespace
}  // namespace sluice
