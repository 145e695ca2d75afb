#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "engine/text/units.h"
#include "report/compare/run_comparison.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

/// "slower", "faster", of other metrics "worse" and "better"; "same", "changed", "not told apart",
/// "missing".
std::string_view word_for(Change change, bool is_speed) {
  if (is_speed && change == Change::better) return "faster";
  if (is_speed && change == Change::worse) return "slower";
  return change == Change::unclear ? "not told apart" : to_string(change);
}

/// "0.9853", "infinite"
std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "infinite";
  return ratio > 0.1 && ratio < 10 ? fmt::format("{:.4f}", ratio) : format_figure(ratio);
}

/// Counts with all their digits.
std::string format_amount(double value, const MetricColumn& column) {
  const bool is_count = column.origin != Origin::measured && value == std::floor(value);
  return is_count && value < 1e15 ? fmt::format("{:.0f}", value) : format_figure(value);
}

/// "3 slower (threshold 5 %) and 189 the same"
std::string describe_counts(const ComparedMetric& metric) {
  const MetricSummary& summary = metric.summary;
  const bool is_exact = metric.threshold == 0;
  const std::string threshold = fmt::format("{:.3g} %", metric.threshold * 100);
  if (const std::size_t same = summary.count(Change::same); same == summary.all()) {
    const std::string words = is_exact ? "equal" : "the same within " + threshold;
    return same == 1 ? words : fmt::format("all {} {}", format_thousands(same), words);
  }
  std::vector<std::string> parts;
  for (const Change change : {Change::worse, Change::better, Change::changed, Change::unclear,
                              Change::missing, Change::same}) {
    if (summary.count(change) == 0) continue;
    std::string words(change == Change::missing ? "without it in one of the runs"
                      : change == Change::same  ? (is_exact ? "equal" : "the same")
                                                : word_for(change, metric.is_speed));
    const bool is_beyond =
        change == Change::worse || change == Change::better || change == Change::changed;
    if (is_beyond && !is_exact) words += fmt::format(" (threshold {})", threshold);
    parts.push_back(fmt::format("{} {}", format_thousands(summary.count(change)), words));
  }
  return in_words(parts);
}

void add_metric_lines(const RunComparison& comparison, std::size_t index,
                      std::vector<std::string>& lines) {
  const ComparedMetric& metric = comparison.metrics[index];
  const MetricSummary& summary = metric.summary;
  std::string& line = lines.emplace_back(heading_of(metric) + ": " + describe_counts(metric));
  const bool all_equal = metric.threshold == 0 && summary.count(Change::same) == summary.all();
  if (summary.mean && summary.all() > 1 && !all_equal) {
    line += "; geometric mean of " + describe_ratio(*summary.mean);
    if (summary.not_averaged > 0) {
      line += fmt::format(", without {} of which a figure is 0",
                          format_thousands(summary.not_averaged));
    }
  }
  if (!metric.judges) line += "; shown only, nothing is judged by it";
  if (summary.all() < 2) return;
  const bool has_better = metric.better != Better::neither;
  for (const auto& [which, place] : {std::pair(has_better ? "worst" : "most", summary.worst),
                                     std::pair(has_better ? "best" : "least", summary.best)}) {
    if (!place) continue;
    const ConfigurationComparison& configuration = comparison.configurations[*place];
    lines.push_back(fmt::format(
        "  {}: {}", which,
        describe_row({&configuration, &metric, &configuration.changes[index]}, comparison)));
  }
}

/// What the metrics say of a configuration that was compared together: worse if any of those that
/// judge does, else better if any does, and so on to same.
Change overall_change(const RunComparison& comparison,
                      const ConfigurationComparison& configuration) {
  for (const Change change :
       {Change::worse, Change::better, Change::unclear, Change::changed, Change::same}) {
    for (std::size_t i = 0; i < configuration.changes.size(); ++i) {
      const bool judges = comparison.metrics[i].judges;
      if (judges && configuration.changes[i].change == change) return change;
    }
  }
  return Change::missing;
}

using Configurations = std::vector<const ConfigurationComparison*>;

/// The conditions on one parameter that all of the changed hold, and few others.
void describe_traits(const Configurations& all, const Configurations& changed,
                     const ParameterValues& parameter, std::string_view what,
                     std::vector<std::string>& lines) {
  constexpr double chance = 0.01;
  std::set<Value> values;
  for (const ConfigurationComparison* each : changed) {
    const auto value = each->value_of(parameter.name);
    if (!value) return;
    values.insert(*value);
  }
  const auto add = [&](std::string_view sign, const Value& bound, const auto& holds) {
    const auto holders = static_cast<std::size_t>(std::ranges::count_if(all, [&](const auto* each) {
      const auto value = each->value_of(parameter.name);
      return value && value->index() == bound.index() && holds(*value);
    }));
    double probability = 1;  // that as many, drawn from all, are all among the holders
    for (std::size_t i = 0; i < changed.size(); ++i) {
      probability *= static_cast<double>(holders - i) / static_cast<double>(all.size() - i);
    }
    if (probability >= chance) return;
    const std::string rest = holders == changed.size()
                                 ? ", and all that have it do so"
                                 : fmt::format(" ({} have it)", format_thousands(holders));
    lines.push_back(fmt::format("all {} that {} have {} {} {}{}", format_thousands(changed.size()),
                                what, parameter.name, sign, parameter.show(bound), rest));
  };
  const Value least = *values.begin();
  const Value most = *values.rbegin();
  if (values.size() == 1) {
    add("=", least, [&](const Value& value) { return value == least; });
  } else if (kind_of(least) == ValueKind::integer && kind_of(most) == ValueKind::integer) {
    add(">=", least, [&](const Value& value) { return value >= least; });
    add("<=", most, [&](const Value& value) { return value <= most; });
  }
}

}  // namespace

std::string describe_ratio(const Estimate& ratio) {
  std::string text = "B / A = " + format_ratio(ratio.value);
  if (ratio.interval && ratio.interval->low < ratio.interval->high) {
    text += fmt::format(" ({} to {})", format_ratio(ratio.interval->low),
                        format_ratio(ratio.interval->high));
  }
  return text;
}

std::string describe_change(const MetricChange& change, const ComparedMetric& metric) {
  if (change.change == Change::same) return "same";
  if (change.change == Change::missing) {
    return change.before ? "only in A" : change.after ? "only in B" : "in neither";
  }
  std::string size = std::isfinite(change.ratio.value)
                         ? describe_difference(change.ratio.value, metric.after)
                         : format_amount(change.after->value, metric.after) + " instead of 0";
  if (change.change != Change::unclear) return size;
  const auto& interval = change.ratio.interval;
  if (!interval) return "too few samples";
  return interval->low <= 1 && interval->high >= 1 ? "not told apart" : "perhaps " + size;
}

std::string describe_row(const ComparisonRow& row, const RunComparison& comparison) {
  const auto& [configuration, metric, change] = row;
  const std::string unit = unit_of(metric->after.name);
  return fmt::format("{}: {} to {}{}, {}; {}", describe(*configuration, comparison.parameters),
                     format_amount(change->before->value, metric->before),
                     format_amount(change->after->value, metric->after),
                     unit.empty() ? "" : " " + unit, describe_change(*change, *metric),
                     describe_ratio(change->ratio));
}

std::string_view describe(PairStatus status) {
  constexpr std::array<std::string_view, 6> words = {"compared",       "failed in B", "fixed in B",
                                                     "failed in both", "only in A",   "only in B"};
  return words.at(static_cast<std::size_t>(status));
}

std::string describe(const ConfigurationComparison& configuration,
                     const std::vector<ParameterValues>& parameters) {
  return describe(with_pattern(configuration.pattern, configuration.parameters), parameters);
}

std::string describe_verdict(const RunComparison& comparison) {
  std::map<Change, std::size_t> counts;
  std::size_t in_both = 0;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.before && each.after) ++in_both;
    if (each.status == PairStatus::compared) ++counts[overall_change(comparison, each)];
  }
  const bool is_speed = comparison.is_of_speed();
  const std::size_t failing = comparison.count(PairStatus::failed_after);
  const std::string of = count_of(in_both, "configuration") + " in both runs";
  const auto counted = [&](Change change) {
    return fmt::format("{} {}", format_thousands(counts[change]), word_for(change, is_speed));
  };
  std::vector<std::string> parts;
  if (counts[Change::worse] > 0) parts.push_back(counted(Change::worse));
  if (failing > 0) parts.push_back(format_thousands(failing) + " newly failing");
  if (!parts.empty()) return fmt::format("regression: of {} {}", of, in_words(parts));
  const std::size_t unclear = counts[Change::unclear];
  if (unclear == in_both) return fmt::format("no verdict: of {} none is told apart", of);
  std::string but;
  if (unclear > 0) {
    but = fmt::format("; {} {} not told apart", format_thousands(unclear),
                      unclear == 1 ? "is" : "are");
  }
  if (counts[Change::better] == 0) return "no regression among " + of + but;
  return fmt::format("no regression: of {} {}, none {}{}", of, counted(Change::better),
                     word_for(Change::worse, is_speed), but);
}

std::vector<std::string> describe_summary(const RunComparison& comparison) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    add_metric_lines(comparison, i, lines);
  }
  for (const PairStatus status :
       {PairStatus::failed_after, PairStatus::fixed, PairStatus::failed_both}) {
    if (const std::size_t count = comparison.count(status); count > 0) {
      lines.push_back(fmt::format("{}: {}", describe(status), count_of(count, "configuration")));
    }
  }
  for (std::string& line : describe_concentration(comparison)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> describe_concentration(const RunComparison& comparison) {
  Configurations all;
  std::map<Change, Configurations> changed;
  Configurations failing;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (!each.before || !each.after) continue;
    all.push_back(&each);
    changed[overall_change(comparison, each)].push_back(&each);
    if (each.status == PairStatus::failed_after) failing.push_back(&each);
  }
  std::vector<std::string> lines;
  const auto add = [&](const Configurations& some, const std::string& what) {
    if (some.size() < 2 || some.size() == all.size()) return;
    for (const ParameterValues& parameter : comparison.parameters) {
      describe_traits(all, some, parameter, what, lines);
    }
  };
  for (const Change change : {Change::worse, Change::better}) {
    add(changed[change], fmt::format("got {}", word_for(change, comparison.is_of_speed())));
  }
  add(failing, "newly fail");
  return lines;
}

}  // namespace sweep
