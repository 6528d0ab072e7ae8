// SPDX-License-Identifier: Apache-2.0
// Lock-step bench of the ECMP hash: up to a packet every clock, hash, bucket and latency compared
// with the C++ block. Directed: every algorithm with every single field, none and all, keys of 0 to
// 40 bytes; then bursts at random with the configuration changed now and then.
#include <deque>
#include <memory>

#include "rtl/ecmp_hash/ecmp_hash_twin.h"
#include "switch/routing/route_table.h"
#include "testbenches/cosim/harness/bench.h"
#include "testbenches/cosim/harness/record.h"

namespace sluice::cosim {
namespace {

using rtl::EcmpHashTwin;

HashFields fields_of(unsigned mask) {
  return {(mask & 1) != 0, (mask & 2) != 0,  (mask & 4) != 0,
          (mask & 8) != 0, (mask & 16) != 0, (mask & 32) != 0};
}

class Lockstep {
 public:
  Lockstep(BenchRun& run, HashAlgorithm algorithm, const HashFields& fields)
      : run_(run),
        hash_(algorithm, fields, false),
        by_flow_hash_(is_flow_hash(algorithm, fields)),
        model_(make_ecmp_hash(algorithm, fields)),
        rtl_(algorithm, fields, run.rtl_options()) {
    run_.at_cycle(rtl_.cycle());
  }

  void clock(const EcmpRequest* request) {
    const EcmpHashTwin::Answer answer = rtl_.clock(request);
    if (request != nullptr) {
      run_.count_transaction();
      const std::uint32_t hash = by_flow_hash_ ? request->flow_hash : hash_.of(request->header);
      due_.push_back({rtl_.cycle() + EcmpHashTwin::kLatency - 1, hash, model_->bucket(*request)});
    }
    const bool is_due = !due_.empty() && due_.front().cycle == rtl_.cycle();
    run_.expect("out_valid_o", is_due, answer.valid);
    if (is_due) {
      run_.expect("out_hash_o", due_.front().hash, answer.hash);
      run_.expect("out_bucket_o", due_.front().bucket, answer.bucket);
      due_.pop_front();
    }
    run_.at_cycle(rtl_.cycle());
  }
  void drain() {
    for (unsigned i = 0; i <= EcmpHashTwin::kLatency; ++i) clock(nullptr);
  }

 private:
  struct Due {
    std::uint64_t cycle;
    std::uint32_t hash;
    std::uint32_t bucket;
  };
  BenchRun& run_;
  HeaderHash hash_;
  bool by_flow_hash_;
  std::unique_ptr<EcmpHash> model_;
  EcmpHashTwin rtl_;
  std::deque<Due> due_;
};

EcmpRequest random_request(RandomStream& random) {
  EcmpRequest r;
  HashInput& h = r.header;
  h.ipv6 = random.below(2) == 0;
  for (std::uint8_t& byte : h.source) byte = static_cast<std::uint8_t>(random.below(256));
  for (std::uint8_t& byte : h.destination) byte = static_cast<std::uint8_t>(random.below(256));
  h.protocol = static_cast<std::uint8_t>(random.below(256));
  h.source_port = static_cast<std::uint16_t>(random.next_u32());
  h.destination_port = static_cast<std::uint16_t>(random.next_u32());
  h.qp = random.below(1u << 24);
  r.raw = random.below(8) == 0;
  // A NIC computes the default hash; a raw stream has what it likes.
  r.flow_hash = r.raw ? random.next_u32() : HeaderHash(HashAlgorithm::kCrc32, {}, false).of(h);
  r.seed = random.next_u32();
  r.buckets = random.below(4) == 0 ? random.next_u32() | 1 : 1 + random.below(512);
  return r;
}

/// Headers of few bits, spread over all places of the key and of the Toeplitz window.
void directed(BenchRun& run) {
  for (const HashAlgorithm algorithm :
       {HashAlgorithm::kCrc32, HashAlgorithm::kXor, HashAlgorithm::kToeplitz}) {
    for (const unsigned mask : {0u, 1u, 2u, 4u, 8u, 16u, 32u, 31u, 63u}) {
      Lockstep bench(run, algorithm, fields_of(mask));
      for (unsigned bit = 0; bit < 128; bit += 5) {
        EcmpRequest r;
        r.header.ipv6 = bit % 2 == 0;
        r.header.source[bit / 8] = r.header.destination[15 - bit / 8] =
            static_cast<std::uint8_t>(1u << bit % 8);
        r.header.source_port = static_cast<std::uint16_t>(1u << bit % 16);
        r.header.destination_port = static_cast<std::uint16_t>(~r.header.source_port);
        r.header.protocol = static_cast<std::uint8_t>(bit);
        r.header.qp = 1u << bit % 24;
        r.flow_hash = HeaderHash(HashAlgorithm::kCrc32, {}, false).of(r.header);
        r.raw = bit % 3 == 0;
        if (r.raw) r.flow_hash = ~r.flow_hash;
        r.seed = bit;
        r.buckets = UINT32_MAX - bit;
        bench.clock(&r);
      }
      bench.drain();
    }
  }
}

void random(BenchRun& run) {
  while (run.cycles_left() > 0) {
    Lockstep bench(run, static_cast<HashAlgorithm>(run.random().below(3)),
                   fields_of(run.random().below(3) == 0 ? 31 : run.random().below(64)));
    Bursts busy(run.random());
    for (unsigned i = 0; i < 2000 && run.cycles_left() > 0; ++i) {
      if (!busy.next()) {
        bench.clock(nullptr);
        continue;
      }
      const EcmpRequest r = random_request(run.random());
      bench.clock(&r);
    }
    bench.drain();
  }
}

EcmpRequest read_request(RecordReader& in) {
  if (in.kind() != "bucket") in.refuse("bucket");
  EcmpRequest r;
  HashInput& h = r.header;
  h.ipv6 = in.flag("IPV6");
  for (std::uint8_t& byte : h.source) byte = in.number<std::uint8_t>("SOURCE");
  for (std::uint8_t& byte : h.destination) byte = in.number<std::uint8_t>("DESTINATION");
  h.protocol = in.number<std::uint8_t>("PROTOCOL");
  h.source_port = in.number<std::uint16_t>("SOURCE_PORT");
  h.destination_port = in.number<std::uint16_t>("DESTINATION_PORT");
  h.qp = in.number<std::uint32_t>("QP");
  r.flow_hash = in.number<std::uint32_t>("FLOW_HASH");
  r.raw = in.flag("RAW");
  r.seed = in.number<std::uint32_t>("SEED");
  r.buckets = in.number<std::uint32_t>("BUCKETS");
  return r;
}

/// What a running chip was asked (run --rtl-record): its algorithm and fields, then requests.
void replay(BenchRun& run) {
  RecordReader in(run, "ecmp_hash");
  in.expect_config("hash");
  const auto algorithm = static_cast<HashAlgorithm>(in.index("ALGORITHM", 3));
  HashFields f;
  f.src_ip = in.flag("SRC_IP");
  f.dst_ip = in.flag("DST_IP");
  f.protocol = in.flag("PROTOCOL");
  f.src_port = in.flag("SRC_PORT");
  f.dst_port = in.flag("DST_PORT");
  f.dst_qp = in.flag("DST_QP");
  Lockstep bench(run, algorithm, f);
  while (in.next()) {
    const EcmpRequest r = read_request(in);
    bench.clock(&r);
  }
  bench.drain();
}

void run_all(BenchRun& run) {
  if (!run.options().replay.empty()) return replay(run);
  directed(run);
  random(run);
}

}  // namespace

Bench ecmp_hash_bench() {
  return {"ecmp_hash",
          {"source port with its bytes swapped", "protocol in the key though it is not chosen",
           "length of an IPv6 address as that of IPv4", "CRC register starts at 0",
           "CRC takes a byte too many", "Toeplitz key does not wrap",
           "CRC without its final complement", "given hash of a raw frame ignored",
           "second shift of the mix is wrong", "last shift of the mix left out"},
          run_all};
}

}  // namespace sluice::cosim
