// SPDX-License-Identifier: Apache-2.0
#include "config/config_reader.h"

#include "config/config_node.h"

namespace sluice {

void ConfigReader::visit(std::string_view name, bool& value, const ParameterInfo&) {
  value = node().get_bool(name, value);
}

void ConfigReader::visit(std::string_view name, double& value, ParameterRange range,
                         const ParameterInfo&) {
  value = node().get_number(name, range, value);
}

void ConfigReader::visit(std::string_view name, Ps& value, ParameterRange range,
                         const ParameterInfo&) {
  value = node().get_time(name, range, value);
}

void ConfigReader::visit(std::string_view name, BitsPerSecond& value, ParameterRange range,
                         const ParameterInfo&) {
  value = node().get_rate(name, range, value);
}

void ConfigReader::visit(std::string_view name, Bytes& value, ParameterRange range,
                         const ParameterInfo&) {
  value = node().get_bytes(name, range, value);
}

void ConfigReader::visit(std::string_view name, Millimetres& value, ParameterRange range,
                         const ParameterInfo&) {
  value = node().get_length(name, range, value);
}

void ConfigReader::visit(std::string_view name, std::vector<std::uint32_t>& value,
                         ParameterRange range, const ParameterInfo&) {
  if (!node().has(name)) return;
  range.max = std::min(range.max, static_cast<double>(UINT32_MAX));
  const std::vector<std::uint64_t> before(value.begin(), value.end());
  value.clear();
  for (const std::uint64_t element : node().get_list_u64(name, range, before)) {
    value.push_back(static_cast<std::uint32_t>(element));
  }
}

void ConfigReader::begin(std::string_view name, std::string_view) {
  stack_.push_back(&node().map(name));
}

void ConfigReader::end() { stack_.pop_back(); }

void ConfigReader::visit_integer(std::string_view name, std::int64_t& value, ParameterRange range,
                                 const ParameterInfo&) {
  value = node().get_i64(name, range, value);
}

void ConfigReader::visit_choice(std::string_view name, std::size_t& index,
                                std::span<const std::string_view> names, const ParameterInfo&) {
  index = node().get_choice(name, names, index);
}

}  // namespace sluice
