// SPDX-License-Identifier: Apache-2.0
#include "rtl/icrc_engine/icrc_engine_twin.h"

#include <Vicrc_engine.h>

#include <cstring>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct IcrcEngineTwin::Rtl : RtlModel<Vicrc_engine> {
  using RtlModel::RtlModel;
};

IcrcEngineTwin::IcrcEngineTwin(const RtlOptions& options) : rtl_(std::make_unique<Rtl>(options)) {
  rtl_->pins().in_valid_i = 0;
  rtl_->pins().out_ready_i = 1;
  rtl_->reset();
}

IcrcEngineTwin::~IcrcEngineTwin() = default;

IcrcEngineTwin::Clock IcrcEngineTwin::clock(std::span<const std::uint8_t> word, bool last,
                                            bool out_ready) {
  Vicrc_engine& pins = rtl_->pins();
  pins.in_valid_i = !word.empty();
  pins.in_last_i = last;
  pins.out_ready_i = out_ready;
  if (!word.empty()) {
    std::memcpy(&pins.in_data_i[0], word.data(), word.size());
    pins.in_keep_i = word.size() == kWordBytes ? ~0ULL : (1ULL << word.size()) - 1;
  }
  rtl_->settle();
  const Clock result{pins.in_valid_i && pins.in_ready_o, pins.out_valid_o && out_ready,
                     pins.out_crc_o, pins.out_good_o != 0};
  rtl_->tick();
  return result;
}

std::uint64_t IcrcEngineTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
