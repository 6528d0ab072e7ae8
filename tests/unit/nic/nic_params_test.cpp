// SPDX-License-Identifier: Apache-2.0
// Parameters: presets, ranges, and that every described value is read back and refused when wrong.
#include "nic/nic_params.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "kernel/error.h"

namespace sluice {
namespace {

/// Collects names; may set one value, given in its own unit, by name.
class Probe final : public ParameterVisitor {
 public:
  std::map<std::string, double> seen;
  std::string set_name;
  bool check_defaults = false;
  double set_value = 0;

  using ParameterVisitor::visit;
  void visit(std::string_view name, bool& v, const ParameterInfo& info) override {
    double wide = v ? 1 : 0;
    take(name, wide, info);
    v = wide != 0;
  }
  void visit(std::string_view name, double& v, ParameterRange, const ParameterInfo& info) override {
    take(name, v, info);
  }
  void visit(std::string_view name, Ps& v, ParameterRange r, const ParameterInfo& info) override {
    integer(name, v.value, r, info);
  }
  void visit(std::string_view name, BitsPerSecond& v, ParameterRange r,
             const ParameterInfo& info) override {
    integer(name, v.value, r, info);
  }
  void visit(std::string_view name, Bytes& v, ParameterRange r,
             const ParameterInfo& info) override {
    integer(name, v.value, r, info);
  }
  void visit(std::string_view name, Millimetres& v, ParameterRange r,
             const ParameterInfo& info) override {
    integer(name, v.value, r, info);
  }
  void visit(std::string_view, std::vector<std::uint32_t>&, ParameterRange,
             const ParameterInfo&) override {}
  void begin(std::string_view name, std::string_view) override {
    prefix_ = std::string(name) + ".";
  }
  void end() override { prefix_.clear(); }

 protected:
  void visit_integer(std::string_view name, std::int64_t& v, ParameterRange r,
                     const ParameterInfo& info) override {
    integer(name, v, r, info);
  }
  void visit_choice(std::string_view name, std::size_t& index, std::span<const std::string_view>,
                    const ParameterInfo& info) override {
    integer(name, index, {0, 100}, info);
  }

 private:
  template <class Integer>
  void integer(std::string_view name, Integer& v, ParameterRange range, const ParameterInfo& info) {
    auto wide = static_cast<double>(v);
    if (check_defaults) {
      EXPECT_GE(wide, range.min) << name << ": the default is out of range";
      EXPECT_LE(wide, range.max) << name << ": the default is out of range";
    }
    take(name, wide, info);
    v = static_cast<Integer>(wide);
  }
  void take(std::string_view name, double& wide, const ParameterInfo& info) {
    const std::string key = prefix_ + std::string(name);
    EXPECT_FALSE(info.meaning.empty()) << key;
    EXPECT_FALSE(info.source.empty()) << key;
    if (key == set_name) wide = set_value;
    EXPECT_TRUE(seen.emplace(key, wide).second) << key << " is described twice";
  }
  std::string prefix_;
};

TEST(NicParams, PresetsSumTo400NanosecondsEachWay) {
  EXPECT_EQ(cx8().t_tx(), 400_ns);
  EXPECT_EQ(cx8().t_rx(), 400_ns);
  EXPECT_EQ(cx8().port_rate.value, 800'000'000'000u);
  EXPECT_EQ(cx7().port_rate.value, 400'000'000'000u);
  cx8().validate();
  cx7().validate();
}

TEST(NicParams, EveryParameterIsDescribedAndCanBeSet) {
  NicParams params = cx8();
  Probe probe;
  probe.check_defaults = true;
  params.describe(probe);
  EXPECT_EQ(probe.seen.size(), 120u);
  for (const auto& [name, value] : probe.seen) {
    Probe setter;
    setter.set_name = name;
    setter.set_value = value == 1 ? 0 : 1;
    NicParams changed = cx8();
    changed.describe(setter);
    Probe reader;
    changed.describe(reader);
    EXPECT_EQ(reader.seen.at(name), setter.set_value) << name;
  }
}

TEST(NicParams, ValidateNamesTheKeyOfAWrongValue) {
  for (const auto& [name, value] :
       std::map<std::string, double>{{"ports", 5},
                                     {"ip_version", 5},
                                     {"port_rate", 1e9},
                                     {"frequency_offset_ppm", 101},
                                     {"mtu_bytes", 1500},
                                     {"data_dscp", 64},
                                     {"ack_dscp", 64},
                                     {"cnp_dscp", 64},
                                     {"data_priority", 8},
                                     {"ack_priority", 8},
                                     {"cnp_priority", 8},
                                     {"timeout_spread_percent", 301},
                                     {"verbs.outstanding_reads", 0},
                                     {"verbs.rnr_retry", 8},
                                     {"verbs.min_rnr_timer", 32},
                                     {"verbs.receive_queue_depth", 65537},
                                     {"verbs.receive_buffer_bytes", 2147483649.0},
                                     {"ack_every", 0},
                                     {"timeout_code", 32},
                                     {"retry_count", 8},
                                     {"start_psn", 16777217},
                                     {"rx_drain_rate", 1e6},
                                     {"rx_drain_percent", 101},
                                     {"rx_buffer_bytes", 1024},
                                     {"rx_xoff_bytes", 1e6},
                                     {"rx_xon_bytes", 1e6},
                                     {"burst_packets", 0},
                                     {"inter_packet_gap_bytes", 7},
                                     {"dcqcn.alpha_gain", 0},
                                     {"dcqcn.initial_alpha", 1025},
                                     {"dcqcn.alpha_period", 0},
                                     {"dcqcn.rate_timer", 0},
                                     {"dcqcn.cut_period", 0},
                                     {"dcqcn.cut_shift", 11},
                                     {"dcqcn.min_decrease_percent", 101},
                                     {"dcqcn.max_rate", 5},
                                     {"dcqcn.reference_rate", 5},
                                     {"rttcc.congestion_delay_threshold", 0},
                                     {"rttcc.max_queuing_delay", 12'999'999},
                                     {"rttcc.alpha", 0},
                                     {"rttcc.max_decrease_factor", 65537},
                                     {"rttcc.max_increase_factor", 65536},
                                     {"rttcc.ai_step", 1048577},
                                     {"rttcc.hai_step", 1048577},
                                     {"rttcc.first_congestion_factor", 0},
                                     {"rttcc.min_rate_share", 0},
                                     {"qp_rate_limit", 999'999}}) {
    Probe setter;
    setter.set_name = name;
    setter.set_value = value;
    NicParams params = cx8();
    params.describe(setter);
    try {
      params.validate();
      ADD_FAILURE() << name << " = " << value << " was accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(NicParams, OneOfTheTwoDrainLimitsIsEnough) {
  NicParams params = cx8();
  EXPECT_FALSE(params.rx_limited());
  params.rx_drain_percent = 25;
  params.validate();
  EXPECT_TRUE(params.rx_limited());
  EXPECT_EQ(params.drain_rate().value, 200'000'000'000u);
  params.rx_drain_rate = {100'000'000'000};
  EXPECT_THROW(params.validate(), ConfigError);
  params.rx_drain_percent = 100;
  params.validate();
  EXPECT_EQ(params.drain_rate().value, 100'000'000'000u);
  params.rx_drain_rate = {900'000'000'000};
  EXPECT_THROW(params.validate(), ConfigError);  // more than the port brings
}

TEST(NicParams, AWindowIsInWholePacketsAndAsksForAcksTwiceAWindow) {
  NicParams params = cx8();
  EXPECT_EQ(params.window_packets(), 1u << 23);
  EXPECT_EQ(params.effective_ack_every(), 32u);
  params.window_bytes = {100'000};
  EXPECT_EQ(params.window_packets(), 24u);
  EXPECT_EQ(params.effective_ack_every(), 12u);
  params.window_bytes = {1};
  EXPECT_EQ(params.window_packets(), 1u);
  EXPECT_EQ(params.effective_ack_every(), 1u);
  params.validate();
}

TEST(NicParams, DcqcnPresetsAreThePapersNvidiasAndHpccs) {
  EXPECT_EQ(dcqcn_preset("paper").rate_timer, 55_us);
  EXPECT_EQ(dcqcn_preset("paper").byte_counter.value, 10'000'000u);
  EXPECT_EQ(dcqcn_preset("nvidia").rate_timer, 300_us);
  const DcqcnParams hpcc = dcqcn_preset("hpcc");
  hpcc.validate();
  EXPECT_EQ(hpcc.algorithm, DcqcnAlgorithm::kNvidia);
  EXPECT_EQ(hpcc.alpha_period, 1_us);
  EXPECT_EQ(hpcc.cut_period, 4_us);
  EXPECT_EQ(hpcc.rate_timer, 900_us);
  EXPECT_EQ(hpcc.fast_recovery_stages, 1u);
  EXPECT_EQ(hpcc.ai_rate.value, 50'000'000u);
  EXPECT_EQ(hpcc.hai_rate.value, 100'000'000u);
  EXPECT_EQ(hpcc.reference_rate.value, 25'000'000'000u);
  EXPECT_EQ(hpcc.alpha_gain * 256, 1024u);  // g = 1/256
}

TEST(NicParams, NvidiaSetHasTheNvconfigDefaults) {
  const DcqcnParams params = dcqcn_nvidia();
  EXPECT_EQ(1024 - params.alpha_gain, 1019u);
  EXPECT_EQ(params.initial_alpha, 1023u);
  EXPECT_EQ(params.rate_timer, 300_us);
  EXPECT_EQ(params.cut_period, 4_us);
  EXPECT_EQ(params.min_time_between_cnps, 4_us);
  EXPECT_EQ(params.ai_rate.value, 5'000'000u);
  EXPECT_EQ(params.hai_rate.value, 50'000'000u);
  EXPECT_EQ(params.cnp_scope, CnpScope::kPort);
  params.validate();
}

TEST(NicParams, RefusesPlanesThatOvertakeWithGoBack0) {
  NicParams params = cx8();
  params.ports = 2;
  params.loss_recovery = LossRecovery::kGoBack0;
  params.validate();
  for (const PlaneChoice choice : {PlaneChoice::kPerPacket, PlaneChoice::kPerMessage}) {
    params.plane_choice = choice;
    EXPECT_THROW(params.validate(), ConfigError);
  }
}

}  // namespace
}  // namespace sluice
