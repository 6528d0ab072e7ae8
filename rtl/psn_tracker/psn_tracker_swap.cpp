// SPDX-License-Identifier: Apache-2.0
#include "rtl/psn_tracker/psn_tracker_swap.h"

#include "rtl/psn_tracker/psn_tracker_record.h"

namespace sluice::rtl {
namespace {

using Request = PsnTrackerTwin::Request;
using Op = PsnTrackerTwin::Op;

class PsnTrackerSwap final : public PsnTrackerBank {
 public:
  PsnTrackerSwap(const PsnTrackerConfig& config, const BlockPlace& place, const SwapMode& mode)
      : watch_("psn_tracker", place, mode.record),
        model_(config),
        compare_(mode.compare || !mode.rtl) {
    if (mode.rtl) twin_ = std::make_unique<PsnTrackerTwin>(config, mode.options);
    if (watch_.records()) watch_.record(psn_setup_line(config));
  }

  void add_flow(std::uint32_t first_psn) override {
    if (flows_ == PsnTrackerTwin::kMaxQps) {
      throw ConfigError(fmt::format("psn_tracker in RTL: more than {} flows to one NIC",
                                    PsnTrackerTwin::kMaxQps));
    }
    answer({Op::kAdd, flows_++, first_psn});
  }
  PsnTracker::Decision on_packet(std::uint32_t flow, std::uint32_t psn,
                                 std::uint32_t span) override {
    return answer({Op::kPacket, flow, psn, span}).decision;
  }
  std::uint32_t go_back(std::uint32_t flow, std::uint32_t psn) override {
    return answer({Op::kGoBack, flow, psn}).came;
  }
  void silence(std::uint32_t flow) override { answer({Op::kSilence, flow, 0}); }
  PsnTracker::View view() const override { return last_.view; }

 private:
  const PsnTrackerTwin::Answer& answer(const Request& request) {
    watch_.next();
    if (watch_.records()) watch_.record(psn_request_line(request));
    if (compare_) last_ = model_.ask(request);
    if (!twin_) return last_;
    const auto text = [&request] { return psn_request_line(request); };
    const PsnTrackerTwin::Answer rtl = watch_.ask([&] { return twin_->ask(request); }, text);
    if (compare_) {
      compare_psn_tracker(last_, rtl, [&](std::string_view name, auto model, auto value) {
        watch_.expect(name, model, value, text);
      });
    }
    return last_ = rtl;
  }

  Watch watch_;
  PsnTrackers model_;
  std::unique_ptr<PsnTrackerTwin> twin_;  ///< null: requests are recorded only
  bool compare_;
  std::uint32_t flows_ = 0;
  PsnTrackerTwin::Answer last_;
};

}  // namespace

std::unique_ptr<PsnTrackerBank> swap_psn_tracker(const PsnTrackerConfig& config,
                                                 const BlockPlace& place, const SwapMode& mode) {
  return std::make_unique<PsnTrackerSwap>(config, place, mode);
}

}  // namespace sluice::rtl
