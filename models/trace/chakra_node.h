// SPDX-License-Identifier: Apache-2.0
// A Chakra node as both of its file forms give it, reduced to what a replay needs.
// Leaves out: tensors, call stacks, start times, durations of communication.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trace/source.h"

namespace sluice {

enum class ChakraType : std::uint32_t {
  kInvalid = 0,
  kMetadata = 1,
  kMemoryLoad = 2,
  kMemoryStore = 3,
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7,
};

struct ChakraNode {
  std::uint64_t id = 0;
  std::uint32_t type = 0;  ///< ChakraType, or a number unknown to us
  std::string name;
  std::vector<std::uint64_t> deps;  ///< control and data
  std::uint64_t duration_ps = 0;
  bool cpu_op = false;
  bool partial_dims = false;  ///< involved_dim with a false in it
  std::optional<std::uint64_t> comm_size;
  std::optional<std::int64_t> comm_type, comm_src, comm_dst, comm_tag, comm_root;
  std::string group;  ///< pg_name, empty: all ranks
  std::vector<std::uint64_t> send_splits, recv_splits, counts;
};

/// What the head of a file says about its nodes.
struct ChakraHead {
  bool old_collective_numbers = false;  ///< schema 0.0.3
  bool durations_in_cycles = false;     ///< made from ASTRA-sim text: ns, not us
};

/// Takes each node; the head has been filled in before the first.
using ChakraSink = std::function<void(ChakraNode&)>;

/// Varint-delimited protobuf messages: metadata, then nodes.
void read_chakra_protobuf(ByteReader& reader, ChakraHead& head, const ChakraSink& sink);
/// {"workload_graph": [...]}.
void read_chakra_json(ByteReader& reader, const ChakraSink& sink);

/// `micros` as ps. Throws TraceError when it is beyond 2^63 ps.
std::uint64_t micros_to_ps(const std::string& file, std::uint64_t node, std::uint64_t micros);

}  // namespace sluice
