// SPDX-License-Identifier: Apache-2.0
#include "nic/pcie/pcie_params.h"

#include <array>
#include <bit>
#include <string_view>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr ParameterRange kLatency{0, 1e9};

void describe_link(PcieParams& p, ParameterVisitor& v) {
  v.visit("generation", p.generation, {5, 6},
          {"5: 32 GT/s, 128b/130b, 24 B around a TLP; 6: 64 GT/s, 236 of 256 B of a flit, 16 B",
           "PCIe 6.0; ConnectX-8 brief"});
  v.visit("lanes", p.lanes, {1, 32},
          {"lanes; 32 stands for two x16 links (socket direct)", "ConnectX-8 brief", "lanes"});
  v.visit("max_payload_bytes", p.max_payload_bytes, {128, 4096},
          {"payload of a TLP, a power of two", "PCIe 6.0 2.2.2; hosts set 256 or 512", "B"});
  v.visit(
      "read_request_bytes", p.read_request_bytes, {128, 4096},
      {"size of a read request, a power of two", "PCIe 6.0 7.5.3.4; hosts set 512 to 4096", "B"});
  v.visit("outstanding_reads", p.outstanding_reads, {1, 1024},
          {"read requests at once", "estimate", "requests"});
  v.visit("read_latency", p.read_latency, kLatency,
          {"read request to its first completion", "estimate: DRAM 600 ns, GPU memory 800 ns"});
  v.visit("posted_credits", p.posted_credits, {1, 65536},
          {"TLPs that may be written before the host gives credits back", "estimate", "TLPs"});
  v.visit("credit_return_latency", p.credit_return_latency, kLatency,
          {"TLP written to its credit back", "estimate"});
}

}  // namespace

void PcieParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 2> kModels{"latency", "transactions"};
  v.visit("model", model, kModels,
          {"latency: the NIC's named latencies stand for the host side, the rest here is idle; "
           "transactions: reads, writes, caches and the message rate are modelled",
           "choice of the experiment"});
  describe_link(*this, v);
  v.visit("prefetch_bytes", prefetch_bytes, {0, 1e9},
          {"payload read ahead while the MAC waits", "estimate: all read requests at once"});
  v.visit("inline_wqe", inline_wqe,
          {"the doorbell carries the WQE, which saves a read", "mlx5: BlueFlame"});
  v.visit("wqe_bytes", wqe_bytes, {64, 1024},
          {"work request in the host's queue", "mlx5: blocks of 64 B", "B"});
  v.visit("cqe_bytes", cqe_bytes, {0, 128},
          {"completion written to the host", "mlx5: 64 or 128 B", "B"});
  v.visit("context_entries", context_entries, {1, 16777216},
          {"QP contexts that the NIC holds", "estimate", "QPs"});
  v.visit("context_miss", context_miss, kLatency,
          {"to fetch one from the host", "estimate: a read"});
  v.visit("translation_entries", translation_entries, {1, 16777216},
          {"page addresses that the NIC holds", "estimate", "pages"});
  v.visit("page_bytes", page_bytes, {4096, 1e12},
          {"page of registered memory", "Linux: 4 KiB, 2 MiB"});
  v.visit("translation_miss", translation_miss, kLatency,
          {"to fetch one from the host", "estimate: a read"});
  v.visit("parallel_misses", parallel_misses, {1, 1024},
          {"fetches that a receiver has under way: it waits for one in so many", "estimate"});
  v.visit("messages_per_second", messages_per_second, {0, 1e12},
          {"messages that the NIC can begin; 0: any number", "estimate: ConnectX-7 330 to 370 M",
           "1/s"});
}

void PcieParams::validate() const {
  const auto need = [](bool good, std::string_view key, std::uint64_t value,
                       std::string_view expected) {
    if (!good) throw ConfigError(fmt::format("pcie.{}: {}, expected {}", key, value, expected));
  };
  const auto power = [](std::uint32_t value) {
    return value >= 128 && value <= 4096 && std::has_single_bit(value);
  };
  need(generation == 5 || generation == 6, "generation", generation, "5 or 6");
  need(lanes >= 1 && lanes <= 32, "lanes", lanes, "1..32");
  need(power(max_payload_bytes), "max_payload_bytes", max_payload_bytes,
       "a power of two, 128..4096");
  need(power(read_request_bytes), "read_request_bytes", read_request_bytes,
       "a power of two, 128..4096");
  need(outstanding_reads != 0, "outstanding_reads", 0, "at least 1");
  need(posted_credits != 0, "posted_credits", 0, "at least 1");
  need(wqe_bytes >= 64 && wqe_bytes <= 1024, "wqe_bytes", wqe_bytes, "64..1024");
  need(context_entries != 0, "context_entries", 0, "at least 1");
  need(translation_entries != 0, "translation_entries", 0, "at least 1");
  need(page_bytes.value >= 4096, "page_bytes", page_bytes.value, "at least 4096 B");
  need(parallel_misses != 0, "parallel_misses", 0, "at least 1");
  if (!transactions() && *this != PcieParams{}) {
    throw ConfigError("pcie.model: latency, expected transactions beside other keys of pcie");
  }
}

}  // namespace sluice
