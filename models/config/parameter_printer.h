// SPDX-License-Identifier: Apache-2.0
// Lists the parameters of a struct: the visitor that shows. The same rows print a preset, document
// a block and make the text that a configuration is hashed by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/parameter.h"

namespace sluice {

struct ParameterRow {
  std::string path;    ///< "mmu.pg_alpha_exp"
  std::string value;   ///< exact, with its unit where the type has one ("1.5us", "32MiB")
  std::string range;   ///< "-8..8", "1ns or more", or the choices "a | b"
  std::string unit;    ///< of a plain number ("cells"); empty where the value carries it
  std::string source;  ///< standard clause, datasheet or "estimate …"
  std::string meaning;
  bool estimate = false;  ///< nobody published the value
};

class ParameterPrinter final : public ParameterVisitor {
 public:
  /// `prefix` begins every path ("switch").
  explicit ParameterPrinter(std::string_view prefix = {}) { sections_.emplace_back(prefix); }

  const std::vector<ParameterRow>& rows() const { return rows_; }
  /// "path=value" lines in the order described: equal for equal parameters.
  std::string canonical() const;
  /// Hash of canonical(), for `config_hash`.
  std::uint64_t hash() const;
  /// Aligned columns: path, value, unit, range, source, meaning; estimates carry a `~`.
  std::string table() const;

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
  void end() override { sections_.pop_back(); }

 protected:
  void visit_integer(std::string_view name, std::int64_t& value, ParameterRange range,
                     const ParameterInfo& info) override;
  void visit_choice(std::string_view name, std::size_t& index,
                    std::span<const std::string_view> names, const ParameterInfo& info) override;

 private:
  void add(std::string_view name, std::string value, std::string range, const ParameterInfo& info);

  std::vector<std::string> sections_;
  std::vector<ParameterRow> rows_;
};

/// Rows of a parameter struct.
template <class Params>
ParameterPrinter print_parameters(Params params, std::string_view prefix = {}) {
  ParameterPrinter printer(prefix);
  params.describe(printer);
  return printer;
}

}  // namespace sluice
