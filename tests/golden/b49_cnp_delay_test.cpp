// SPDX-License-Identifier: Apache-2.0
// User's report B49 in a running chip: what a NIC's CNP delay adds to the longest queue where 100G
// goes into 25G. Leaves out: other delays and speeds (testbenches/studies/s3-cnp-delay.yaml).
#include <gtest/gtest.h>

#include "golden/running_fabric.h"

namespace sluice::golden {
namespace {

struct Peak {
  std::uint64_t wire_bytes;  ///< longest queue of the receiver's port, preamble and gap included
  std::uint64_t pauses;
};

/// The largest value of a counter over the chip's entities of a kind.
std::uint64_t largest(RunningFabric& fabric, std::string_view kind, std::string_view counter) {
  fabric.fabric().settle();
  std::uint64_t most = 0;
  for (const CounterTable& table : fabric.statistics().tables()) {
    if (table.kind != kind) continue;
    for (const CounterField& field : table.fields) {
      if (field.name != counter) continue;
      for (std::size_t i = 0; i < table.count; ++i) most = std::max(most, table.read(i, field));
    }
  }
  return most;
}

Peak longest_queue(const std::string& cnp_delay) {
  const auto fabric = RunningFabric::of(fabric_of(fmt::format(R"(
fabric: {{type: single_switch, hosts: 5, link: {{rate: 25Gbps, length: 30m}}}}
switch:
  preset: spectrum4
  freq_offset_ppm: 0
  ecn: {{kmin_bytes: 100kB, kmax_bytes: 100kB, mark_at: dequeue}}
nic: {{preset: cx7, frequency_offset_ppm: 0, cnp_generation_latency: {}}}
workload: {{type: incast, dst: 0, first: 1, count: 4, bytes: 1MiB}}
)",
                                                              cnp_delay)));
  fabric->run();
  const ChipReport report = fabric->chip(0).report();
  constexpr std::uint64_t kFrame = 4158;
  return {largest(*fabric, "queue", "peak_bytes") * (kFrame + 20) / kFrame, report.pfc_xoff_frames};
}

TEST(FieldReport, B49_ACnpDelayOf55MicrosecondsAdds515625BytesOfQueue) {
  const Peak prompt = longest_queue("0ps");
  const Peak late = longest_queue("55us");
  EXPECT_EQ(prompt.pauses + late.pauses, 0u);
  // (100 - 25) Gb/s x 55 us. A round trip of rate granularity: what comes in net in one frame's
  // time at each end, three frames of 4178 B each.
  EXPECT_NEAR(static_cast<double>(late.wire_bytes) - static_cast<double>(prompt.wire_bytes),
              515'625, 2 * 3 * 4178);
}

}  // namespace
}  // namespace sluice::golden
