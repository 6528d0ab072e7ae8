// SPDX-License-Identifier: Apache-2.0
#include "rtl/ecmp_hash/ecmp_hash_twin.h"

#include <Vecmp_hash.h>
#include <Vecmp_hash_ecmp_hash.h>

#include "rtl/harness/rtl_model.h"

namespace sluice::rtl {

struct EcmpHashTwin::Rtl : RtlModel<Vecmp_hash> {
  using RtlModel::RtlModel;
};

namespace {

static_assert(Vecmp_hash_ecmp_hash::Latency == EcmpHashTwin::kLatency);

unsigned code_of(HashAlgorithm algorithm) {
  switch (algorithm) {
    case HashAlgorithm::kXor:
      return 1;
    case HashAlgorithm::kToeplitz:
      return 2;
    case HashAlgorithm::kCrc32:
      break;
  }
  return 0;
}

/// First byte on top.
template <class Wide>
void drive_address(Wide& pins, const std::array<std::uint8_t, 16>& address) {
  for (unsigned word = 0; word < 4; ++word) {
    const std::uint8_t* bytes = address.data() + 12 - 4 * word;
    pins[word] = std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
                 std::uint32_t{bytes[2]} << 8 | bytes[3];
  }
}

}  // namespace

EcmpHashTwin::EcmpHashTwin(HashAlgorithm algorithm, const HashFields& fields,
                           const RtlOptions& options)
    : rtl_(std::make_unique<Rtl>(options)), by_flow_hash_(is_flow_hash(algorithm, fields)) {
  Vecmp_hash& pins = rtl_->pins();
  pins.in_valid_i = 0;
  pins.cfg_algorithm_i = static_cast<std::uint8_t>(code_of(algorithm));
  unsigned chosen = 0;
  unsigned bit = 0;
  for (const bool field : {fields.src_ip, fields.dst_ip, fields.protocol, fields.src_port,
                           fields.dst_port, fields.dst_qp}) {
    chosen |= (field ? 1u : 0u) << bit++;
  }
  pins.cfg_fields_i = static_cast<std::uint8_t>(chosen);
  rtl_->reset();
}

EcmpHashTwin::~EcmpHashTwin() = default;

EcmpHashTwin::Answer EcmpHashTwin::clock(const EcmpRequest* request) {
  Vecmp_hash& pins = rtl_->pins();
  pins.in_valid_i = request != nullptr;
  if (request != nullptr) {
    const HashInput& header = request->header;
    pins.in_ipv6_i = header.ipv6;
    drive_address(pins.in_source_i, header.source);
    drive_address(pins.in_destination_i, header.destination);
    pins.in_protocol_i = header.protocol;
    pins.in_source_port_i = header.source_port;
    pins.in_destination_port_i = header.destination_port;
    pins.in_qp_i = header.qp;
    pins.in_given_i = by_flow_hash_ && request->raw;
    pins.in_hash_i = request->flow_hash;
    pins.in_seed_i = request->seed;
    pins.in_buckets_i = request->buckets;
  }
  rtl_->tick();
  if (!pins.out_valid_o) return {};
  return {true, pins.out_hash_o, pins.out_bucket_o};
}

std::uint32_t EcmpHashTwin::bucket(const EcmpRequest& request) {
  Answer answer = clock(&request);
  for (unsigned i = 1; i < kLatency && !answer.valid; ++i) answer = clock(nullptr);
  if (!answer.valid) throw RtlError(fmt::format("no answer after {} clocks", kLatency));
  return answer.bucket;
}

std::uint64_t EcmpHashTwin::cycle() const { return rtl_->cycle(); }

}  // namespace sluice::rtl
