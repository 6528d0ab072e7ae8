// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_admission_swap.h"

#include "rtl/mmu_admission/mmu_admission_twin.h"
#include "rtl/mmu_admission/mmu_record.h"
#include "rtl/swap/both.h"

namespace sluice::rtl {
namespace {

class MmuAdmissionSwap final : public Mmu {
  /// Whatever is asked, the states are equal behind it.
  template <class Call, class Agree>
  auto ask(const MmuRequest& r, bool release, const Call& call, const Agree& agree) {
    const auto line = [&] { return mmu_request_line(r, release); };
    return both_.ask(line, line, call, [&](const auto& model, const auto& rtl, const auto& expect) {
      agree(model, rtl, expect);
      const std::uint32_t slice = both_.twin().slice_of(r);
      compare_states(MmuState::of(both_.model(), r, slice), MmuState::of(both_.twin(), r, slice),
                     expect);
    });
  }

 public:
  MmuAdmissionSwap(std::unique_ptr<Mmu> model, std::unique_ptr<MmuAdmissionTwin> twin,
                   const BlockPlace& place, const SwapMode& mode)
      : both_("mmu_admission", std::move(model), std::move(twin), place, mode) {
    books_.until_check = kCheckEvery;
  }

  /// The head of a record: all that a bench needs to build the same MMU.
  void record_setup(const MmuParams& params, const MmuGeometry& geometry) {
    Watch& watch = both_.watch();
    if (!watch.records()) return;
    for (const std::string& line : mmu_setup_lines(params, geometry)) watch.record(line);
  }

  bool lossless(std::uint16_t port, std::uint8_t pg) const override {
    return both_.model().lossless(port, pg);
  }
  PgUsage pg(std::uint16_t port, std::uint8_t pg) const override { return shown().pg(port, pg); }
  QueueUsage queue(std::uint16_t port, std::uint8_t queue) const override {
    return shown().queue(port, queue);
  }
  SliceUsage slice(std::uint32_t slice) const override { return shown().slice(slice); }
  std::uint32_t slices() const override { return shown().slices(); }
  MmuTotals totals() const override { return shown().totals(); }
  std::uint32_t pg_limit(std::uint16_t port, std::uint8_t pg) const override {
    return shown().pg_limit(port, pg);
  }
  MmuHotLines hot_lines() const override { return both_.model().hot_lines(); }
  void check_conservation() const override {
    shown().check_conservation();
    if (both_.compares()) both_.model().check_conservation();
  }

 protected:
  AdmitResult admit_any(MmuRequest r) override {
    return ask(
        r, false, [&r](Mmu& of) { return of.admit(r); },
        [](const AdmitResult& model, const AdmitResult& rtl, const auto& expect) {
          expect("drop", static_cast<int>(model.drop), static_cast<int>(rtl.drop));
          expect("XOFF", model.xoff, rtl.xoff);
        });
  }
  bool release_any(MmuRequest r) override {
    return ask(
        r, true, [&r](Mmu& of) { return of.release(r); },
        [](bool model, bool rtl, const auto& expect) { expect("XON", model, rtl); });
  }

 private:
  const Mmu& shown() const {
    return both_.shown([](const Mmu& of) -> const Mmu& { return of; });
  }
  Both<Mmu, MmuAdmissionTwin> both_;
};

}  // namespace

std::unique_ptr<Mmu> swap_mmu_admission(std::unique_ptr<Mmu> model, const MmuParams& params,
                                        const MmuGeometry& geometry, const BlockPlace& place,
                                        const SwapMode& mode) {
  std::unique_ptr<MmuAdmissionTwin> twin;
  if (mode.rtl) twin = std::make_unique<MmuAdmissionTwin>(params, geometry, mode.options);
  auto swap = std::make_unique<MmuAdmissionSwap>(std::move(model), std::move(twin), place, mode);
  swap->record_setup(params, geometry);
  return swap;
}

}  // namespace sluice::rtl
