// SPDX-License-Identifier: Apache-2.0
#include "rtl/rs_fec/rs_fec_twin.h"

#include <Vrs_fec.h>
#include <Vrs_fec_rs_fec.h>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

static_assert(Vrs_fec_rs_fec::Symbols == RsFecTwin::kSymbols);

struct RsFecTwin::Rtl : RtlModel<Vrs_fec> {
  using RtlModel::RtlModel;
};

RsFecTwin::RsFecTwin(const RtlOptions& options) : rtl_(std::make_unique<Rtl>(options)) {
  rtl_->pins().enc_valid_i = rtl_->pins().chk_valid_i = 0;
  rtl_->reset();
}

RsFecTwin::~RsFecTwin() = default;

RsFecTwin::Clock RsFecTwin::clock(const std::optional<Word>& data,
                                  const std::optional<Word>& code) {
  const auto pack = [](const Word& w) {
    return w[0] | static_cast<std::uint32_t>(w[1]) << fec::kSymbolBits;
  };
  Vrs_fec& pins = rtl_->pins();
  pins.enc_valid_i = data.has_value();
  if (data) pins.enc_data_i = pack(*data);
  pins.chk_valid_i = code.has_value();
  if (code) pins.chk_data_i = pack(*code);
  rtl_->settle();
  Clock result;
  result.taken = data.has_value() && pins.enc_ready_o;
  rtl_->tick();
  if (pins.enc_valid_o) {
    result.code = Word{static_cast<fec::Symbol>(pins.enc_data_o & 0x3ff),
                       static_cast<fec::Symbol>(pins.enc_data_o >> fec::kSymbolBits)};
    result.code_last = pins.enc_last_o;
  }
  result.checked = pins.chk_valid_o;
  result.error = pins.chk_error_o;
  for (std::size_t i = 0; i < result.syndromes.size(); ++i) {
    unsigned value = 0;
    for (std::size_t b = 0; b < fec::kSymbolBits; ++b) {
      const std::size_t at = i * fec::kSymbolBits + b;
      value |= (pins.chk_syndromes_o[at / 32] >> at % 32 & 1U) << b;
    }
    result.syndromes[i] = static_cast<fec::Symbol>(value);
  }
  return result;
}

std::uint64_t RsFecTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
