// SPDX-License-Identifier: Apache-2.0
// A chip's ECMP hash in RTL, behind the interface of the C++ block.
// Leaves out: requests back to back, which the bench drives on the pins itself.
#pragma once

#include <memory>

#include "rtl/harness/rtl_options.h"
#include "switch/routing/ecmp_hash.h"

namespace sluice::rtl {

class EcmpHashTwin final : public EcmpHash {
 public:
  static constexpr unsigned kLatency = 9;  ///< clocks from request to response

  EcmpHashTwin(HashAlgorithm algorithm, const HashFields& fields, const RtlOptions& options);
  ~EcmpHashTwin() override;

  /// The default hash is computed here from the header too, but for raw frames, which have none.
  std::uint32_t bucket(const EcmpRequest& request) override;

  /// One clock with `request` at the input (null: none); the answer that comes out in this clock,
  /// that of kLatency clocks ago.
  struct Answer {
    bool valid = false;
    std::uint32_t hash = 0;
    std::uint32_t bucket = 0;
  };
  Answer clock(const EcmpRequest* request);
  std::uint64_t cycle() const;

 private:
  struct Rtl;
  std::unique_ptr<Rtl> rtl_;
  bool by_flow_hash_;
};

}  // namespace sluice::rtl
