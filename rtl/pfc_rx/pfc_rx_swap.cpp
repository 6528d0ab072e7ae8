// SPDX-License-Identifier: Apache-2.0
#include "rtl/pfc_rx/pfc_rx_swap.h"

#include "rtl/pfc_rx/pfc_rx_twin.h"

namespace sluice::rtl {
namespace {

/// `Base`: the RTL, or the model where requests are recorded only.
template <class Base>
class PfcRxSwap final : public Base {
 public:
  template <class... Options>
  PfcRxSwap(const BlockPlace& place, const SwapMode& mode, const std::vector<BitsPerSecond>& rates,
            const std::vector<std::uint8_t>& lossless, const Options&... options)
      : Base(rates, lossless, options...), watch_("pfc_rx", place, mode.record) {
    if (mode.rtl && mode.compare) model_ = std::make_unique<PfcReceiver>(rates, lossless);
    if (!watch_.records()) return;
    for (std::size_t port = 0; port < rates.size(); ++port) {
      watch_.record(fmt::format("port {} {}", rates[port].value, lossless[port]));
    }
  }

  void receive(std::uint32_t port, PfcFrame frame, Ps now) override {
    const auto text = [&] {
      return fmt::format("frame {} {} {} {}", port, frame.class_enable, frame.quanta, now.value);
    };
    watch_.next(text);
    if (model_) model_->receive(port, frame, now);
    watch_.ask([&] { Base::receive(port, frame, now); }, text);
    if (!model_) return;
    for (std::uint32_t p = 0; p < kPriorities; ++p) {
      watch_.expect("until", model_->until(port, p).value, this->until(port, p).value, text);
      const PfcRxCounters& model = model_->counters(port, p);
      const PfcRxCounters& rtl = this->counters(port, p);
      watch_.expect("xoff_frames", model.xoff_frames, rtl.xoff_frames, text);
      watch_.expect("xon_frames", model.xon_frames, rtl.xon_frames, text);
      watch_.expect("ignored", model.ignored_frames, rtl.ignored_frames, text);
    }
  }

 protected:
  std::uint8_t paused_slow(std::uint32_t port, Ps now) override {
    const auto text = [&] { return fmt::format("look {} {}", port, now.value); };
    watch_.next(text);
    const std::uint8_t rtl = watch_.ask([&] { return Base::paused_slow(port, now); }, text);
    if (model_) watch_.expect("paused", model_->paused(port, now), rtl, text);
    return rtl;
  }

 private:
  Watch watch_;
  std::unique_ptr<PfcReceiver> model_;  ///< null: nothing to compare with
};

}  // namespace

std::unique_ptr<PfcReceiver> swap_pfc_rx(const std::vector<BitsPerSecond>& rates,
                                         const std::vector<std::uint8_t>& lossless,
                                         const BlockPlace& place, const SwapMode& mode) {
  if (!mode.rtl) return std::make_unique<PfcRxSwap<PfcReceiver>>(place, mode, rates, lossless);
  return std::make_unique<PfcRxSwap<PfcRxTwin>>(place, mode, rates, lossless, mode.options);
}

}  // namespace sluice::rtl
