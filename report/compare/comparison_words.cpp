#include "report/compare/comparison_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "engine/store/record.h"
#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/metric_column.h"
#include "report/notes.h"

namespace sweep {
namespace {

/// Counts with all their digits.
std::string format_amount(double value, const MetricColumn& column) {
  const bool is_count = column.origin != Origin::measured && value == std::floor(value);
  return is_count && value < 1e15 ? fmt::format("{:.0f}", value) : format_figure(value);
}

std::string describe_size(const MetricChange& change, const ComparedMetric& metric) {
  if (!std::isfinite(change.ratio.value)) {
    return fmt::format("{} instead of 0", format_amount(change.after->value, metric.after));
  }
  return describe_difference(change.ratio.value, metric.after);
}

std::string describe_missing(const MetricChange& change) {
  if (change.before) return "only in A";
  return change.after ? "only in B" : "in neither";
}

bool tells_apart(const Ratio& ratio) {
  return ratio.interval && (ratio.interval->low > 1 || ratio.interval->high < 1);
}

/// "3 slower (threshold 5 %) and 189 the same"
std::string describe_counts(const ComparedMetric& metric, const MetricSummary& summary) {
  const bool is_exact = metric.threshold == 0;
  const std::string by =
      is_exact ? std::string() : fmt::format(" (threshold {:.3g} %)", metric.threshold * 100);
  const std::string same = is_exact
                               ? std::string("equal")
                               : fmt::format("the same within {:.3g} %", metric.threshold * 100);
  if (summary.count(Change::same) == summary.all()) {
    return summary.count(Change::same) == 1
               ? same
               : fmt::format("all {} {}", format_thousands(summary.count(Change::same)), same);
  }
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& words) {
    if (count > 0) parts.push_back(fmt::format("{} {}", format_thousands(count), words));
  };
  const bool is_speed = metric.is_speed;
  add(summary.count(Change::worse), fmt::format("{}{}", word_for(Change::worse, is_speed), by));
  add(summary.count(Change::better), fmt::format("{}{}", word_for(Change::better, is_speed), by));
  add(summary.count(Change::changed), fmt::format("{}{}", word_for(Change::changed, is_speed), by));
  add(summary.count(Change::unclear), std::string(word_for(Change::unclear, is_speed)));
  add(summary.count(Change::missing), "without it in one of the runs");
  add(summary.count(Change::same), is_exact ? "equal" : "the same");
  return in_words(parts);
}

std::string summary_line(const ComparedMetric& metric, const MetricSummary& summary) {
  std::string line = heading_of(metric) + ": " + describe_counts(metric, summary);
  const bool all_equal = metric.threshold == 0 && summary.count(Change::same) == summary.all();
  if (summary.mean && summary.all() > 1 && !all_equal) {
    line += "; geometric mean of " + describe_ratio(*summary.mean);
    if (summary.not_averaged > 0) {
      line += fmt::format(", without {} of which a figure is 0",
                          format_thousands(summary.not_averaged));
    }
  }
  if (!metric.judges) line += "; shown only, nothing is judged by it";
  return line;
}

std::string extreme_line(const char* which, const RunComparison& comparison, std::size_t metric,
                         std::size_t place, const std::vector<ParameterValues>& parameters) {
  const ConfigurationComparison& configuration = comparison.configurations[place];
  const MetricChange& change = configuration.changes[metric];
  const ComparedMetric& compared = comparison.metrics[metric];
  const std::string unit = unit_of(compared.after.name);
  return fmt::format("  {}: {}: {} to {}{}, {}; {}", which, describe(configuration, parameters),
                     format_amount(change.before->value, compared.before),
                     format_amount(change.after->value, compared.after),
                     unit.empty() ? "" : " " + unit, describe_change(change, compared),
                     describe_ratio(change.ratio));
}

void add_metric_lines(const RunComparison& comparison, std::size_t metric,
                      const std::vector<ParameterValues>& parameters,
                      std::vector<std::string>& lines) {
  const MetricSummary& summary = comparison.summaries[metric];
  lines.push_back(summary_line(comparison.metrics[metric], summary));
  if (summary.all() < 2) return;
  const bool has_better = comparison.metrics[metric].better != Better::neither;
  if (summary.worst) {
    lines.push_back(extreme_line(has_better ? "worst" : "most", comparison, metric, *summary.worst,
                                 parameters));
  }
  if (summary.best) {
    lines.push_back(
        extreme_line(has_better ? "best" : "least", comparison, metric, *summary.best, parameters));
  }
}

}  // namespace

std::string format_ratio(double ratio) {
  if (!std::isfinite(ratio)) return "infinite";
  return ratio > 0.1 && ratio < 10 ? fmt::format("{:.4f}", ratio) : format_figure(ratio);
}

std::string describe_ratio(const Ratio& ratio) {
  std::string text = "B / A = " + format_ratio(ratio.value);
  if (ratio.interval && ratio.interval->low < ratio.interval->high) {
    text += fmt::format(" ({} to {})", format_ratio(ratio.interval->low),
                        format_ratio(ratio.interval->high));
  }
  return text;
}

std::string describe_change(const MetricChange& change, const ComparedMetric& metric) {
  switch (change.change) {
    case Change::same:
      return "same";
    case Change::missing:
      return describe_missing(change);
    case Change::unclear:
      if (!change.ratio.interval) return "too few samples";
      return tells_apart(change.ratio) ? "perhaps " + describe_size(change, metric)
                                       : "not told apart";
    case Change::better:
    case Change::worse:
    case Change::changed:
      break;
  }
  return describe_size(change, metric);
}

std::string_view word_for(Change change, bool is_speed) {
  if (is_speed && change == Change::better) return "faster";
  if (is_speed && change == Change::worse) return "slower";
  return change == Change::unclear ? "not told apart" : to_string(change);
}

std::string_view describe(PairStatus status) {
  constexpr std::array<std::string_view, 6> words = {"compared",       "failed in B", "fixed in B",
                                                     "failed in both", "only in A",   "only in B"};
  return words.at(static_cast<std::size_t>(status));
}

Change overall_change(const RunComparison& comparison,
                      const ConfigurationComparison& configuration) {
  const auto any = [&](Change change) {
    for (std::size_t i = 0; i < configuration.changes.size(); ++i) {
      if (comparison.metrics[i].judges && configuration.changes[i].change == change) return true;
    }
    return false;
  };
  for (const Change change :
       {Change::worse, Change::better, Change::unclear, Change::changed, Change::same}) {
    if (any(change)) return change;
  }
  return Change::missing;
}

std::string describe(const ConfigurationComparison& configuration,
                     const std::vector<ParameterValues>& parameters) {
  return describe(with_pattern(configuration.pattern, configuration.parameters), parameters);
}

std::string name_of(const RunComparison& comparison) {
  const std::string& before = comparison.before.results.run.provenance.sweep_name;
  const std::string& after = comparison.after.results.run.provenance.sweep_name;
  return before == after ? after : before + " and " + after;
}

std::string describe_run(const ComparedRun& run) {
  const std::size_t failed = run.results.count_failed();
  std::vector<std::string> parts;
  if (!run.results.run.started.empty()) parts.push_back(readable_time(run.results.run.started));
  if (const std::string& device = run.results.run.provenance.device.name; !device.empty()) {
    parts.push_back(device);
  }
  parts.push_back(count_of(run.results.points.size(), "point"));
  if (failed > 0) {
    parts.push_back(fmt::format("{} failed", format_thousands(failed)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe_verdict(const RunComparison& comparison) {
  std::size_t worse = 0;
  std::size_t better = 0;
  std::size_t unclear = 0;
  std::size_t in_both = 0;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.before && each.after) ++in_both;
    if (each.status != PairStatus::compared) continue;
    const Change change = overall_change(comparison, each);
    if (change == Change::worse) ++worse;
    if (change == Change::better) ++better;
    if (change == Change::unclear) ++unclear;
  }
  const bool is_speed = !comparison.metrics.empty() && comparison.metrics.front().is_speed;
  const std::size_t failing = comparison.count(PairStatus::failed_after);
  const std::string of = count_of(in_both, "configuration") + " in both runs";
  std::vector<std::string> parts;
  if (worse > 0) {
    parts.push_back(
        fmt::format("{} {}", format_thousands(worse), word_for(Change::worse, is_speed)));
  }
  if (failing > 0) parts.push_back(fmt::format("{} newly failing", format_thousands(failing)));
  if (!parts.empty()) return fmt::format("regression: of {} {}", of, in_words(parts));
  if (unclear == in_both) return fmt::format("no verdict: of {} none is told apart", of);
  const std::string but = unclear == 0
                              ? std::string()
                              : fmt::format("; {} {} not told apart", format_thousands(unclear),
                                            unclear == 1 ? "is" : "are");
  if (better == 0) return "no regression among " + of + but;
  return fmt::format("no regression: of {} {} {}, none {}{}", of, format_thousands(better),
                     word_for(Change::better, is_speed), word_for(Change::worse, is_speed), but);
}

std::vector<std::string> describe_summary(const RunComparison& comparison) {
  std::vector<std::string> lines;
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  for (std::size_t i = 0; i < comparison.metrics.size(); ++i) {
    add_metric_lines(comparison, i, parameters, lines);
  }
  for (const PairStatus status :
       {PairStatus::failed_after, PairStatus::fixed, PairStatus::failed_both}) {
    const std::size_t count = comparison.count(status);
    if (count == 0) continue;
    lines.push_back(fmt::format("{}: {}", describe(status), count_of(count, "configuration")));
  }
  for (std::string& line : describe_concentration(comparison)) lines.push_back(std::move(line));
  return lines;
}

namespace {

constexpr double chance = 0.01;

/// The configurations in both runs, and which of them changed one way.
struct ChangedOnes {
  std::vector<const ConfigurationComparison*> all;
  std::vector<const ConfigurationComparison*> changed;
};

ChangedOnes find(const RunComparison& comparison, Change wanted, PairStatus status) {
  ChangedOnes found;
  for (const ConfigurationComparison& each : comparison.configurations) {
    if (each.status == PairStatus::only_before || each.status == PairStatus::only_after) continue;
    found.all.push_back(&each);
    const bool is_meant =
        each.status == PairStatus::compared
            ? status == PairStatus::compared && overall_change(comparison, each) == wanted
            : each.status == status;
    if (is_meant) found.changed.push_back(&each);
  }
  return found;
}

std::optional<Value> value_of(const ConfigurationComparison& configuration,
                              const std::string& name) {
  if (name == "pattern") return Value(configuration.pattern);
  const Value* value = configuration.parameters.find(name);
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

/// How likely `drawn` of `all` without replacement are all among `marked` of them.
double probability(std::size_t marked, std::size_t all, std::size_t drawn) {
  double result = 1;
  for (std::size_t i = 0; i < drawn; ++i) {
    result *= static_cast<double>(marked - i) / static_cast<double>(all - i);
  }
  return result;
}

/// A condition that all of the changed hold.
struct Trait {
  std::string text;
  std::size_t holders = 0;  ///< among all
};

void add_value_trait(const ChangedOnes& ones, const ParameterValues& parameter,
                     std::vector<Trait>& traits) {
  const auto value = value_of(*ones.changed.front(), parameter.name);
  const auto holds = [&](const ConfigurationComparison* each) {
    return value_of(*each, parameter.name) == value;
  };
  if (!value || !std::ranges::all_of(ones.changed, holds)) return;
  traits.push_back({fmt::format("{} = {}", parameter.name, parameter.show(*value)),
                    static_cast<std::size_t>(std::ranges::count_if(ones.all, holds))});
}

void add_range_traits(const ChangedOnes& ones, const ParameterValues& parameter,
                      std::vector<Trait>& traits) {
  std::set<std::int64_t> values;
  for (const ConfigurationComparison* each : ones.changed) {
    const auto value = value_of(*each, parameter.name);
    const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    if (number == nullptr) return;
    values.insert(*number);
  }
  if (values.size() < 2) return;
  const auto count = [&](auto&& holds) {
    std::size_t holders = 0;
    for (const ConfigurationComparison* each : ones.all) {
      const auto value = value_of(*each, parameter.name);
      const auto* number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
      if (number != nullptr && holds(*number)) ++holders;
    }
    return holders;
  };
  const std::int64_t least = *values.begin();
  const std::int64_t most = *values.rbegin();
  traits.push_back({fmt::format("{} >= {}", parameter.name, parameter.show(least)),
                    count([&](std::int64_t each) { return each >= least; })});
  traits.push_back({fmt::format("{} <= {}", parameter.name, parameter.show(most)),
                    count([&](std::int64_t each) { return each <= most; })});
}

void describe_traits(const ChangedOnes& ones, const std::vector<ParameterValues>& parameters,
                     std::string_view what, std::vector<std::string>& lines) {
  constexpr std::size_t fewest = 2;
  if (ones.changed.size() < fewest || ones.changed.size() == ones.all.size()) return;
  std::vector<Trait> traits;
  for (const ParameterValues& parameter : parameters) {
    add_value_trait(ones, parameter, traits);
    add_range_traits(ones, parameter, traits);
  }
  for (const Trait& trait : traits) {
    if (probability(trait.holders, ones.all.size(), ones.changed.size()) >= chance) continue;
    const std::string count = format_thousands(ones.changed.size());
    lines.push_back(trait.holders == ones.changed.size()
                        ? fmt::format("all {} that {} have {}, and all that have it do so", count,
                                      what, trait.text)
                        : fmt::format("all {} that {} have {} ({} have it)", count, what,
                                      trait.text, format_thousands(trait.holders)));
  }
}

}  // namespace

std::vector<std::string> describe_concentration(const RunComparison& comparison) {
  const std::vector<ParameterValues>& parameters = comparison.parameters;
  const bool is_speed = !comparison.metrics.empty() && comparison.metrics.front().is_speed;
  std::vector<std::string> lines;
  describe_traits(find(comparison, Change::worse, PairStatus::compared), parameters,
                  is_speed ? "got slower" : "got worse", lines);
  describe_traits(find(comparison, Change::better, PairStatus::compared), parameters,
                  is_speed ? "got faster" : "got better", lines);
  describe_traits(find(comparison, Change::missing, PairStatus::failed_after), parameters,
                  "newly fail", lines);
  return lines;
}

}  // namespace sweep
