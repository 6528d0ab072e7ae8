// SPDX-License-Identifier: Apache-2.0
#include "testbenches/cosim/mmu_admission/mmu_replay.h"

#include <string>

#include "config/config_reader.h"
#include "config/config_tree.h"
#include "kernel/error.h"
#include "rtl/mmu_admission/mmu_admission_twin.h"

namespace sluice::cosim {
namespace {

/// One value at a time, so that what is wrong with it is said of its line.
void apply(RecordReader& in, const std::string& assignment, MmuParams& params) {
  try {
    ConfigTree tree = ConfigTree::empty("record");
    tree.apply(assignment);
    ConfigNode node = tree.open();
    ConfigReader reader(node);
    params.describe(reader);
    node.finish();
  } catch (const ConfigError& error) {
    in.refuse(std::string("a value of the MMU (") + error.what() + ")");
  }
}

}  // namespace

MmuSetup read_mmu_setup(RecordReader& in) {
  constexpr auto kMaxPorts = static_cast<std::uint32_t>(rtl::MmuAdmissionTwin::kMaxPorts);
  MmuSetup setup;
  MmuGeometry& geometry = setup.geometry;
  in.expect_config("geometry");
  geometry.ports = in.number("PORTS", kMaxPorts);
  geometry.queues_per_port = in.number<std::uint32_t>("QUEUES_PER_PORT", UINT8_MAX);
  while (in.config("pg")) {
    PgOverride& o = setup.params.pg_overrides.emplace_back();
    o.port = static_cast<decltype(o.port)>(in.index("PORT", geometry.ports));
    o.pg = static_cast<decltype(o.pg)>(in.index("PG", kPriorityGroups));
  }
  while (in.config("queue")) {
    QueueOverride& o = setup.params.queue_overrides.emplace_back();
    o.port = static_cast<decltype(o.port)>(in.index("PORT", geometry.ports));
    o.queue = static_cast<decltype(o.queue)>(in.index("QUEUE", geometry.queues_per_port));
  }
  in.expect_config("set");
  do {
    apply(in, in.rest(), setup.params);
  } while (in.config("set"));
  return setup;
}

MmuReplayed read_mmu_request(RecordReader& in, const MmuGeometry& geometry) {
  MmuReplayed read;
  read.release = in.kind() == "release";
  if (!read.release && in.kind() != "admit") in.refuse("admit or release");
  MmuRequest& r = read.request;
  r.ingress_port = static_cast<decltype(r.ingress_port)>(in.index("INGRESS_PORT", geometry.ports));
  r.pg = static_cast<std::uint8_t>(in.index("PG", kPriorityGroups));
  r.egress_port = static_cast<decltype(r.egress_port)>(in.index("EGRESS_PORT", geometry.ports));
  r.queue = static_cast<std::uint8_t>(in.index("QUEUE", geometry.queues_per_port));
  r.cells = in.number<decltype(r.cells)>("CELLS");
  if (r.cells == 0) in.refuse("CELLS of at least 1");
  return read;
}

}  // namespace sluice::cosim
