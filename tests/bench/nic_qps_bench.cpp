// SPDX-License-Identifier: Apache-2.0
// One NIC with ten thousand QPs at work, by congestion control: real time and peak memory of a
// packet's way through the sender alone. The wire takes data, acknowledges what asks for it,
// answers probes and sends a CNP now and then. Leaves out: receivers, switches, the host.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "nic/nic_core.h"
#include "packet/aeth.h"

namespace sluice {
namespace {

class Far final : public EventHandler {
 public:
  Far(EventWheel& wheel, PacketPool& packets, NicCore& nic) : packets_(packets), wheel_(wheel) {
    const TargetId target = wheel.add_targets(*this, 1, this, 0);
    nic.attach(0, {.head_delay = 500_ns, .target = target, .pfc_kind = 1, .at_tail = true});
    back_ = nic.receive_path(0);
  }
  void handle(Event event) override {
    Packet& packet = packets_[event.argument];
    if (packet.kind == PacketKind::kProbe) return send(event, PacketKind::kProbeReply);
    ++data_packets;
    if ((packet.flags & packet_flag::kAckReq) != 0) {
      packet.message = aeth::word(aeth::kAckUnlimited, 0);
      return send(event, PacketKind::kAck);
    }
    if (data_packets % 1009 == 0) return send(event, PacketKind::kCnp);
    packets_.release(event.argument);
  }
  std::uint64_t data_packets = 0;

 private:
  void send(const Event& event, PacketKind kind) {
    Packet& packet = packets_[event.argument];
    std::swap(packet.source, packet.destination);
    packet.kind = kind;
    packet.message = kind == PacketKind::kProbeReply ? 0 : packet.message;
    packet.flags = 0;
    packet.offset_bytes = kind == PacketKind::kAck ? 0 : packet.offset_bytes;
    wheel_.post(event.time + 500_ns + back_.head_delay, back_.target, back_.frame_kind,
                event.argument);
  }
  PacketPool& packets_;
  EventWheel& wheel_;
  ReceivePath back_;
};

void run(const char* name, CongestionControl control, std::uint32_t qps, std::uint64_t bytes) {
  NicParams params = cx8();
  params.congestion_control = control;
  EventWheel wheel;
  PacketPool packets;
  MessagePool messages;
  NicCore nic(params, {wheel, packets, messages, 1, 0, nullptr});
  Far far(wheel, packets, nic);
  for (std::uint32_t to = 1; to <= qps; ++to) nic.post_write({to, bytes, 0, {}});
  const auto start = std::chrono::steady_clock::now();
  wheel.run_before(kNever);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (!nic.idle()) std::abort();
  std::printf("one NIC, %u QPs, %-6s %9llu packets %7.1f ns a packet, peak %6.1f MiB\n", qps, name,
              static_cast<unsigned long long>(far.data_packets),
              time.count() / static_cast<double>(far.data_packets),
              static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace
}  // namespace sluice

/// usage: bench_nic_qps [QPS [BYTES]]
int main(int argc, char** argv) {
  using sluice::CongestionControl;
  const auto qps = static_cast<std::uint32_t>(argc > 1 ? std::atoi(argv[1]) : 10'000);
  const std::uint64_t bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 400'000;
  sluice::run("none", CongestionControl::kNone, qps, bytes);
  sluice::run("dcqcn", CongestionControl::kDcqcn, qps, bytes);
  sluice::run("rttcc", CongestionControl::kRttcc, qps, bytes);
}
