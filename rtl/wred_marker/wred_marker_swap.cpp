// SPDX-License-Identifier: Apache-2.0
#include "rtl/wred_marker/wred_marker_swap.h"

#include "rtl/wred_marker/wred_marker_twin.h"

namespace sluice::rtl {
namespace {

class WredMarkerSwap final : public EcnMarker {
 public:
  WredMarkerSwap(std::unique_ptr<EcnMarker> model, std::unique_ptr<EcnMarker> twin,
                 const BlockPlace& place, const SwapMode& mode)
      : watch_("wred_marker", place, mode.record),
        model_(std::move(model)),
        twin_(std::move(twin)),
        compare_(mode.compare || twin_ == nullptr) {}

  /// The head of a record: all that a bench needs to build the same marker.
  void record_setup(const std::vector<EcnParams>& profiles,
                    const std::vector<std::uint8_t>& profile_of_queue) {
    if (!watch_.records()) return;
    for (const EcnParams& p : profiles) {
      watch_.record(fmt::format("curve {} {} {} {} {} {:.17g} {} {} {:.17g}", int{p.enabled},
                                int{p.drop_not_ect}, p.weight, p.kmin_bytes.value,
                                p.kmax_bytes.value, p.pmax, p.drop_kmin_bytes.value,
                                p.drop_kmax_bytes.value, p.drop_pmax));
    }
    for (const std::uint8_t profile : profile_of_queue) {
      watch_.record(fmt::format("queue {}", profile));
    }
  }

  EcnAction decide(const EcnRequest& r) override {
    watch_.next();
    if (watch_.records()) {
      watch_.record(
          fmt::format("decide {} {} {} {}", r.queue, r.queue_bytes, r.random, int{r.ect}));
    }
    const EcnAction model = compare_ ? model_->decide(r) : EcnAction::kForward;
    if (!twin_) return model;
    const auto text = [&r] {
      return fmt::format("queue {} of {} B, draw {:#x}", r.queue, r.queue_bytes, r.random);
    };
    const EcnAction rtl = watch_.ask([&] { return twin_->decide(r); }, text);
    if (compare_) {
      watch_.expect("action", static_cast<int>(model), static_cast<int>(rtl), text);
      watch_.expect("length", model_->length(r.queue), twin_->length(r.queue), text);
    }
    return rtl;
  }
  bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const override {
    return model_->draws(queue, queue_bytes);
  }
  std::uint32_t length(std::uint32_t queue) const override {
    return (twin_ ? twin_ : model_)->length(queue);
  }

 private:
  Watch watch_;
  std::unique_ptr<EcnMarker> model_;
  std::unique_ptr<EcnMarker> twin_;  ///< null: requests are recorded only
  bool compare_;
};

}  // namespace

std::unique_ptr<EcnMarker> swap_wred_marker(std::unique_ptr<EcnMarker> model,
                                            const std::vector<EcnParams>& profiles,
                                            const std::vector<std::uint8_t>& profile_of_queue,
                                            const BlockPlace& place, const SwapMode& mode) {
  std::unique_ptr<EcnMarker> twin;
  if (mode.rtl) {
    twin = std::make_unique<WredMarkerTwin>(profiles, profile_of_queue, mode.options);
  }
  auto swap = std::make_unique<WredMarkerSwap>(std::move(model), std::move(twin), place, mode);
  swap->record_setup(profiles, profile_of_queue);
  return swap;
}

}  // namespace sluice::rtl
