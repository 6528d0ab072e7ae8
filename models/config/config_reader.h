// SPDX-License-Identifier: Apache-2.0
// Fills a parameter struct from a section of the configuration: the visitor that reads.
// A key that is not written leaves the struct's value as it is, which is the default or a preset's.
#pragma once

#include <string_view>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

class ConfigNode;

class ConfigReader final : public ParameterVisitor {
 public:
  explicit ConfigReader(ConfigNode& node) : stack_{&node} {}

  using ParameterVisitor::visit;
  void visit(std::string_view name, bool& value, const ParameterInfo& info) override;
  void visit(std::string_view name, double& value, ParameterRange range,
             const ParameterInfo& info) override;
  void visit(std::string_view name, Ps& value, ParameterRange range,
             const ParameterInfo& info) override;
  void visit(std::string_view name, BitsPerSecond& value, ParameterRange range,
             const ParameterInfo& info) override;
  void visit(std::string_view name, Bytes& value, ParameterRange range,
             const ParameterInfo& info) override;
  void visit(std::string_view name, Millimetres& value, ParameterRange range,
             const ParameterInfo& info) override;
  void visit(std::string_view name, std::vector<std::uint32_t>& value, ParameterRange range,
             const ParameterInfo& info) override;
  void begin(std::string_view name, std::string_view meaning) override;
  void end() override;

 protected:
  void visit_integer(std::string_view name, std::int64_t& value, ParameterRange range,
                     const ParameterInfo& info) override;
  void visit_choice(std::string_view name, std::size_t& index,
                    std::span<const std::string_view> names, const ParameterInfo& info) override;

 private:
  ConfigNode& node() { return *stack_.back(); }

  std::vector<ConfigNode*> stack_;
};

}  // namespace sluice
