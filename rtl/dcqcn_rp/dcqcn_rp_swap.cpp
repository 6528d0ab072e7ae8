// SPDX-License-Identifier: Apache-2.0
#include "rtl/dcqcn_rp/dcqcn_rp_swap.h"

#include "rtl/dcqcn_rp/dcqcn_rp_compare.h"
#include "rtl/dcqcn_rp/dcqcn_rp_record.h"
#include "rtl/dcqcn_rp/dcqcn_rp_twin.h"

namespace sluice::rtl {
namespace {

using Request = DcqcnRpTwin::Request;
using Op = DcqcnRpTwin::Op;

class DcqcnRpSwap final : public RateControl {
 public:
  DcqcnRpSwap(std::unique_ptr<Dcqcn> model, std::unique_ptr<DcqcnRpTwin> twin,
              const BlockPlace& place, const SwapMode& mode)
      : watch_("dcqcn_rp", place, mode.record),
        model_(std::move(model)),
        twin_(std::move(twin)),
        compare_(mode.compare || twin_ == nullptr) {}

  void record_setup(const DcqcnParams& params, BitsPerSecond line_rate) {
    if (watch_.records()) watch_.record(dcqcn_setup_line(params, line_rate));
  }

  bool add_flow() override {
    return answer({Op::kAdd, flows_++, 0, Ps{}},
                  [this] { return Pace{.limited = model_->add_flow()}; })
        .limited;
  }
  bool on_cnp(std::uint32_t flow, Ps now) override {
    return answer({Op::kCnp, flow, 0, now},
                  [=, this] { return Pace{.limited = model_->on_cnp(flow, now)}; })
        .limited;
  }
  bool on_rtt(std::uint32_t flow, Ps rtt, Ps now) override {
    return answer({Op::kRtt, flow, 0, now},
                  [=, this] { return Pace{.limited = model_->on_rtt(flow, rtt, now)}; })
        .limited;
  }
  Pace on_sent(std::uint32_t flow, std::uint32_t wire_bytes, Ps start) override {
    return answer({Op::kSent, flow, wire_bytes, start},
                  [=, this] { return model_->on_sent(flow, wire_bytes, start); });
  }

 private:
  template <class Model>
  Pace answer(const Request& request, const Model& ask_model) {
    watch_.next();
    if (watch_.records()) watch_.record(dcqcn_request_line(request));
    Pace pace;
    const DcqcnWork before = model_->work();
    if (compare_) pace = ask_model();
    if (!twin_) return pace;
    const auto text = [&request] { return dcqcn_request_line(request); };
    const DcqcnRpTwin::Answer& rtl =
        watch_.ask([&]() -> const DcqcnRpTwin::Answer& { return twin_->ask(request); }, text);
    if (!compare_) return rtl.pace;
    const auto expect = [&](std::string_view name, auto model_value, auto rtl_value) {
      watch_.expect(name, model_value, rtl_value, text);
    };
    compare_dcqcn(model_->stored(request.flow), rtl.flow, expect);
    expect("interval", pace.interval.value, rtl.pace.interval.value);
    expect("limited", pace.limited, rtl.pace.limited);
    const DcqcnWork work = work_between(before, model_->work());
    expect("steps", work.steps, rtl.work.steps);
    expect("skips", work.skips, rtl.work.skips);
    expect("paced", work.rate_changes, rtl.work.rate_changes);
    return rtl.pace;
  }

  Watch watch_;
  std::unique_ptr<Dcqcn> model_;
  std::unique_ptr<DcqcnRpTwin> twin_;  ///< null: requests are recorded only
  bool compare_;
  std::uint32_t flows_ = 0;
};

}  // namespace

std::unique_ptr<RateControl> swap_dcqcn_rp(std::unique_ptr<Dcqcn> model, const DcqcnParams& params,
                                           BitsPerSecond line_rate, const BlockPlace& place,
                                           const SwapMode& mode) {
  std::unique_ptr<DcqcnRpTwin> twin;
  if (mode.rtl) twin = std::make_unique<DcqcnRpTwin>(params, line_rate, mode.options);
  auto swap = std::make_unique<DcqcnRpSwap>(std::move(model), std::move(twin), place, mode);
  swap->record_setup(params, line_rate);
  return swap;
}

}  // namespace sluice::rtl
