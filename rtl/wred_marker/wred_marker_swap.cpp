// SPDX-License-Identifier: Apache-2.0
#include "rtl/wred_marker/wred_marker_swap.h"

#include "rtl/swap/both.h"
#include "rtl/wred_marker/wred_marker_twin.h"

namespace sluice::rtl {
namespace {

class WredMarkerSwap final : public EcnMarker {
 public:
  WredMarkerSwap(std::unique_ptr<EcnMarker> model, std::unique_ptr<EcnMarker> twin,
                 const BlockPlace& place, const SwapMode& mode)
      : both_("wred_marker", std::move(model), std::move(twin), place, mode) {}

  /// The head of a record: all that a bench needs to build the same marker.
  void record_setup(const std::vector<EcnParams>& profiles,
                    const std::vector<std::uint8_t>& profile_of_queue) {
    Watch& watch = both_.watch();
    if (!watch.records()) return;
    for (const EcnParams& p : profiles) {
      watch.record(fmt::format("curve {} {} {} {} {} {:.17g} {} {} {:.17g}", int{p.enabled},
                               int{p.drop_not_ect}, p.weight, p.kmin_bytes.value,
                               p.kmax_bytes.value, p.pmax, p.drop_kmin_bytes.value,
                               p.drop_kmax_bytes.value, p.drop_pmax));
    }
    for (const std::uint8_t profile : profile_of_queue) {
      watch.record(fmt::format("queue {}", profile));
    }
  }

  EcnAction decide(const EcnRequest& r) override {
    return both_.ask(
        [&r] {
          return fmt::format("decide {} {} {} {}", r.queue, r.queue_bytes, r.random, int{r.ect});
        },
        [&r] {
          return fmt::format("queue {} of {} B, draw {:#x}", r.queue, r.queue_bytes, r.random);
        },
        [&r](EcnMarker& of) { return of.decide(r); },
        [&](EcnAction model, EcnAction rtl, const auto& expect) {
          expect("action", static_cast<int>(model), static_cast<int>(rtl));
          expect("length", both_.model().length(r.queue), both_.twin().length(r.queue));
        });
  }
  bool draws(std::uint32_t queue, std::uint32_t queue_bytes) const override {
    return both_.model().draws(queue, queue_bytes);
  }
  std::uint32_t length(std::uint32_t queue) const override {
    return both_.shown([queue](const EcnMarker& of) { return of.length(queue); });
  }

 private:
  Both<EcnMarker> both_;
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
