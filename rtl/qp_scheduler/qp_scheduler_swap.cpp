// SPDX-License-Identifier: Apache-2.0
#include "rtl/qp_scheduler/qp_scheduler_swap.h"

#include "rtl/qp_scheduler/qp_scheduler_record.h"

namespace sluice::rtl {
namespace {

using Request = QpSchedulerTwin::Request;
using Op = QpSchedulerTwin::Op;

class QpSchedulerSwap final : public QpSchedule {
 public:
  QpSchedulerSwap(std::uint32_t burst_packets, const BlockPlace& place, const SwapMode& mode)
      : watch_("qp_scheduler", place, mode.record),
        model_(burst_packets),
        compare_(mode.compare || !mode.rtl) {
    if (mode.rtl) twin_ = std::make_unique<QpSchedulerTwin>(burst_packets, mode.options);
    if (watch_.records()) watch_.record(qp_setup_line(burst_packets));
  }

  View make_ready(std::uint32_t qp) override {
    return answer({Op::kReady, qp, Ps{}}, [=, this] { return twin_->make_ready(qp); });
  }
  View remove_current() override {
    return answer({Op::kRemove, 0, Ps{}}, [this] { return twin_->remove_current(); });
  }
  View count_packet() override {
    return answer({Op::kCount, 0, Ps{}}, [this] { return twin_->count_packet(); });
  }
  View wait(std::uint32_t qp, Ps time) override {
    return answer({Op::kWait, qp, time}, [=, this] { return twin_->wait(qp, time); });
  }
  View wake_due(Ps now, std::vector<std::uint32_t>& woken) override {
    const View view = answer({Op::kWake, 0, now}, [&] { return twin_->wake_due(now, woken); });
    if (!twin_) woken = woken_;
    if (twin_ && compare_ && woken != woken_) {
      watch_.differ(
          fmt::format("woken: model {}, RTL {}", fmt::join(woken_, " "), fmt::join(woken, " ")),
          qp_request_line({Op::kWake, 0, now}));
    }
    return view;
  }

 private:
  template <class Rtl>
  View answer(const Request& request, const Rtl& ask_rtl) {
    const auto text = [&request] { return qp_request_line(request); };
    watch_.next(text);
    woken_.clear();
    View model;
    if (compare_) model = model_.ask(request, woken_);
    if (!twin_) return model;
    const View rtl = watch_.ask(ask_rtl, text);
    if (compare_) {
      watch_.expect("current", model.current, rtl.current, text);
      watch_.expect("earliest_waiting", model.earliest_waiting.value, rtl.earliest_waiting.value,
                    text);
    }
    return rtl;
  }

  Watch watch_;
  QpOrder model_;
  std::unique_ptr<QpSchedulerTwin> twin_;  ///< null: requests are recorded only
  bool compare_;
  std::vector<std::uint32_t> woken_;  ///< by the model, of the last request
};

}  // namespace

std::unique_ptr<QpSchedule> swap_qp_scheduler(std::uint32_t burst_packets, const BlockPlace& place,
                                              const SwapMode& mode) {
  return std::make_unique<QpSchedulerSwap>(burst_packets, place, mode);
}

}  // namespace sluice::rtl
