// SPDX-License-Identifier: Apache-2.0
#include "rtl/wred_marker/wred_marker_twin.h"

#include <Vwred_marker.h>
#include <Vwred_marker_wred_marker.h>

#include <cmath>

#include "kernel/error.h"
#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct WredMarkerTwin::Rtl : RtlModel<Vwred_marker> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Vwred_marker_wred_marker::Queues == WredMarkerTwin::kMaxQueues);
static_assert(Vwred_marker_wred_marker::Profiles == WredMarkerTwin::kMaxProfiles);

std::uint64_t of_2_32(double probability) {
  return static_cast<std::uint64_t>(std::llround(probability * 0x1p32));
}

}  // namespace

WredMarkerTwin::WredMarkerTwin(const std::vector<EcnParams>& profiles,
                               const std::vector<std::uint8_t>& profile_of_queue,
                               const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)),
      shape_(make_ecn_marker(profiles, profile_of_queue)),
      lengths_(profile_of_queue.size()) {
  if (profile_of_queue.size() > kMaxQueues || profiles.size() > kMaxProfiles) {
    throw ConfigError(fmt::format("wred_marker in RTL: {} queues and {} curves, it has {} and {}",
                                  profile_of_queue.size(), profiles.size(), kMaxQueues,
                                  kMaxProfiles));
  }
  rtl_->pins().curve_valid_i = rtl_->pins().map_valid_i = rtl_->pins().in_valid_i = 0;
  rtl_->reset();
  configure(profiles, profile_of_queue);
}

WredMarkerTwin::~WredMarkerTwin() = default;

void WredMarkerTwin::configure(const std::vector<EcnParams>& profiles,
                               const std::vector<std::uint8_t>& profile_of_queue) {
  Vwred_marker& pins = rtl_->pins();
  pins.curve_valid_i = 1;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    const EcnParams& p = profiles[i];
    const bool own = p.drop_kmax_bytes.value != 0;  // drops have a curve of their own
    pins.curve_profile_i = static_cast<std::uint8_t>(i);
    pins.curve_enabled_i = p.enabled;
    pins.curve_drop_not_ect_i = p.drop_not_ect;
    pins.curve_weight_i = static_cast<std::uint8_t>(p.weight);
    pins.curve_kmin_i = static_cast<std::uint32_t>(p.kmin_bytes.value);
    pins.curve_kmax_i = static_cast<std::uint32_t>(p.kmax_bytes.value);
    pins.curve_pmax_i = of_2_32(p.pmax);
    pins.curve_drop_kmin_i =
        static_cast<std::uint32_t>((own ? p.drop_kmin_bytes : p.kmin_bytes).value);
    pins.curve_drop_kmax_i =
        static_cast<std::uint32_t>((own ? p.drop_kmax_bytes : p.kmax_bytes).value);
    pins.curve_drop_pmax_i = of_2_32(own ? p.drop_pmax : p.pmax);
    rtl_->tick();
  }
  pins.curve_valid_i = 0;
  pins.map_valid_i = 1;
  for (std::size_t queue = 0; queue < profile_of_queue.size(); ++queue) {
    pins.map_queue_i = static_cast<std::uint16_t>(queue);
    pins.map_profile_i = profile_of_queue[queue];
    rtl_->tick();
  }
  pins.map_valid_i = 0;
}

WredMarkerTwin::Answer WredMarkerTwin::clock(const EcnRequest* request) {
  Vwred_marker& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    pins.in_queue_i = static_cast<std::uint16_t>(request->queue);
    pins.in_bytes_i = request->queue_bytes;
    pins.in_random_i = request->random;
    pins.in_ect_i = request->ect;
  }
  rtl_->tick();
  if (!pins.out_valid_o) return {};
  const EcnAction action = pins.out_mark_o   ? EcnAction::kMark
                           : pins.out_drop_o ? EcnAction::kDrop
                                             : EcnAction::kForward;
  return {true, action, pins.out_length_o};
}

EcnAction WredMarkerTwin::decide(const EcnRequest& request) {
  Answer answer = clock(&request);
  for (unsigned i = 1; i < kLatency && !answer.valid; ++i) answer = clock(nullptr);
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  lengths_[request.queue] = answer.length;
  return answer.action;
}

bool WredMarkerTwin::draws(std::uint32_t queue, std::uint32_t queue_bytes) const {
  return shape_->draws(queue, queue_bytes);
}

std::uint64_t WredMarkerTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
