// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/points.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/units.h"
#include "fabric/fabric_spec.h"
#include "kernel/error.h"

namespace sluice {
namespace {

constexpr std::size_t kMostPoints = 1'000'000;

void check_selection(const Study& study, const Selection& selection) {
  const std::vector<std::string> headers = axis_headers(study);
  for (const auto& [header, values] : selection) {
    if (std::find(headers.begin(), headers.end(), header) == headers.end()) {
      const std::vector<std::string_view> names(headers.begin(), headers.end());
      throw ConfigError(fmt::format("--only {}: {} has no such axis{}", header, study.file,
                                    did_you_mean(header, names)));
    }
    for (const Axis& axis : study.axes) {
      const auto at = std::find(axis.headers.begin(), axis.headers.end(), header);
      if (at == axis.headers.end()) continue;
      const auto column = static_cast<std::size_t>(at - axis.headers.begin());
      for (const std::string& value : values) {
        std::string known;
        bool found = false;
        for (const Axis::Step& step : axis.steps) {
          found |= step.shown[column] == value;
          known += (known.empty() ? "" : ", ") + step.shown[column];
        }
        if (!found) {
          throw ConfigError(
              fmt::format("--only {}={}: no such value, expected one of {}", header, value, known));
        }
      }
    }
  }
}

bool selected(const Study& study, const SweepPoint& point, const Selection& selection) {
  const std::vector<std::string> headers = axis_headers(study);
  return std::all_of(selection.begin(), selection.end(), [&](const auto& wanted) {
    const auto at = std::find(headers.begin(), headers.end(), wanted.first);
    const std::string& cell = point.shown[static_cast<std::size_t>(at - headers.begin())];
    return std::find(wanted.second.begin(), wanted.second.end(), cell) != wanted.second.end();
  });
}

}  // namespace

std::vector<std::string> axis_headers(const Study& study) {
  std::vector<std::string> headers;
  for (const Axis& axis : study.axes) {
    headers.insert(headers.end(), axis.headers.begin(), axis.headers.end());
  }
  return headers;
}

std::vector<SweepPoint> make_points(const Study& study, const Selection& selection) {
  std::size_t count = study.replicas;
  for (const Axis& axis : study.axes) {
    count *= axis.steps.size();
    if (count > kMostPoints) {
      throw ConfigError(fmt::format("{}: axes: more than {} points", study.file, kMostPoints));
    }
  }
  check_selection(study, selection);
  std::vector<SweepPoint> points;
  for (std::size_t number = 0; number < count; ++number) {
    SweepPoint point;
    point.number = number;
    point.seed = study.seed + number % study.replicas;
    std::size_t rest = number / study.replicas;
    std::vector<const Axis::Step*> steps(study.axes.size());
    for (std::size_t a = study.axes.size(); a-- > 0;) {
      steps[a] = &study.axes[a].steps[rest % study.axes[a].steps.size()];
      rest /= study.axes[a].steps.size();
    }
    for (std::size_t a = 0; a < steps.size(); ++a) {
      point.shown.insert(point.shown.end(), steps[a]->shown.begin(), steps[a]->shown.end());
      for (std::size_t k = 0; k < study.axes[a].keys.size(); ++k) {
        point.overrides.push_back({study.axes[a].keys[k], steps[a]->values[k], steps[a]->origin});
      }
    }
    if (selected(study, point, selection)) points.push_back(std::move(point));
  }
  return points;
}

namespace {

/// The line of the study that wrote the override which the message is about.
[[noreturn]] void blame(const std::vector<Override>& overrides, const std::string& text) {
  for (const Override& item : overrides) {
    const std::string written = fmt::format("--set {}={}", item.key, item.value);
    if (text.starts_with(written) && !item.origin.empty()) {
      throw ConfigError(
          fmt::format("{}: {}{}", item.origin, written.substr(6), text.substr(written.size())));
    }
  }
  throw ConfigError(text);
}

}  // namespace

ConfigTree point_tree(const Study& study, const ConfigTree& fabric,
                      const std::vector<Override>& overrides) {
  ConfigTree tree = fabric;
  for (const auto* list : {&study.sets, &overrides}) {
    try {
      for (const Override& item : *list) tree.set(item.key, item.value);
    } catch (const ConfigError& error) {
      blame(*list, error.what());
    }
  }
  return tree;
}

std::uint64_t check_point(const Study& study, const ConfigTree& fabric,
                          const std::vector<Override>& overrides) {
  const ConfigTree tree = point_tree(study, fabric, overrides);
  try {
    return read_fabric(tree).config_hash;
  } catch (const ConfigError& error) {
    std::vector<Override> all = overrides;
    all.insert(all.end(), study.sets.begin(), study.sets.end());
    blame(all, error.what());
  }
}

}  // namespace sluice
