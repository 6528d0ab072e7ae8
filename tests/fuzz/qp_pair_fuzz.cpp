// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: two NICs with a QP each way, work requests drawn from the input, and a wire on
// which frames are lost, doubled, delayed past others, damaged, marked, or come again much later,
// by the input. Leaves out: frames that no such wire could make, since messages carry no bytes.
//
// Aborts unless every work request ends once and in order, every byte and every atomic takes effect
// exactly once (unless a QP ran out of retries), PSNs stay inside what was posted, and nothing is
// left over.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "nic/nic_core.h"
#include "nic/psn.h"

namespace sluice {
namespace {

#define FUZZ_CHECK(condition)                                              \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                        \
    }                                                                      \
  } while (false)

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : next_(data), end_(data + size) {}
  bool empty() const { return next_ == end_; }
  /// 0 for ever once it is used up: then every frame arrives.
  std::uint32_t byte() { return empty() ? 0 : *next_++; }
  std::uint32_t below(std::uint32_t bound) { return byte() % bound; }

 private:
  const std::uint8_t* next_;
  const std::uint8_t* end_;
};

NicParams params_of(Input& input) {
  NicParams params = cx8();
  const std::uint32_t bits = input.byte();
  params.frequency_offset_ppm = 0;
  params.mtu_bytes = 256;
  params.timeout_code = 1;
  params.ack_every = 1 + (bits & 7);
  params.start_psn = (bits & 8) != 0 ? 0xFFFFF0 + input.below(16) : input.byte();
  params.congestion_control =
      (bits & 16) != 0 ? CongestionControl::kDcqcn : CongestionControl::kNone;
  params.timeout_spread_percent = (bits & 32) != 0 ? 300 : 0;
  const std::uint32_t verbs = input.byte();
  params.verbs.outstanding_reads = 1 + (verbs & 3);
  params.verbs.receive_queue_depth = verbs >> 2 & 3;
  params.verbs.receive_queue_shared = (verbs & 16) != 0;
  params.verbs.end_to_end_credits = (verbs & 32) != 0;
  params.verbs.receive_repost_delay = 3_us;
  params.verbs.min_rnr_timer = 1;
  if ((verbs & 64) != 0) params.loss_recovery = LossRecovery::kSelectiveRepeat;
  if ((verbs & 128) != 0) params.out_of_order_placement = true;
  params.psn_window = 64;
  params.reorder_packets = 8;
  return params;
}

/// A host, its NIC and the wire from there to the other.
class End final : public NicClient, public EventHandler {
 public:
  struct World {
    World(Input& from, PacketPool& pool) : input(from), packets(pool) {
      wheel.set_argument_prefetch(packets.base());
    }
    Input& input;
    EventWheel wheel;
    PacketPool& packets;
    MessagePool messages;
    std::vector<std::unique_ptr<End>> ends;
    std::vector<Packet> seen;  ///< may come again
  };

  End(World& world, const NicParams& params, std::uint32_t number)
      : world_(world),
        number_(number),
        nic_(params, {world.wheel, world.packets, world.messages, 1, number, nullptr}) {
    nic_.set_client(this);
    wire_ = world.wheel.add_targets(*this, 1, this, 0);
    nic_.attach(0, {.head_delay = 150_ns + Ps{number}, .target = wire_, .at_tail = true});
  }

  void post(std::uint32_t op, std::uint64_t bytes) {
    const auto operation = static_cast<Operation>(op);
    psns_posted_ += packets_of(is_atomic(operation) ? 8 : bytes, nic_.params().mtu_bytes);
    posted_.push_back({.destination = 1 - number_,
                       .op = operation,
                       .bytes = bytes,
                       .cookie = posted_.size(),
                       .remote_address = operation == Operation::kFetchAdd ? 8u : 16u,
                       .operand = 1});
    nic_.post(posted_.back());
  }

  void on_write_acked(std::uint64_t) override { FUZZ_CHECK(false); }
  void on_write_received(std::uint32_t, std::uint64_t,
                         const std::array<std::uint32_t, 4>&) override {
    FUZZ_CHECK(false);
  }
  void on_completion(const Completion& completion) override {
    FUZZ_CHECK(completion.cookie == ended_);
    const WorkRequest& request = posted_[ended_++];
    const bool good = completion.status == CompletionStatus::kSuccess;
    FUZZ_CHECK(good != failed_);
    if (!good) {
      FUZZ_CHECK(completion.status ==
                 (first_failure_ ? CompletionStatus::kRetryExceeded : CompletionStatus::kFlushed));
      first_failure_ = false;
    } else if (request.op == Operation::kFetchAdd) {
      FUZZ_CHECK(completion.result == additions_);
      ++additions_;
    }
  }
  /// SENDs and WRITEs with immediate of the other end, in the order posted there.
  void on_arrival(const Arrival& arrival) override {
    const auto& posted = world_.ends[1 - number_]->posted_;
    while (!takes_receive(posted.at(arrived_).op)) ++arrived_;
    FUZZ_CHECK(posted[arrived_].op == arrival.op && posted[arrived_].bytes == arrival.bytes);
    ++arrived_;
  }
  void on_qp_error(const std::string&) override {
    failed_ = true;
    first_failure_ = true;
  }

  /// A frame leaves the wire.
  void handle(Event event) override {
    check_psns();
    Packet& packet = world_.packets[event.argument];
    if (world_.seen.size() < 64) world_.seen.push_back(packet);
    const std::uint32_t fate = world_.input.byte();
    Ps delay{};
    if (fate > 200 && fate <= 215) return world_.packets.release(event.argument);
    if (fate > 215 && fate <= 230) delay = Ps{world_.input.byte() * 20'000ull};
    if (fate > 230 && fate <= 240) arrive(copy(packet), Ps{world_.input.byte() * 50'000ull});
    if (fate > 240 && fate <= 245) damage(packet);
    if (fate > 245 && fate <= 250) packet.ecn = Ecn::kCe;
    if (fate > 250) {
      const std::size_t which = world_.input.byte() % world_.seen.size();
      arrive(copy(world_.seen[which]), Ps{world_.input.byte() * 200'000ull});
    }
    arrive(event.argument, delay);
  }

  void check_end(bool complete) const {
    const End& other = *world_.ends[1 - number_];
    FUZZ_CHECK(complete);
    FUZZ_CHECK(ended_ == posted_.size());
    FUZZ_CHECK(nic_.idle());
    if (failed_ || other.failed_) return;
    std::uint64_t bytes = 0;
    for (const WorkRequest& request : posted_) {
      if (request.op == Operation::kRead) bytes += request.bytes;
    }
    for (const WorkRequest& request : other.posted_) {
      if (!wants_response(request.op)) bytes += request.bytes;
    }
    FUZZ_CHECK(nic_.counters().delivered_bytes == bytes);
    FUZZ_CHECK(nic_.counters().naks_sent == 0 || nic_.counters().qp_errors == 0);
  }
  bool done() const { return ended_ == posted_.size(); }
  bool failed() const { return failed_; }

 private:
  PacketId copy(const Packet& packet) {
    const PacketId id = world_.packets.allocate();
    world_.packets[id] = packet;
    return id;
  }
  void damage(Packet& packet) {
    packet.flags |= packet_flag::kCorrupt;
    packet.psn = psn_add(packet.psn, world_.input.byte());
    packet.message ^= world_.input.byte();
    packet.flow ^= world_.input.byte();
  }
  /// At the NIC it is addressed to, which may be this one for what comes again.
  void arrive(PacketId id, Ps delay) {
    End& to = *world_.ends[world_.packets[id].destination];
    const ReceivePath path = to.nic_.receive_path(0);
    Ps time = world_.wheel.now() + path.head_delay + 150_ns + delay;
    while (!to.arrivals_.insert(time.value).second) time = time + Ps{1};
    world_.wheel.post(time, path.target, path.frame_kind, id);
  }
  void check_psns() const {
    if (nic_.requester().qp_count() == 0) return;
    const QpHot& qp = nic_.requester().qp(0);
    if (qp.path == QpPath::kResponses) return;
    const std::uint64_t open = psn_distance(qp.next_psn, qp.una_psn) + qp.resend_left;
    FUZZ_CHECK(open <= psns_posted_);
    FUZZ_CHECK(qp.next_psn <= kPsnMask && qp.una_psn <= kPsnMask);
  }

  World& world_;
  std::uint32_t number_;
  NicCore nic_;
  TargetId wire_ = 0;
  std::vector<WorkRequest> posted_;
  std::uint64_t psns_posted_ = 0;
  std::size_t ended_ = 0;
  std::size_t arrived_ = 0;
  std::uint64_t additions_ = 0;
  bool failed_ = false;
  bool first_failure_ = false;
  std::set<std::uint64_t> arrivals_;
};

void run(Input input, PacketPool& packets) {
  const NicParams params = params_of(input);
  const std::size_t live = packets.live();
  End::World world(input, packets);
  for (std::uint32_t i = 0; i < 2; ++i)
    world.ends.push_back(std::make_unique<End>(world, params, i));
  const std::uint32_t requests = input.below(24);
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::uint32_t what = input.byte();
    const std::uint64_t bytes = (what >> 4) * 97ull * (input.byte() & 3);
    world.ends[what & 1]->post((what >> 1 & 7) % 7, bytes);
  }
  // Frames stop being lost with the input; what is left then takes a few retries at most.
  constexpr Ps kLongEnough = 100'000_us;
  world.wheel.run_before(kLongEnough);
  for (const auto& end : world.ends) end->check_end(end->done());
  // A QP that failed may leave packets that its receiver keeps for their turn.
  const bool failed = world.ends[0]->failed() || world.ends[1]->failed();
  FUZZ_CHECK(failed || (packets.live() == live && world.messages.live() == 0));
}

}  // namespace
}  // namespace sluice

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  // Address space that is slow to reserve under the sanitizers; empty between runs.
  static sluice::PacketPool packets;
  sluice::run(sluice::Input(data, size), packets);
  return 0;
}
