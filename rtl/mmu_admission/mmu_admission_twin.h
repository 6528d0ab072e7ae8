// SPDX-License-Identifier: Apache-2.0
// The MMU of a chip in RTL, behind the interface of the C++ block. Watermarks, which no decision
// depends on, are kept from the counts that the RTL answers (mmu_mirror.h).
// Leaves out: requests back to back, which the bench gives through clock().
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "rtl/harness/rtl_options.h"
#include "rtl/mmu_admission/mmu_mirror.h"
#include "switch/mmu/mmu.h"
#include "switch/mmu/mmu_tables.h"

namespace sluice::rtl {

class MmuAdmissionTwin final : public Mmu {
 public:
  static constexpr unsigned kLatency = 4;  ///< clocks from request to response
  static constexpr std::size_t kMaxPorts = 512;
  static constexpr std::size_t kMaxProfiles = 64;
  static constexpr std::uint32_t kQueues = 8;  ///< of a port

  /// As make_mmu. Throws ConfigError for more ports, queues or profiles than the RTL has.
  MmuAdmissionTwin(const MmuParams& params, const MmuGeometry& geometry, const RtlOptions& options);
  ~MmuAdmissionTwin() override;

  bool lossless(std::uint16_t port, std::uint8_t pg) const override {
    return tables_.pg_limits[tables_.pg_profile[port * kPriorityGroups + pg]].lossless;
  }
  PgUsage pg(std::uint16_t port, std::uint8_t pg) const override { return mirror_.pg(port, pg); }
  QueueUsage queue(std::uint16_t port, std::uint8_t queue) const override {
    return mirror_.queue(port, queue);
  }
  SliceUsage slice(std::uint32_t slice) const override { return mirror_.slice(slice); }
  std::uint32_t slices() const override {
    return static_cast<std::uint32_t>(tables_.slices.size());
  }
  MmuTotals totals() const override { return mirror_.totals(); }
  std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const override {
    return mirror_.pg_limit(port, pg);
  }
  void check_conservation() const override { mirror_.check(); }

  struct Command {
    MmuRequest request;
    bool release = false;
  };
  /// One clock with `command` at the input (null: none), for requests back to back; the answer that
  /// comes out in this clock, that of kLatency clocks ago, which the views now show.
  const MmuAnswer& clock(const Command* command);
  std::uint64_t cycle() const;
  /// The slice in which a packet's cells lie.
  std::uint32_t slice_of(const MmuRequest& request) const {
    return tables_.slice_of_port[tables_.by_ingress ? request.ingress_port : request.egress_port];
  }

 protected:
  AdmitResult admit_any(MmuRequest request) override;
  bool release_any(MmuRequest request) override;

 private:
  struct Rtl;
  void check_size() const;
  void configure();
  void configure_chip();
  void configure_profiles();
  void configure_map();
  const MmuAnswer& ask(const Command& command);

  MmuTables tables_;
  bool nvidia_;
  MmuMirror mirror_;
  std::unique_ptr<Rtl> rtl_;
  std::deque<Command> asked_;  ///< whose answers are still to come
  MmuAnswer answer_;
};

/// The part of an MMU that one request can change, for comparing two of them.
struct MmuState {
  PgUsage pg;
  QueueUsage queue;
  SliceUsage slice;
  MmuTotals totals;

  static MmuState of(const Mmu& mmu, const MmuRequest& request, std::uint32_t slice) {
    return {mmu.pg(request.ingress_port, request.pg), mmu.queue(request.egress_port, request.queue),
            mmu.slice(slice), mmu.totals()};
  }
};

/// Calls expect(name, of model, of RTL) for every count.
template <class Expect>
void compare_states(const MmuState& model, const MmuState& rtl, const Expect& expect) {
  expect("PG min", model.pg.min, rtl.pg.min);
  expect("PG shared", model.pg.shared, rtl.pg.shared);
  expect("PG headroom", model.pg.headroom, rtl.pg.headroom);
  expect("PG XOFF", std::uint32_t{model.pg.xoff}, std::uint32_t{rtl.pg.xoff});
  expect("PG peak", model.pg.peak, rtl.pg.peak);
  expect("PG headroom peak", model.pg.peak_headroom, rtl.pg.peak_headroom);
  expect("queue min", model.queue.min, rtl.queue.min);
  expect("queue shared", model.queue.shared, rtl.queue.shared);
  expect("queue peak", model.queue.peak, rtl.queue.peak);
  expect("slice shared", model.slice.ingress_shared, rtl.slice.ingress_shared);
  expect("slice lossy", model.slice.lossy_shared, rtl.slice.lossy_shared);
  expect("slice egress", model.slice.egress_shared, rtl.slice.egress_shared);
  expect("slice headroom", model.slice.headroom, rtl.slice.headroom);
  expect("slice shared peak", model.slice.peak_ingress_shared, rtl.slice.peak_ingress_shared);
  expect("slice lossy peak", model.slice.peak_lossy_shared, rtl.slice.peak_lossy_shared);
  expect("slice egress peak", model.slice.peak_egress_shared, rtl.slice.peak_egress_shared);
  expect("slice headroom peak", model.slice.peak_headroom, rtl.slice.peak_headroom);
  expect("used cells", model.totals.used, rtl.totals.used);
  expect("used peak", model.totals.peak, rtl.totals.peak);
  expect("headroom", model.totals.headroom, rtl.totals.headroom);
  expect("headroom peak", model.totals.peak_headroom, rtl.totals.peak_headroom);
}

}  // namespace sluice::rtl
