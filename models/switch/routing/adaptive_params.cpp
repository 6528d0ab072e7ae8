// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/adaptive_params.h"

#include <algorithm>
#include <array>

#include "kernel/error.h"

namespace sluice {
namespace {

constexpr ParameterRange kIdleRange{1e6, 2047e6};      // 1 us .. 2047 us
constexpr ParameterRange kSamplingRange{1e6, 1000e6};  // 1 us .. 1 ms
constexpr ParameterRange kFlowSetRange{16, 32768};

void check_idle(Ps idle, std::string_view per_packet) {
  if (idle < 1_us || idle > 2047_us) {
    throw ConfigError(
        fmt::format("idle_time: {} ns, expected 1 us to 2047 us; {} chooses afresh "
                    "for every packet",
                    idle.value / 1000, per_packet));
  }
}

}  // namespace

void DlbParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 5> kModes{
      "flowlet_quality", "flowlet_random", "packet_quality", "packet_random", "fixed"};
  v.visit("mode", mode, kModes, {"what is placed, and whether by quality", "SAI saiars.h"});
  v.visit("flow_sets", flow_sets, kFlowSetRange,
          {"macro-flows of a group; flows that share one move together",
           "SAI_ARS_ATTR_MAX_FLOWS 512", "flow sets"});
  v.visit("idle_time", idle_time, kIdleRange,
          {"silence after which a flow set is placed afresh", "SAI_ARS_ATTR_IDLE_TIME 256 us"});
  v.visit("sampling_interval", sampling_interval, kSamplingRange,
          {"time between samples of loads and queues", "SAI ARS profile: 16 us"});
  v.visit("ewma_exponent", ewma_exponent, {0, 15},
          {"average += (sample - average) / 2^this", "SAI ARS profile: 2"});
  v.visit("weight_load", weight_load, {0, 255},
          {"weight of the past load (bytes sent)", "SAI ARS profile: 16"});
  v.visit("weight_queue", weight_queue, {0, 255},
          {"weight of the future load (bytes queued)", "SAI ARS profile: 16"});
  v.visit("load_current", load_current,
          {"averages snap down to a lower sample", "SAI ARS profile: port load current, off"});
  v.visit("bands", bands, {2, 8}, {"quality bands", "a vendor's DLB guide: 8"});
  v.visit("load_min_percent", load_min_percent, {0, 100},
          {"load of a port in the best band", "estimate", "%"});
  v.visit("load_max_percent", load_max_percent, {0, 100},
          {"load of a port in the worst band", "estimate", "%"});
  v.visit("queue_min", queue_min, {0, 1e9},
          {"queue of a 400G port in the best band; others in proportion", "estimate", "B"});
  v.visit("queue_max", queue_max, {1, 1e9},
          {"queue of a 400G port in the worst band; others in proportion", "estimate", "B"});
  v.visit("primary_threshold", primary_threshold, {0, 8},
          {"alternates are considered while no primary member has this quality; 0: never",
           "SAI ARS primary path quality threshold, in bands here", "bands"});
  v.visit(
      "alternate_cost", alternate_cost, {0, 8},
      {"an alternate must be better by more than this", "SAI ARS alternate path cost: 0", "bands"});
  v.visit("alternate_ports", alternate_ports, {0, 511},
          {"ports that are alternates in every group", "SAI ARS alternate members: none"});
  v.visit("rebalance_delta", rebalance_delta, {0, 7},
          {"an active flow set may move when a member is better by this; 0: never",
           "a vendor's reactive path rebalancing: off", "bands"});
  v.visit("rebalance_probability", rebalance_probability, {0, 1},
          {"of a packet that finds such a member to move its flow set", "estimate"});
}

void DlbParams::validate() const {
  check_idle(idle_time, "mode packet_quality");
  if (weight_load + weight_queue == 0) {
    throw ConfigError("weight_load: 0 like weight_queue, expected one of them above 0");
  }
  if (load_min_percent >= load_max_percent) {
    throw ConfigError(fmt::format("load_min_percent: {}, expected less than load_max_percent = {}",
                                  load_min_percent, load_max_percent));
  }
  if (queue_min >= queue_max) {
    throw ConfigError(fmt::format("queue_min: {} B, expected less than queue_max = {} B",
                                  queue_min.value, queue_max.value));
  }
  if (bands < 2 || bands > 8) throw ConfigError(fmt::format("bands: {}, expected 2 to 8", bands));
  if (flow_sets == 0) throw ConfigError("flow_sets: 0, expected at least 16");
}

void ArParams::describe(ParameterVisitor& v) {
  static constexpr std::array<std::string_view, 2> kGranularities{"packet", "flowlet"};
  static constexpr std::array<std::string_view, 3> kChoices{"best", "free", "sticky"};
  v.visit("granularity", granularity, kGranularities,
          {"choice afresh for every packet, or after a gap in a flow",
           "vendor guide: RoCE adaptive routing; AR with flowlets"});
  v.visit("choice", choice, kChoices,
          {"best: a member of the best grade; free: any that is not busy; sticky: the former one "
           "while its grade is the best",
           "estimate after a vendor's white paper on adaptive routing"});
  v.visit("grade_bytes", grade_bytes, {1, 1e9},
          {"queue above which a 400G port gets the next worse grade; others in proportion",
           "estimate", "B"});
  v.visit(
      "utilisation_percent", utilisation_percent, {0, 100},
      {"a port at least so busy is not of the best grade", "vendor guide: 70 % an interface", "%"});
  v.visit("utilisation_interval", utilisation_interval, kSamplingRange,
          {"time over which utilisation is measured", "estimate"});
  v.visit("weighted", weighted,
          {"members of one grade share by rate and remote capacity, else equally", "estimate"});
  v.visit("flow_sets", flow_sets, kFlowSetRange,
          {"flow sets of a group, for flowlets and sticky choice", "estimate", "flow sets"});
  v.visit("idle_time", idle_time, kIdleRange,
          {"gap after which a flowlet ends", "estimate: a few round trips inside a fabric"});
  v.visit("notify", notify,
          {"tell the upstream chip when all members are busy", "vendor brief: AR notifications"});
  v.visit("notify_hold", notify_hold, {1e6, 1e9},
          {"time that a notification lowers a next hop's grade for", "estimate"});
  v.visit("refresh", refresh, {0, 1e9},
          {"time between two copies of the grades into one ingress pipe, also with dlb; 0: live",
           "estimate"});
}

void ArParams::validate() const {
  check_idle(idle_time, "granularity packet");
  if (grade_bytes.empty() || grade_bytes.size() > 7 ||
      !std::is_sorted(grade_bytes.begin(), grade_bytes.end(), std::less_equal<>())) {
    throw ConfigError("grade_bytes: expected 1 to 7 thresholds, each above the one before");
  }
  if (flow_sets == 0) throw ConfigError("flow_sets: 0, expected at least 16");
}

void FailoverParams::describe(ParameterVisitor& v, bool adaptive) {
  failover_time = time_of(adaptive);
  v.visit("failover_time", failover_time, {0, 1e12},
          {"link down to its port out of all groups; default 10 us with dlb and ar, else 50 ms",
           "estimate: hardware removal, software update of a group"});
  v.visit("remote_failover_time", remote_failover_time, {0, 1e13},
          {"link down to other chips not sending through it any more",
           "estimate: BGP withdrawal, 50 ms to 3 s"});
}

}  // namespace sluice
