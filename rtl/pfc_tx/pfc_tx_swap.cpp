// SPDX-License-Identifier: Apache-2.0
#include "rtl/pfc_tx/pfc_tx_swap.h"

#include "rtl/pfc_tx/pfc_tx_twin.h"

namespace sluice::rtl {
namespace {

/// `Base`: the RTL, or the model where requests are recorded only.
template <class Base>
class PfcTxSwap final : public Base {
 public:
  template <class... Options>
  PfcTxSwap(const BlockPlace& place, const SwapMode& mode, const PfcParams& params,
            const std::vector<BitsPerSecond>& rates, const Options&... options)
      : Base(params, rates, options...), watch_("pfc_tx", place, mode.record) {
    if (mode.rtl && mode.compare) model_ = std::make_unique<PfcSender>(params, rates);
    if (!watch_.records()) return;
    watch_.record(
        fmt::format("setup {} {} {}", int{params.enabled}, params.quanta, params.refresh_percent));
    for (const BitsPerSecond rate : rates) watch_.record(fmt::format("port {}", rate.value));
  }

  PfcFrame xoff(std::uint32_t port, std::uint32_t priority, Ps now) override {
    return both(
        port, [=](auto& of) { return of.xoff(port, priority, now); },
        [=, this] { return Base::xoff(port, priority, now); },
        [=] { return fmt::format("xoff {} {} {}", port, priority, now.value); });
  }
  PfcFrame xon(std::uint32_t port, std::uint32_t priority) override {
    return both(
        port, [=](auto& of) { return of.xon(port, priority); },
        [=, this] { return Base::xon(port, priority); },
        [=] { return fmt::format("xon {} {}", port, priority); });
  }
  PfcFrame refresh(std::uint32_t port, Ps now) override {
    return both(
        port, [=](auto& of) { return of.refresh(port, now); },
        [=, this] { return Base::refresh(port, now); },
        [=] { return fmt::format("refresh {} {}", port, now.value); });
  }

 private:
  template <class Model, class Own, class Text>
  PfcFrame both(std::uint32_t port, const Model& ask_model, const Own& ask_own, const Text& text) {
    watch_.next(text);
    const PfcFrame rtl = watch_.ask(ask_own, text);
    if (!model_) return rtl;
    const PfcFrame model = ask_model(*model_);
    watch_.expect("classes", model.class_enable, rtl.class_enable, text);
    watch_.expect("quanta", model.quanta, rtl.quanta, text);
    watch_.expect("xoff", model_->xoff_mask(port), this->xoff_mask(port), text);
    watch_.expect("due", model_->refresh_due(port).value, this->refresh_due(port).value, text);
    return rtl;
  }

  Watch watch_;
  std::unique_ptr<PfcSender> model_;  ///< null: nothing to compare with
};

}  // namespace

std::unique_ptr<PfcSender> swap_pfc_tx(const PfcParams& params,
                                       const std::vector<BitsPerSecond>& rates,
                                       const BlockPlace& place, const SwapMode& mode) {
  if (!mode.rtl) return std::make_unique<PfcTxSwap<PfcSender>>(place, mode, params, rates);
  return std::make_unique<PfcTxSwap<PfcTxTwin>>(place, mode, params, rates, mode.options);
}

}  // namespace sluice::rtl
