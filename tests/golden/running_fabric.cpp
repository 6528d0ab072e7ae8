// SPDX-License-Identifier: Apache-2.0
// See running_fabric.h. A script runs as foreign SystemC activity, which the wheel yields to.
// Leaves out: any expectation of a test.
#include "golden/running_fabric.h"

#include <exception>
#include <systemc>
#include <utility>

namespace sluice::golden {

FabricSpec fabric_of(const std::string& yaml) {
  return read_fabric(ConfigTree::parse(yaml, "golden.yaml"));
}

OwnSystemC::OwnSystemC()
    : previous_(sc_core::sc_curr_simcontext), context_(std::make_unique<sc_core::sc_simcontext>()) {
  sc_core::sc_curr_simcontext = context_.get();
  sc_core::sc_default_global_context = context_.get();
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  // "Simulation stopped by user", at the end of every script.
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
}

OwnSystemC::~OwnSystemC() {
  context_.reset();
  sc_core::sc_curr_simcontext = previous_;
  sc_core::sc_default_global_context = previous_;
}

class RunningFabric::Script : public sc_core::sc_module {
 public:
  Script(const sc_core::sc_module_name& module_name, std::function<void()> body)
      : sc_core::sc_module(module_name), body_(std::move(body)) {
    SC_HAS_PROCESS(Script);
    SC_THREAD(perform);
    set_stack_size(1 << 20);
  }

  void pass(Ps duration) { wait(to_sc_time(duration)); }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void perform() {
    // SystemC would turn an exception into a report.
    try {
      body_();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      error_ = std::current_exception();
    }
    sc_core::sc_stop();
  }

  std::function<void()> body_;
  std::exception_ptr error_;
};

RunningFabric::RunningFabric(FabricSpec spec, Workload workload, std::uint64_t seed)
    : spec_(std::move(spec)),
      workload_(std::move(workload)),
      plan_(std::make_unique<WorkloadPlan>(workload_)),
      recorder_(std::make_unique<RunRecorder>(*plan_)),
      bridge_(std::make_unique<WheelBridge>("wheel", context_.wheel)),
      fabric_(std::make_unique<Fabric>("fabric", context_, spec_, seed,
                                       spec_.is_raw() ? nullptr : plan_.get(), recorder_.get())) {}

RunningFabric::~RunningFabric() = default;

std::unique_ptr<RunningFabric> RunningFabric::of(const FabricSpec& spec, std::uint64_t seed) {
  Workload workload;
  if (!spec.is_raw()) {
    workload = make_synthetic(spec.workload, make_topology(spec.topology).endpoints);
  }
  return std::make_unique<RunningFabric>(spec, std::move(workload), seed);
}

void RunningFabric::run(Ps until) {
  bridge_->run(until);
  fabric_->settle();
  fabric_->check_conservation();
}

void RunningFabric::run_beside(std::function<void()> script) {
  script_ = std::make_unique<Script>("script", std::move(script));
  bridge_->run();
  script_->rethrow();
  fabric_->settle();
  fabric_->check_conservation();
}

void RunningFabric::pass(Ps duration) {
  script_->pass(duration);
  // The wheel's clock stands at its last event; what the script does next happens now.
  context_.wheel.advance_to(from_sc_time(sc_core::sc_time_stamp()));
}

bool RunningFabric::pass_until(const std::function<bool()>& done, Ps step, Ps limit) {
  for (Ps passed{}; passed < limit; passed += step) {
    if (done()) return true;
    pass(step);
  }
  return done();
}

std::uint64_t RunningFabric::drops() const {
  std::uint64_t sum = 0;
  for (const auto& chip : fabric_->chips()) {
    for (const std::uint64_t drops : chip->report().drops) sum += drops;
  }
  return sum;
}

}  // namespace sluice::golden
