#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "engine/text/units.h"
#include "report/display_text.h"
#include "report/findings.h"

namespace sweep {
namespace {

constexpr const char* way_to_whole_verification =
    "an expectation is about results that were verified: let the emulator execute all, by smaller "
    "sizes (emulator: {set: {N: 1 Mi}}) or --exact, or say how much is enough (expect: "
    "[verified_share >= 5 %])";

bool is_meant(const PointRecord& point, const Expectation& expectation) {
  const Bindings environment = environment_of(point);
  const auto has_names = [&](const ExpectationSide& side) {
    const auto* expression = std::get_if<Expression>(&side.value);
    return expression == nullptr || std::ranges::all_of(expression->names(), [&](const auto& name) {
             return environment.find(name) != nullptr || ElementType::find(name).has_value();
           });
  };
  return point.status == PointStatus::ok && has_names(expectation.left) &&
         has_names(expectation.right) &&
         (!expectation.condition || holds(*expectation.condition, point));
}

/// What is measured before what is emulated; no count that is estimated.
std::optional<double> metric_of(const PointRecord& point, const std::string& name) {
  const MetricDefinition* known = find_metric(name);
  for (const Origin origin : all_origins) {
    if (origin == Origin::predicted && known != nullptr && !is_of_time(*known)) continue;
    const MetricColumn column{name, origin};
    if (const auto figure = figure_of(point, column)) return figure;
  }
  return std::nullopt;
}

std::optional<double> value_of(const PointRecord& point, const ExpectationSide& side) {
  if (const auto* metric = std::get_if<MetricName>(&side.value)) {
    return metric_of(point, metric->name);
  }
  if (const auto* number = std::get_if<double>(&side.value)) return *number;
  try {
    return static_cast<double>(
        std::get<Expression>(side.value).evaluate_integer(environment_of(point)));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// "efficiency = 12.5 %" of each side that is not a number already.
std::string describe_found(const Expectation& expectation, double left, double right) {
  std::vector<std::string> found;
  for (const auto& [side, value] :
       {std::pair(&expectation.left, left), std::pair(&expectation.right, right)}) {
    if (std::holds_alternative<double>(side->value)) continue;
    const auto* metric = std::get_if<MetricName>(&side->value);
    const std::string name = metric != nullptr ? metric->name : side->text;
    const std::string unit = metric != nullptr ? unit_of(name) : std::string();
    found.push_back(fmt::format("{} = {}{}{}", name, value, unit.empty() ? "" : " ", unit));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

void check_point(const PointRecord& point, ExpectationResult& result) {
  const Expectation& expectation = result.expectation;
  const auto left = value_of(point, expectation.left);
  const auto right = value_of(point, expectation.right);
  if (!left || !right) {
    ++result.unchecked;
    if (point.key.device.starts_with("cuda ") && lacks_counts(point)) ++result.uncounted;
    for (const ExpectationSide* side : {&expectation.left, &expectation.right}) {
      const auto* metric = std::get_if<MetricName>(&side->value);
      if (metric == nullptr || metric_of(point, metric->name)) continue;
      if (std::ranges::find(result.missing, metric->name) == result.missing.end()) {
        result.missing.push_back(metric->name);
      }
    }
  } else if (compare(*left, expectation.comparison, *right)) {
    ++result.held;
  } else {
    result.broken.push_back({&point, describe_found(expectation, *left, *right)});
  }
}

std::string points(std::size_t count, std::size_t all) {
  return fmt::format("{} of {}", format_thousands(count), count_of(all, "point"));
}

/// What gives the points such a metric; empty where it depends on the pattern.
std::string_view way_to(const std::string& metric) {
  const MetricDefinition& definition = definition_of(metric);
  if (definition.needs_caches) return "the emulator gives it with measure: {caches: true}";
  return is_of_time(definition) ? "it takes a GPU" : "";
}

/// Why nothing, or not everything, could be checked.
std::string describe_unchecked(const ExpectationResult& result) {
  if (!result.applies()) return "cannot be checked: no point that succeeded is meant by it";
  const bool is_all = result.unchecked == result.meant();
  std::string why = "it has no value there";
  if (!result.missing.empty()) {
    why = (is_all ? "no point has " : "they have no ") + in_words(result.missing);
  }
  if (is_all) return "cannot be checked: " + why;
  return fmt::format("cannot be checked at {}: {}", points(result.unchecked, result.meant()), why);
}

std::string list_broken(const ExpectationResult& result,
                        const std::vector<ParameterValues>& parameters) {
  constexpr std::size_t most_shown = 10;
  const List list = list_first(result.broken, most_shown, [&](const BrokenPoint& broken) {
    return printable(describe(*broken.point, parameters)) + ": " + broken.found;
  });
  std::string text;
  for (const ListItem& item : list.items) text += "  " + item.text + '\n';
  return text;
}

bool names_verification(const Expectation& expectation) {
  return std::ranges::any_of(std::array{&expectation.left, &expectation.right}, [](auto* side) {
    const auto* metric = std::get_if<MetricName>(&side->value);
    return metric != nullptr && metric->name == verified_share;
  });
}

/// What every expectation takes for granted, unless one says what is enough, or the emulator counts
/// for predictions: of a GPU's large grids it executes some blocks.
std::optional<ExpectationResult> whole_verification(const std::vector<Expectation>& expectations,
                                                    std::span<const StoredPoint> points) {
  if (expectations.empty() || std::ranges::any_of(expectations, names_verification) ||
      partly_verified(points).points == 0 ||
      std::ranges::any_of(points, [](const StoredPoint& stored) {
        return stored.point.key.device.find(with_caches) != std::string::npos;
      })) {
    return std::nullopt;
  }
  ExpectationResult result;
  result.is_implied = true;
  result.expectation.text = fmt::format("{} == 100 %", verified_share);
  result.expectation.where = expectations.front().where;
  result.expectation.left = {verified_share, MetricName{verified_share}};
  result.expectation.right = {"100 %", 100.0, true};
  for (const StoredPoint& stored : points) {
    const bool is_known = metric_of(stored.point, verified_share).has_value();
    if (stored.point.status == PointStatus::ok && is_known) check_point(stored.point, result);
  }
  return result;
}

}  // namespace

std::vector<ExpectationResult> check_expectations_on(const std::vector<Expectation>& expectations,
                                                     std::span<const StoredPoint> points,
                                                     bool is_part) {
  std::vector<ExpectationResult> results;
  for (const Expectation& expectation : expectations) {
    ExpectationResult& result = results.emplace_back();
    result.expectation = expectation;
    result.is_part = is_part;
    for (const StoredPoint& stored : points) {
      if (is_meant(stored.point, expectation)) check_point(stored.point, result);
    }
  }
  if (auto implied = whole_verification(expectations, points)) {
    results.push_back(std::move(*implied));
  }
  return results;
}

std::string describe(const Expectation& expectation) {
  std::string text = expectation.text;
  if (expectation.condition) text += ", where " + expectation.condition->text();
  return text;
}

std::string verdict_of(const ExpectationResult& result) {
  if (result.unchecked == result.meant()) return describe_unchecked(result);
  std::string text =
      result.broken.empty() ? "holds" : "broken by " + points(result.broken.size(), result.meant());
  if (result.unchecked > 0) text += "; " + describe_unchecked(result);
  return text;
}

std::vector<ExpectationMessage> expectation_messages(std::span<const ExpectationResult> results,
                                                     std::span<const StoredPoint> points) {
  const std::vector<const PointRecord*> records = records_of(points);
  const std::vector<ParameterValues> told = telling_parameters(parameters_of(records));
  std::vector<ExpectationMessage> messages;
  for (const ExpectationResult& result : results) {
    if (result.kept() && result.held > 0 && result.unchecked == 0) continue;
    auto& [message, broken] = messages.emplace_back();
    if (result.kept()) message.severity = result.applies() ? Severity::warning : Severity::note;
    message.where = result.expectation.where;
    const std::string verdict = result.kept() ? describe_unchecked(result) : verdict_of(result);
    message.message = fmt::format("'{}': {}", describe(result.expectation), verdict);
    if (result.is_implied) message.help = way_to_whole_verification;
    if (!result.missing.empty()) message.help = way_to(result.missing.front());
    if (result.uncounted > 0) {
      message.help =
          "the emulator had no time to count them; 'sweep report --count' does, and checks again";
    }
    broken = list_broken(result, told);
  }
  return messages;
}

std::string describe_broken(std::span<const ExpectationResult> results,
                            std::span<const StoredPoint> points, bool color) {
  std::string text;
  for (const auto& [message, broken] : expectation_messages(results, points)) {
    text += render(message, color) + broken;
  }
  return text;
}

}  // namespace sweep
