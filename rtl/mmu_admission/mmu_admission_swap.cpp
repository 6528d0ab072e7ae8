// SPDX-License-Identifier: Apache-2.0
#include "rtl/mmu_admission/mmu_admission_swap.h"

#include "rtl/mmu_admission/mmu_admission_twin.h"
#include "rtl/mmu_admission/mmu_record.h"

namespace sluice::rtl {
namespace {

class MmuAdmissionSwap final : public Mmu {
 public:
  MmuAdmissionSwap(std::unique_ptr<Mmu> model, std::unique_ptr<MmuAdmissionTwin> twin,
                   const BlockPlace& place, const SwapMode& mode)
      : watch_("mmu_admission", place, mode.record),
        model_(std::move(model)),
        twin_(std::move(twin)),
        compare_(mode.compare || twin_ == nullptr) {
    books_.until_check = kCheckEvery;
  }

  /// The head of a record: all that a bench needs to build the same MMU.
  void record_setup(const MmuParams& params, const MmuGeometry& geometry) {
    if (!watch_.records()) return;
    for (const std::string& line : mmu_setup_lines(params, geometry)) watch_.record(line);
  }

  bool lossless(std::uint16_t port, std::uint8_t pg) const override {
    return model_->lossless(port, pg);
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
  MmuHotLines hot_lines() const override { return model_->hot_lines(); }
  void check_conservation() const override {
    shown().check_conservation();
    if (compare_) model_->check_conservation();
  }

 protected:
  AdmitResult admit_any(MmuRequest r) override {
    watch_.next();
    if (watch_.records()) watch_.record(mmu_request_line(r, false));
    AdmitResult model;
    if (compare_) model = model_->admit(r);
    if (!twin_) return model;
    const auto text = [&r] { return mmu_request_line(r, false); };
    const AdmitResult rtl = watch_.ask([&] { return twin_->admit(r); }, text);
    if (compare_) {
      watch_.expect("drop", static_cast<int>(model.drop), static_cast<int>(rtl.drop), text);
      watch_.expect("XOFF", model.xoff, rtl.xoff, text);
      expect_equal_states(r, text);
    }
    return rtl;
  }
  bool release_any(MmuRequest r) override {
    watch_.next();
    if (watch_.records()) watch_.record(mmu_request_line(r, true));
    const bool model = compare_ && model_->release(r);
    if (!twin_) return model;
    const auto text = [&r] { return mmu_request_line(r, true); };
    const bool rtl = watch_.ask([&] { return twin_->release(r); }, text);
    if (compare_) {
      watch_.expect("XON", model, rtl, text);
      expect_equal_states(r, text);
    }
    return rtl;
  }

 private:
  const Mmu& shown() const { return twin_ ? *twin_ : *model_; }
  template <class Text>
  void expect_equal_states(const MmuRequest& r, const Text& text) {
    const std::uint32_t slice = twin_->slice_of(r);
    compare_states(MmuState::of(*model_, r, slice), MmuState::of(*twin_, r, slice),
                   [&](std::string_view name, std::uint32_t model, std::uint32_t rtl) {
                     watch_.expect(name, model, rtl, text);
                   });
  }

  Watch watch_;
  std::unique_ptr<Mmu> model_;
  std::unique_ptr<MmuAdmissionTwin> twin_;  ///< null: requests are recorded only
  bool compare_;
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
