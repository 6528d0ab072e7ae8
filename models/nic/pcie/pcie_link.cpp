// SPDX-License-Identifier: Apache-2.0
#include "nic/pcie/pcie_link.h"

#include <algorithm>
#include <cmath>

namespace sluice {
namespace {

constexpr double kOne = static_cast<double>(std::uint64_t{1} << kPcieFractionBits);

std::uint64_t ps_per(double units_per_second) {
  return static_cast<std::uint64_t>(std::llround(1e12 / units_per_second * kOne));
}

/// GT/s a lane times coding: 128b/130b (PCIe 5.0 4.2.2), 236 B of each 256-B flit (PCIe 6.0 4.2.3).
double lane_bytes_per_second(std::uint32_t generation) {
  return generation == 5 ? 32e9 / 8 * 128 / 130 : 64e9 / 8 * 236 / 256;
}

}  // namespace

Ps PcieServer::take(std::uint64_t bytes, std::uint64_t ps_per_byte, Ps now, Ps ahead) {
  const std::uint64_t earliest = now > ahead ? (now - ahead).value : 0;
  free_at_ = std::max(free_at_, __uint128_t{earliest} << kPcieFractionBits);
  free_at_ += __uint128_t{bytes} * ps_per_byte;
  return Ps{static_cast<std::uint64_t>((free_at_ + (std::uint64_t{1} << kPcieFractionBits) - 1) >>
                                       kPcieFractionBits)};
}

void PcieServer::start_at(Ps now) {
  free_at_ = std::max(free_at_, __uint128_t{now.value} << kPcieFractionBits);
}

PcieLink::PcieLink(const PcieParams& params)
    : header_bytes_(params.generation == 5 ? 24 : 16),
      max_payload_(params.max_payload_bytes),
      read_request_(params.read_request_bytes),
      bytes_per_second_(params.lanes * lane_bytes_per_second(params.generation)),
      outstanding_reads_per_second_(
          params.read_latency.value == 0
              ? 1e18
              : double{1} * params.outstanding_reads * params.read_request_bytes /
                    (static_cast<double>(params.read_latency.value) * 1e-12)),
      credits_per_second_(
          params.credit_return_latency.value == 0
              ? 1e18
              : params.posted_credits /
                    (static_cast<double>(params.credit_return_latency.value) * 1e-12)),
      ps_per_byte_(ps_per(bytes_per_second_)),
      ps_per_read_byte_(ps_per(outstanding_reads_per_second_)),
      ps_per_posted_tlp_(ps_per(credits_per_second_)),
      ahead_{static_cast<std::uint64_t>(static_cast<double>(params.prefetch_bytes.value) * 1e12 /
                                        payload_bytes_per_second())} {}

double PcieLink::payload_bytes_per_second() const {
  const auto full = static_cast<double>(max_payload_);
  return bytes_per_second_ * full / (full + static_cast<double>(header_bytes_));
}

std::uint64_t PcieLink::tlp_bytes(std::uint64_t payload) const {
  return payload + (payload + max_payload_ - 1) / max_payload_ * header_bytes_;
}

double PcieLink::read_bytes_per_second() const {
  return std::min(payload_bytes_per_second(), outstanding_reads_per_second_);
}

double PcieLink::write_bytes_per_second() const {
  return std::min(payload_bytes_per_second(),
                  credits_per_second_ * static_cast<double>(max_payload_));
}

Ps PcieLink::read(std::uint64_t payload, Ps now) {
  if (payload == 0) return now;
  // The requests share the other direction with what is written.
  const std::uint64_t requests = (payload + read_request_ - 1) / read_request_;
  writes_.take(requests * header_bytes_, ps_per_byte_, now, ahead_);
  return std::max({now, reads_.take(tlp_bytes(payload), ps_per_byte_, now, ahead_),
                   tags_.take(payload, ps_per_read_byte_, now, ahead_)});
}

Ps PcieLink::write(std::uint64_t payload, Ps now) {
  if (payload == 0) return now;
  const std::uint64_t tlps = (payload + max_payload_ - 1) / max_payload_;
  return std::max(writes_.take(tlp_bytes(payload), ps_per_byte_, now),
                  credits_.take(tlps, ps_per_posted_tlp_, now));
}

}  // namespace sluice
