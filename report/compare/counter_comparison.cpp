#include "report/compare/counter_comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/run_report.h"

namespace sweep {
namespace {

/// Launches of one kernel and size.
struct LaunchGroup {
  std::vector<const ProfiledLaunch*> launches;

  const ProfiledLaunch& last() const { return *launches.back(); }
  std::string in_words() const {
    const std::string& first = launches.front()->number;
    const std::string numbers = launches.size() == 1
                                    ? "launch " + first
                                    : fmt::format("launches {} to {}", first, last().number);
    return fmt::format("{} of {} ({} of {})", numbers, last().kernel,
                       count_of(static_cast<std::size_t>(last().blocks), "block"),
                       count_of(static_cast<std::size_t>(last().threads), "thread"));
  }
};

std::vector<LaunchGroup> groups_of(std::span<const ProfiledLaunch> launches) {
  std::vector<LaunchGroup> groups;
  for (const ProfiledLaunch& launch : launches) {
    const auto same = std::ranges::find_if(groups, [&](const LaunchGroup& group) {
      const ProfiledLaunch& other = group.last();
      return std::tie(other.signature, other.blocks, other.threads) ==
             std::tie(launch.signature, launch.blocks, launch.threads);
    });
    if (same != groups.end()) {
      same->launches.push_back(&launch);
    } else {
      groups.push_back({{&launch}});
    }
  }
  return groups;
}

/// The metrics whose figures differ among the launches.
std::vector<std::string> differing_metrics(const LaunchGroup& group) {
  std::vector<std::string> differing;
  for (const Metric& metric : group.last().metrics) {
    const bool is_same = std::ranges::all_of(group.launches, [&](const ProfiledLaunch* launch) {
      return std::ranges::find(launch->metrics, metric) != launch->metrics.end();
    });
    if (!is_same) differing.push_back(metric.name);
  }
  return differing;
}

/// Whether the point is of a launch of that size: both counts are of the emulator.
bool has_size(const PointRecord& point, const ProfiledLaunch& launch) {
  constexpr std::int64_t warp = 32;
  const auto blocks = figure_of(point, {"blocks", Origin::emulated});
  const auto warps = figure_of(point, {"warps", Origin::emulated});
  const std::int64_t of_block = (launch.threads + warp - 1) / warp;
  return blocks && warps && *blocks == static_cast<double>(launch.blocks) &&
         *warps == static_cast<double>(launch.blocks * of_block);
}

/// With the launch's figures in the place of the hardware's.
PointRecord with_counters(PointRecord point, const ProfiledLaunch& launch) {
  std::erase_if(point.metrics, [](const Metric& m) { return m.origin == Origin::hardware; });
  point.metrics.insert(point.metrics.end(), launch.metrics.begin(), launch.metrics.end());
  return point;
}

/// What the emulator counted, counters could give, and the file has not.
std::string note_on_missing(const CounterComparison& comparison) {
  std::vector<std::string> missing;
  for (const CounterComparison::Match& match : comparison.matches) {
    for (const Metric& metric : match.point.metrics) {
      const MetricDefinition& known = definition_of(metric.name);
      if (metric.origin != Origin::emulated || metric.value == 0 || known.formula.parts.empty() ||
          !known.is_comparable || figure_of(match.point, {metric.name, Origin::hardware}) ||
          std::ranges::find(missing, metric.name) != missing.end()) {
        continue;
      }
      missing.push_back(metric.name);
    }
  }
  if (missing.empty()) return {};
  return fmt::format(
      "the file has no counters for {}; with them: ncu --csv --page raw --metrics {}",
      in_words(missing), fmt::join(counters_of(formulas_of(missing)), ","));
}

/// One metric of one match.
struct CounterFigure {
  const CounterComparison::Match* match = nullptr;
  std::string metric;
  double hardware = 0;
  double emulated = 0;
  bool agrees = false;
};

std::vector<CounterFigure> figures_of(const CounterComparison& comparison) {
  std::vector<CounterFigure> figures;
  for (const CounterComparison::Match& match : comparison.matches) {
    const std::array points = {&match.point};
    for (const CountAgreement& agreement : compare_counts(points)) {
      figures.push_back({&match, agreement.metric,
                         *figure_of(match.point, {agreement.metric, Origin::hardware}),
                         *figure_of(match.point, {agreement.metric, Origin::emulated}),
                         agreement.disagreeing.empty()});
    }
  }
  return figures;
}

}  // namespace

CounterComparison compare_counters(
    std::span<const ProfiledLaunch> launches, std::string file, ComparedRun run,
    std::span<const Expression> where,
    const std::function<std::vector<std::string>(const PointKey&)>& kernels_of) {
  CounterComparison comparison = {std::move(file), std::move(run)};
  if (launches.empty()) {
    throw ComparisonError(comparison.file + ": no kernel was launched, or none was profiled");
  }
  const std::vector<const PointRecord*> all = records_of(comparison.run.results.points);
  comparison.told = telling_parameters(parameters_of(all));
  std::vector<const PointRecord*> points;
  for (const StoredPoint& stored : comparison.run.results.points) {
    const bool is_meant = std::ranges::all_of(
        where, [&](const Expression& condition) { return holds(condition, stored.point); });
    if (is_meant && stored.point.status == PointStatus::ok) points.push_back(&stored.point);
  }
  std::map<std::string, std::vector<std::string>> kernels;
  for (const PointRecord* point : points) {
    const PointKey& key = point->key;
    if (!kernels.contains(key.pattern_name)) kernels[key.pattern_name] = kernels_of(key);
  }
  std::vector<std::string>& notes = comparison.notes;
  for (const LaunchGroup& group : groups_of(launches)) {
    const ProfiledLaunch& launch = group.last();
    PointList of_kernel;
    PointList found;
    for (const PointRecord* point : points) {
      const std::vector<std::string>& names = kernels[point->key.pattern_name];
      if (std::ranges::find(names, launch.kernel) == names.end()) continue;
      of_kernel.push_back(point);
      if (has_size(*point, launch)) found.push_back(point);
    }
    if (found.size() == 1) {
      // Its counts are of all kernels together.
      if (kernels[found.front()->key.pattern_name].size() > 1) {
        notes.push_back(
            fmt::format("{}: left out: {} launches several kernels, whose counts the "
                        "emulator gives together",
                        group.in_words(), found.front()->key.pattern_name));
        continue;
      }
      if (const auto differing = differing_metrics(group); !differing.empty()) {
        notes.push_back(
            fmt::format("{} differ in {}; the last counts", group.in_words(), in_words(differing)));
      }
      comparison.matches.push_back({launch.number, with_counters(*found.front(), launch)});
    } else if (of_kernel.empty()) {
      notes.push_back(fmt::format("{}: left out: no pattern of the run has a kernel of that name",
                                  group.in_words()));
    } else if (found.empty()) {
      notes.push_back(
          fmt::format("{}: left out: no point of the run that the emulator counted has "
                      "that size",
                      group.in_words()));
    } else {
      const auto parameters = telling_parameters(parameters_of(found));
      const std::string first = describe(*found.front(), parameters);
      notes.push_back(fmt::format(
          "{}: left out: {} have that size, for example {}; name the one that was profiled with "
          "--where",
          group.in_words(), count_of(found.size(), "point"), first));
    }
  }
  for (const CounterFigure& figure : figures_of(comparison)) {
    ++(figure.agrees ? comparison.agreeing : comparison.disagreeing);
  }
  const std::string missing = note_on_missing(comparison);
  if (!missing.empty()) notes.push_back(missing);
  if (comparison.agreeing + comparison.disagreeing == 0) {
    constexpr std::size_t most = 5;
    std::string reasons;
    for (const ListItem& item :
         list_first(notes, most, [](const auto& each) { return each; }).items) {
      reasons += "\n  " + item.text;
    }
    throw ComparisonError(fmt::format("{} and {} have nothing to compare:{}", comparison.file,
                                      comparison.run.label, reasons));
  }
  return comparison;
}

std::string describe_verdict(const CounterComparison& comparison) {
  const std::size_t all = comparison.agreeing + comparison.disagreeing;
  return fmt::format("{}: {} of {} agree",
                     comparison.disagreeing == 0 ? "agreement" : "disagreement",
                     format_thousands(comparison.agreeing), count_of(all, "figure"));
}

Document counter_document(const CounterComparison& comparison) {
  constexpr std::size_t most_rows = 500;
  DocumentTable table = {{"launch", "configuration", "metric", figure_column("counted"),
                          figure_column("emulated"), figure_column("difference"), "agrees"}};
  std::vector<CounterFigure> figures = figures_of(comparison);
  std::ranges::stable_sort(figures, {}, &CounterFigure::agrees);
  for (const CounterFigure& figure : figures) {
    if (table.rows.size() == most_rows) break;
    const PointRecord& point = figure.match->point;
    table.rows.push_back(
        {figure.match->launch, describe(point, comparison.told), figure.metric,
         format_figure(figure.hardware), format_figure(figure.emulated),
         figure.hardware == figure.emulated ? "0" : describe_difference(point, figure.metric),
         figure.agrees ? "yes" : "no, not " + describe_tolerance(figure.metric)});
  }
  Document document = {
      Heading{1, "Counters of " + comparison.file},
      Paragraph{describe_verdict(comparison),
                comparison.disagreeing == 0 ? Tone::strong : Tone::worse},
      Paragraph{fmt::format("Counted: {}. Emulated: {}.", comparison.file, comparison.run.label)},
      table};
  if (figures.size() > most_rows) {
    document.emplace_back(
        Paragraph{fmt::format("{} more rows agree as well or less; the JSON has all.",
                              format_thousands(figures.size() - most_rows))});
  }
  List list;
  for (const std::string& note : comparison.notes) list.items.push_back({note});
  if (!list.items.empty()) document.emplace_back(std::move(list));
  return document;
}

std::string write_counters_json(const CounterComparison& comparison) {
  Json figures = Json::array();
  for (const CounterFigure& figure : figures_of(comparison)) {
    const PointRecord& point = figure.match->point;
    const double difference = *count_difference(point, figure.metric);
    figures.push_back({{"launch", figure.match->launch},
                       {"pattern", point.key.pattern_name},
                       {"parameters", json_parameters(point.key.parameters)},
                       {"metric", figure.metric},
                       {"unit", json_text(unit_of(figure.metric))},
                       {"hardware", figure.hardware},
                       {"emulated", figure.emulated},
                       {"difference", std::isfinite(difference) ? Json(difference) : Json(nullptr)},
                       {"agrees", figure.agrees}});
  }
  return json_line({{"schema_version", 1},
                    {"agree", comparison.disagreeing == 0},
                    {"verdict", describe_verdict(comparison)},
                    {"file", comparison.file},
                    {"run", comparison.run.label},
                    {"figures", std::move(figures)},
                    {"notes", comparison.notes}}) +
         "\n";
}

}  // namespace sweep
