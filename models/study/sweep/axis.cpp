// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/axis.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "kernel/error.h"
#include "study/sweep/quantity.h"

namespace sluice {
namespace {

using Kind = ConfigValue::Kind;
constexpr std::size_t kMostSteps = 100'000;

/// A scalar that must not be taken for another kind of YAML, in double quotes where needed.
std::string flow_scalar(const std::string& text) {
  const bool plain =
      !text.empty() && text.find_first_of(",[]{}:#\"'\\&*!|>%@`\n\t ") == std::string::npos;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

Quantity quantity_of(ConfigNode& node, std::string_view key) {
  const std::string text = node.get_string(key);
  try {
    return parse_quantity(text);
  } catch (const ConfigError& error) {
    node.fail(key, error.what());
  }
}

/// Both ends of a range in one kind; whole numbers become decimals beside a decimal.
void unify(ConfigNode& node, std::string_view key, Quantity& from, Quantity& to) {
  if (from.kind == to.kind) return;
  for (Quantity* q : {&from, &to}) {
    if (q->kind == Quantity::Kind::kInteger) {
      const Quantity& other = q == &from ? to : from;
      if (other.kind == Quantity::Kind::kDecimal) {
        q->decimal = static_cast<double>(q->units);
        q->kind = Quantity::Kind::kDecimal;
        return;
      }
      if (q->units == 0) {
        q->kind = other.kind;
        return;
      }
    }
  }
  node.fail(key, "has another unit than from");
}

std::vector<std::string> list_values(const ConfigValue& list) {
  if (list.kind != Kind::kList || list.items.empty()) {
    throw ConfigError(fmt::format("{}: {}: {}, expected a list of values", list.origin, list.path,
                                  list.kind == Kind::kList ? "an empty list" : list.description()));
  }
  std::vector<std::string> values;
  for (const ConfigValue& item : list.items) values.push_back(flow_text(item));
  return values;
}

Axis simple_axis(std::string key, std::string header, const std::vector<std::string>& values,
                 const std::string& origin) {
  Axis axis;
  axis.origin = origin;
  axis.keys = {std::move(key)};
  axis.headers = {std::move(header)};
  for (const std::string& value : values) axis.steps.push_back({{value}, {value}, origin});
  return axis;
}

/// Keys with lists of one length, moved together.
Axis zip_axis(const ConfigValue& zip) {
  if (zip.kind != Kind::kMap || zip.entries.empty()) {
    throw ConfigError(fmt::format("{}: {}: {}, expected a map of keys with lists", zip.origin,
                                  zip.path, zip.description()));
  }
  Axis axis;
  axis.origin = zip.origin;
  for (const auto& [key, list] : zip.entries) {
    const std::vector<std::string> values = list_values(list);
    axis.keys.push_back(key);
    axis.headers.push_back(key);
    if (axis.steps.empty()) axis.steps.resize(values.size());
    if (values.size() != axis.steps.size()) {
      throw ConfigError(fmt::format("{}: {}: {} values, expected {} as in {}", list.origin,
                                    list.path, values.size(), axis.steps.size(),
                                    axis.keys.front()));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      axis.steps[i].values.push_back(values[i]);
      axis.steps[i].shown.push_back(values[i]);
      axis.steps[i].origin = list.items[i].origin;
    }
  }
  return axis;
}

/// `labels` stand in the table in place of the values.
void apply_labels(ConfigNode& node, Axis& axis, const std::vector<std::string>& labels,
                  const std::string& name) {
  if (name.empty()) node.fail("labels", "need a name for their column");
  if (labels.size() != axis.steps.size()) {
    node.fail("labels", fmt::format("{} labels, expected one for each of the {} values",
                                    labels.size(), axis.steps.size()));
  }
  axis.headers = {name};
  for (std::size_t i = 0; i < labels.size(); ++i) axis.steps[i].shown = {labels[i]};
}

}  // namespace

std::string flow_text(const ConfigValue& value) {
  switch (value.kind) {
    case Kind::kNull:
      return "";
    case Kind::kScalar:
      return value.scalar;
    case Kind::kList:
    case Kind::kMap:
      break;
  }
  std::string text;
  const auto add = [&text](std::string_view key, const ConfigValue& item) {
    if (!text.empty()) text += ", ";
    text += key;
    text += item.kind == Kind::kScalar ? flow_scalar(item.scalar) : flow_text(item);
  };
  for (const ConfigValue& item : value.items) add("", item);
  for (const auto& [key, item] : value.entries) add(flow_scalar(key) + ": ", item);
  return value.kind == Kind::kList ? "[" + text + "]" : "{" + text + "}";
}

std::vector<Override> flat_overrides(const ConfigValue& value) {
  std::vector<Override> result;
  for (const auto& [key, item] : value.entries) {
    if (item.kind != Kind::kMap) {
      result.push_back({key, flow_text(item), item.origin});
      continue;
    }
    for (const Override& inner : flat_overrides(item)) {
      result.push_back({join_path(key, inner.key), inner.value, inner.origin});
    }
  }
  return result;
}

std::vector<std::string> range_values(ConfigNode& node) {
  Quantity from = quantity_of(node, "from");
  Quantity to = quantity_of(node, "to");
  Quantity step = quantity_of(node, "step");
  unify(node, "to", from, to);
  unify(node, "step", from, step);
  unify(node, "to", from, to);
  if (!(step.number() > 0)) node.fail("step", "expected more than 0");
  if (to.number() < from.number()) node.fail("to", "is below from");
  // A decimal step may miss its end by rounding.
  const double count = std::floor((to.number() - from.number()) / step.number() * (1 + 1e-12)) + 1;
  if (count > kMostSteps) {
    node.fail("step", fmt::format("makes {:.0f} values, expected at most {}", count, kMostSteps));
  }
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    Quantity at = from;
    at.units = from.units + i * step.units;
    at.decimal = from.decimal + static_cast<double>(i) * step.decimal;
    values.push_back(at.text());
  }
  return values;
}

std::vector<std::string> log_range_values(ConfigNode& node) {
  Quantity from = quantity_of(node, "from");
  Quantity to = quantity_of(node, "to");
  const std::uint64_t points = node.get_u64("points", {2, static_cast<double>(kMostSteps)});
  unify(node, "to", from, to);
  if (!(from.number() > 0)) node.fail("from", "expected more than 0");
  if (!(to.number() > from.number())) node.fail("to", "expected more than from");
  std::vector<std::string> values;
  for (std::uint64_t i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points - 1);
    const double number = from.number() * std::pow(to.number() / from.number(), share);
    Quantity at = i == 0 ? from : to;
    if (i != 0 && i + 1 != points) {
      at.units = std::llround(number);
      at.decimal = number;
    }
    if (!values.empty() && values.back() == at.text()) {
      node.fail("points", fmt::format("{} values fall together at {}", points, at.text()));
    }
    values.push_back(at.text());
  }
  return values;
}

std::vector<Axis> read_axes(ConfigNode& node) {
  constexpr std::string_view kForms = "one of list, range, log_range, zip, grid";
  std::size_t forms = 0;
  for (const std::string_view form : {"list", "range", "log_range", "zip", "grid"}) {
    forms += node.has(form) ? 1 : 0;
  }
  if (forms != 1) {
    throw ConfigError(fmt::format("{}: {}: {}, expected {}", node.value().origin, node.path(),
                                  forms == 0 ? "says no values" : "says its values twice", kForms));
  }
  const std::string name = node.get_string("name", "");
  const bool several = node.has("zip") || node.has("grid");
  const std::string key = several ? "" : node.get_string("key");
  if (node.has("grid")) {
    std::vector<Axis> axes;
    for (const auto& [grid_key, list] : node.map("grid").value().entries) {
      axes.push_back(simple_axis(grid_key, grid_key, list_values(list), list.origin));
      node.map("grid").raw(grid_key);
    }
    if (axes.empty()) node.fail("grid", "expected a map of keys with lists");
    return axes;
  }
  Axis axis;
  const std::string& origin = node.value().origin;
  const std::string header = name.empty() ? key : name;
  if (node.has("zip")) {
    axis = zip_axis(*node.raw("zip"));
  } else if (node.has("list")) {
    const ConfigValue& list = *node.raw("list");
    axis = simple_axis(key, header, list_values(list), list.origin);
  } else if (node.has("range")) {
    axis = simple_axis(key, header, range_values(node.require_map("range")), origin);
  } else {
    axis = simple_axis(key, header, log_range_values(node.require_map("log_range")), origin);
  }
  if (node.has("labels")) {
    apply_labels(node, axis, node.get_strings("labels"), name);
  } else if (several && !name.empty()) {
    node.fail("name", "needs labels: a zip without them has a column a key");
  }
  return {axis};
}

}  // namespace sluice
