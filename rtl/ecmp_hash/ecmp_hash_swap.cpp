// SPDX-License-Identifier: Apache-2.0
#include "rtl/ecmp_hash/ecmp_hash_swap.h"

#include <fmt/ranges.h>

#include "rtl/ecmp_hash/ecmp_hash_twin.h"
#include "rtl/swap/both.h"

namespace sluice::rtl {
namespace {

class EcmpHashSwap final : public EcmpHash {
 public:
  EcmpHashSwap(std::unique_ptr<EcmpHash> model, std::unique_ptr<EcmpHash> twin,
               const RoutingParams& params, const BlockPlace& place, const SwapMode& mode)
      : both_("ecmp_hash", std::move(model), std::move(twin), place, mode) {
    if (!both_.watch().records()) return;
    const HashFields& f = params.hash_fields;
    both_.watch().record(fmt::format("hash {} {} {} {} {} {} {}", static_cast<int>(params.hash),
                                     int{f.src_ip}, int{f.dst_ip}, int{f.protocol}, int{f.src_port},
                                     int{f.dst_port}, int{f.dst_qp}));
  }

  std::uint32_t bucket(const EcmpRequest& r) override {
    const HashInput& h = r.header;
    return both_.ask(
        [&] {
          return fmt::format("bucket {} {} {} {} {} {} {} {} {} {} {}", int{h.ipv6},
                             fmt::join(h.source, " "), fmt::join(h.destination, " "), h.protocol,
                             h.source_port, h.destination_port, h.qp, r.flow_hash, int{r.raw},
                             r.seed, r.buckets);
        },
        [&] {
          return fmt::format("{:02x} to {:02x}, source port {}, QP {}, {} buckets",
                             fmt::join(h.source, ""), fmt::join(h.destination, ""), h.source_port,
                             h.qp, r.buckets);
        },
        [&](EcmpHash& of) { return of.bucket(r); },
        [](std::uint32_t model, std::uint32_t rtl, const auto& expect) {
          expect("bucket", model, rtl);
        });
  }

 private:
  Both<EcmpHash> both_;
};

}  // namespace

std::unique_ptr<EcmpHash> swap_ecmp_hash(std::unique_ptr<EcmpHash> model,
                                         const RoutingParams& params, const BlockPlace& place,
                                         const SwapMode& mode) {
  std::unique_ptr<EcmpHash> twin;
  if (mode.rtl) {
    twin = std::make_unique<EcmpHashTwin>(params.hash, params.hash_fields, mode.options);
  }
  return std::make_unique<EcmpHashSwap>(std::move(model), std::move(twin), params, place, mode);
}

}  // namespace sluice::rtl
