// SPDX-License-Identifier: Apache-2.0
// Gives each test its own SystemC context, so that several elaborations fit in one test program.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <systemc>

namespace sluice::test {

class FreshSystemC : public ::testing::Test {
 protected:
  FreshSystemC() : context_(std::make_unique<sc_core::sc_simcontext>()) {
    previous_ = sc_core::sc_curr_simcontext;
    sc_core::sc_curr_simcontext = context_.get();
    sc_core::sc_default_global_context = context_.get();
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  }
  ~FreshSystemC() override {
    // Modules of the test are gone by now (its own members and locals).
    context_.reset();
    sc_core::sc_curr_simcontext = previous_;
    sc_core::sc_default_global_context = previous_;
  }

 private:
  sc_core::sc_simcontext* previous_ = nullptr;
  std::unique_ptr<sc_core::sc_simcontext> context_;
};

}  // namespace sluice::test
