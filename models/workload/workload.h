// SPDX-License-Identifier: Apache-2.0
// The op IR: what every importer and every synthetic workload produces and what the hosts replay.
// One stream of ops a rank, with dependencies inside the rank, groups of ranks, and a byte ledger.
// Leaves out: how a collective is carried out (collective/) and where ranks sit (fabric/).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/time.h"

namespace sluice {

enum class OpKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kAllToAll,
  kBarrier,
  kSend,     ///< point to point, `peer` receives; matched with kRecv by (peer, tag) in order
  kRecv,     ///< point to point, `peer` sends
  kWrite,    ///< one-sided RDMA WRITE to `peer`; no matching op on the other side
  kCompute,  ///< local time, no bytes
};

/// Lower-case name as printed in `ops` rows ("all_reduce", …; send and recv are "send_recv").
std::string_view op_kind_name(OpKind kind);
/// True for the ops that every member of a group takes part in.
constexpr bool is_collective(OpKind kind) { return kind <= OpKind::kBarrier; }

/// True for the collectives in which Op::peer names a root.
constexpr bool is_rooted(OpKind kind) {
  return kind >= OpKind::kBroadcast && kind <= OpKind::kScatter;
}

inline constexpr std::uint32_t kNoGroup = UINT32_MAX;
inline constexpr std::uint32_t kNoSplits = UINT32_MAX;

/// One op of one rank. `deps` of the rank's stream at [first_dep, first_dep + dep_count) are
/// indices of ops of the same rank that must have ended before this op starts.
struct Op {
  OpKind kind = OpKind::kCompute;
  std::uint32_t group = kNoGroup;  ///< index into Workload::groups; collectives only
  std::uint32_t peer = 0;          ///< global rank: root of rooted collectives, or the peer
  /// Point to point: matches send and receive. Collectives: the trace's own number of the op (node
  /// id, opCount), 0 if unknown; only messages about mismatches use it.
  std::uint32_t tag = 0;
  std::uint32_t splits = kNoSplits;  ///< index into Workload::splits; uneven collectives only
  std::uint32_t first_dep = 0;
  std::uint32_t dep_count = 0;
  /// Bytes as nccl-tests defines size: all-reduce, broadcast, reduce: the vector; all-gather: n x
  /// shard; reduce-scatter: the whole input; gather, scatter: n x per-rank; all-to-all: what one
  /// rank puts in (the sum of its splits when uneven); send, recv, write: the message.
  std::uint64_t bytes = 0;
  Ps compute{};              ///< kCompute only
  std::uint64_t source = 0;  ///< node id or line number in the trace, for messages
};

/// Per-member bytes of an uneven collective at one rank, in group order. All-to-all: what goes to
/// and comes from each member. All-gather, gather, scatter: what each member puts in or gets,
/// twice.
struct Splits {
  std::vector<std::uint64_t> send_bytes;
  std::vector<std::uint64_t> recv_bytes;
};

struct Group {
  std::string name;
  std::vector<std::uint32_t> ranks;  ///< global ranks, in ring order of the group
};

struct RankStream {
  std::vector<Op> ops;
  std::vector<std::uint32_t> deps;
};

/// Ops that put no byte on the network, and why. Listed, never dropped in silence.
struct SkippedOps {
  std::string reason;
  std::uint64_t bytes = 0;
  std::uint64_t ops = 0;
};

/// Counts bytes put in by each rank (docs/formats.md, table 0), summed over ranks:
/// bytes_in == bytes to be simulated + bytes_skipped, checked at the end of a run.
struct Ledger {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_skipped = 0;
  std::vector<SkippedOps> skipped;

  void skip(std::string_view reason, std::uint64_t bytes);
};

struct Workload {
  std::vector<Group> groups;
  std::vector<RankStream> ranks;
  std::vector<Splits> splits;
  Ledger ledger;
  std::string source;  ///< what it came from, for messages: a path or a workload type

  std::uint32_t rank_count() const { return static_cast<std::uint32_t>(ranks.size()); }
};

/// Bytes that `rank` itself puts into `op` (docs/formats.md, table 0). Broadcast and scatter count
/// at the root, the others at every rank that sends; recv and compute put in nothing.
std::uint64_t bytes_put_in(const Workload& workload, std::uint32_t rank, const Op& op);

/// Multiplies every recorded compute gap by `scale` (0 removes them), rounding to the nearest ps.
void scale_compute(Workload& workload, double scale);

/// Checks what every producer must keep: indices in range, dependencies inside the rank and free of
/// cycles, groups without duplicates, splits as long as their group. Throws TraceError.
void validate(const Workload& workload);

}  // namespace sluice
