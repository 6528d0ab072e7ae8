// SPDX-License-Identifier: Apache-2.0
// The shared-buffer memory management unit of a chip: admits packets into cells, charges them to
// priority groups (PG) and queues, decides XOFF and XON. One object serves a whole chip.
// Leaves out: where cells lie in memory, multicast copies, the packets themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "switch/mmu/mmu_params.h"
#include "switch/mmu/mmu_records.h"

namespace sluice {

enum class DropReason : std::uint8_t {
  kNone,
  kIngressPg,       ///< priority group at its limit and its own headroom full; on a lossless PG:
                    ///< not lossless
  kSharedHeadroom,  ///< as kIngressPg, but what is full is the headroom pool that PGs share
  kEgressQueue,     ///< queue at its limit
  kNoCells,         ///< no physical memory left
};
inline constexpr std::size_t kDropReasons = 5;
/// Snake-case name as printed in `drops` ("ingress_pg", …).
std::string_view drop_reason_name(DropReason reason);

struct AdmitResult {
  DropReason drop = DropReason::kNone;
  bool xoff = false;  ///< this admission moved the PG into XOFF: send a pause now
};

/// What a priority group holds, in cells.
struct PgUsage {
  std::uint32_t min = 0;
  std::uint32_t shared = 0;
  std::uint32_t headroom = 0;
  std::uint32_t peak = 0;           ///< most cells ever held, all accounts
  std::uint32_t peak_headroom = 0;  ///< most headroom cells ever held
  bool xoff = false;
  std::uint32_t total() const { return min + shared + headroom; }
};

/// What a queue holds, in cells.
struct QueueUsage {
  std::uint32_t min = 0;
  std::uint32_t shared = 0;
  std::uint32_t peak = 0;
  std::uint32_t total() const { return min + shared; }
};

/// One slice of the memory, in cells, with the most that each part ever held.
struct SliceUsage {
  std::uint32_t shared_limit = 0;    ///< S: what priority groups share dynamically
  std::uint32_t ingress_shared = 0;  ///< charged to PGs' shared accounts
  std::uint32_t lossy_limit = 0;     ///< pool that lossy PGs have of their own; 0: they share S
  std::uint32_t lossy_shared = 0;
  std::uint32_t egress_limit = 0;
  std::uint32_t egress_shared = 0;   ///< charged to lossy queues' shared accounts
  std::uint32_t headroom_limit = 0;  ///< this slice's part of the shared headroom pool; 0: private
  std::uint32_t headroom = 0;        ///< taken from the shared headroom pool
  std::uint32_t peak_ingress_shared = 0;
  std::uint32_t peak_lossy_shared = 0;
  std::uint32_t peak_egress_shared = 0;
  std::uint32_t peak_headroom = 0;
};

/// Chip totals, in cells.
struct MmuTotals {
  std::uint32_t total = 0;  ///< physical cells
  std::uint32_t used = 0;
  std::uint32_t peak = 0;
  std::uint32_t headroom = 0;
  std::uint32_t peak_headroom = 0;
  std::uint32_t pool = 0;  ///< configured pool (`pool_bytes`)
};

/// Where an implementation keeps its records, for prefetching; all null where there are none.
struct MmuHotLines {
  const char* pgs = nullptr;
  const char* queues = nullptr;
  std::size_t record_bytes = 0;
  std::uint32_t queues_per_port = 0;

  const void* pg(std::uint32_t port, std::uint32_t pg) const {
    return pgs + (port * kPriorityGroups + pg) * record_bytes;
  }
  const void* queue(std::uint32_t port, std::uint32_t queue) const {
    return queues + (port * queues_per_port + queue) * record_bytes;
  }
};

/// Answers at once; an RTL twin drives its handshake until it can answer. No time enters. An
/// implementation that keeps `books_` gets the common case from here, in line with the caller; for
/// one that does not, `books_.plain` stays false and every request reaches it.
class Mmu {
 public:
  virtual ~Mmu() = default;

  /// Charges the packet to its PG and its queue, or to nothing when `drop` is set.
  AdmitResult admit(MmuRequest request) {
    if (--books_.until_check == 0) [[unlikely]]
      check_now();
    if (books_.plain && books_.admit_plainly(request)) [[likely]]
      return {};
    return admit_any(request);
  }
  /// Gives back an admitted packet. True: the PG leaves XOFF now, send XON.
  bool release(MmuRequest request) {
    if (books_.plain && books_.release_plainly(request)) [[likely]]
      return false;
    return release_any(request);
  }

  virtual bool lossless(std::uint16_t port, std::uint8_t pg) const = 0;
  virtual PgUsage pg(std::uint16_t port, std::uint8_t pg) const = 0;
  virtual QueueUsage queue(std::uint16_t port, std::uint8_t queue) const = 0;
  virtual SliceUsage slice(std::uint32_t slice) const = 0;
  virtual std::uint32_t slices() const = 0;
  virtual MmuTotals totals() const = 0;
  /// Cells that this PG's shared account may reach now: 0 <= limit <= slice's shared limit.
  virtual std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const = 0;

  virtual MmuHotLines hot_lines() const { return {}; }

  /// Sum over PGs = sum over queues = pools' use = memory less the free list. Throws
  /// InvariantError. Also done during a run, every kCheckEvery admissions.
  virtual void check_conservation() const = 0;
  static constexpr std::uint32_t kCheckEvery = 1u << 14;

 protected:
  // By value: a reference would keep the caller's request in memory on the common path too.
  virtual AdmitResult admit_any(MmuRequest request) = 0;
  virtual bool release_any(MmuRequest request) = 0;

  MmuBooks books_;

 private:
  friend struct MmuFault;  // tests: a fault placed by hand
  void check_now();
};

/// Validates, then builds the policy that `params.policy` names.
std::unique_ptr<Mmu> make_mmu(const MmuParams& params, const MmuGeometry& geometry);

}  // namespace sluice
