#include "engine/cli/compared_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/cli/command.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

[[noreturn]] void fail(const Recording& recording, const std::string& what) {
  throw CommandError(exit_bad_input, fmt::format("{}: {}", recording.origin.file, what));
}

std::vector<std::string> names_of_metrics(const Recording& recording) {
  std::vector<std::string> names;
  for (const RecordedMetric& metric : recording.metrics) {
    names.push_back(display_name(metric.name, metric.origin));
  }
  return names;
}

const RecordedMetric& choose_metric(const Recording& recording, const ComparedBy& by) {
  if (recording.metrics.empty()) fail(recording, "no configuration of it has a figure");
  if (!by.metric) {
    for (const std::string& name : {recording.origin.objective, std::string("time")}) {
      if (const RecordedMetric* found = find_metric(recording, name)) return *found;
    }
    throw UsageError(fmt::format("{}: it does not say what its configurations are compared by; {}",
                                 recording.origin.file,
                                 suggest("", names_of_metrics(recording), "name one by --metric")));
  }
  if (const RecordedMetric* found = find_metric(recording, *by.metric)) return *found;
  throw UsageError(fmt::format("--metric {}: {} has no such metric; {}", *by.metric,
                               recording.origin.file,
                               suggest(*by.metric, names_of_metrics(recording), "it has")));
}

Objective choose_objective(const RecordedMetric& metric, const ComparedBy& by) {
  if (by.objective) return *by.objective;
  if (metric.better == Better::neither) {
    throw UsageError(
        fmt::format("of {} it is not known which values are better: say --minimize or "
                    "--maximize",
                    display_name(metric.name, metric.origin)));
  }
  return metric.better == Better::lower ? Objective::minimise : Objective::maximise;
}

std::optional<double> figure_of(const RecordedEntry& entry, const RecordedMetric& metric) {
  if (entry.status == PointStatus::failed) return std::nullopt;
  const auto figure = figure_of(entry, metric.name, metric.origin);
  return figure && std::isfinite(*figure) ? figure : std::nullopt;
}

void gather_figures(const Recording& recording, ComparedSpace& space) {
  std::vector<double> costs;
  for (const RecordedEntry& entry : recording.entries) {
    const auto figure = figure_of(entry, space.metric);
    if (figure) costs.push_back(cost_of(*figure, space.objective));
    space.costs.push_back(figure ? std::optional(costs.back()) : std::nullopt);
    space.failed += entry.status == PointStatus::failed ? 1 : 0;
  }
  if (costs.empty()) {
    fail(recording, fmt::format("no configuration of it has a figure of {}",
                                display_name(space.metric.name, space.metric.origin)));
  }
  std::ranges::sort(costs);
  space.with_figure = costs.size();
  space.best = cost_of(costs.front(), space.objective);
  space.median = cost_of(costs[(costs.size() - 1) / 2], space.objective);
}

/// The emulator's counts that every successful entry has.
std::vector<std::string> features_of(const Recording& recording) {
  std::vector<std::string> names;
  for (const RecordedMetric& metric : recording.metrics) {
    if (metric.origin != Origin::emulated) continue;
    const bool have_all = std::ranges::all_of(recording.entries, [&](const RecordedEntry& entry) {
      return entry.status == PointStatus::failed ||
             figure_of(entry, metric.name, Origin::emulated).has_value();
    });
    if (have_all) names.push_back(metric.name);
  }
  return names;
}

void set_features(const Recording& recording, SearchSpace& space) {
  const std::vector<std::string> names = features_of(recording);
  std::vector<std::vector<double>> rows;
  for (const RecordedEntry& entry : recording.entries) {
    std::vector<double> row;
    for (const std::string& name : names) {
      constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
      row.push_back(figure_of(entry, name, Origin::emulated).value_or(unknown));
    }
    rows.push_back(std::move(row));
  }
  space.set_features(names.size(), [rows = std::move(rows)](std::size_t row) { return rows[row]; });
}

EncodedSpace encoded(const Recording& recording) {
  std::vector<Bindings> configurations;
  for (const RecordedEntry& entry : recording.entries)
    configurations.push_back(entry.configuration);
  try {
    return encode(configurations);
  } catch (const std::invalid_argument& error) {
    fail(recording, fmt::format("its configurations cannot be searched: {}", error.what()));
  }
}

/// Every name with the first value that an entry has for it.
Bindings all_names(const Recording& recording) {
  Bindings all;
  for (const RecordedEntry& entry : recording.entries) {
    for (const auto& [name, value] : entry.configuration.entries()) {
      if (all.find(name) == nullptr) all.set(name, value);
    }
  }
  return all;
}

bool holds(const Expression& condition, const Bindings& configuration) {
  Diagnostics ignored;
  if (condition.check(scope_of(configuration), ignored) != ValueKind::boolean) return false;
  try {
    return condition.evaluate_boolean(configuration);
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

ComparedSpace compared_space(const Recording& recording, const ComparedBy& by) {
  const RecordedMetric& metric = choose_metric(recording, by);
  const Objective objective = choose_objective(metric, by);
  ComparedSpace space{encoded(recording), {}, metric, objective};
  gather_figures(recording, space);
  if (by.features) set_features(recording, space.encoded.space);
  return space;
}

void keep_where(Recording& recording, const Expression& condition) {
  Diagnostics diagnostics;
  const auto kind = condition.check(scope_of(all_names(recording)), diagnostics);
  if (!kind) throw InputError(diagnostics);
  if (*kind != ValueKind::boolean) {
    throw InputError(condition.where(),
                     fmt::format("this is {}, not a condition", describe(*kind)));
  }
  std::erase_if(recording.entries,
                [&](const RecordedEntry& entry) { return !holds(condition, entry.configuration); });
  if (recording.entries.empty()) fail(recording, "--where leaves no configuration of it");
  complete(recording);
}

}  // namespace sweep
