#include "engine/spec/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/metric.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

constexpr const char* example = "for example load_sectors_per_request <= 4";

/// An operator outside parentheses and quotes.
struct Operator {
  std::size_t at = 0;
  std::size_t length = 0;
  std::optional<Comparison> comparison;  ///< nothing for && and ||
};

/// The operator that begins at `at`, or one of length 0.
Operator operator_at(std::string_view text, std::size_t at) {
  struct Known {
    std::string_view text;
    std::optional<Comparison> comparison;
  };
  static constexpr std::array known = {
      Known{"<=", Comparison::less_equal}, Known{">=", Comparison::greater_equal},
      Known{"==", Comparison::equal},      Known{"!=", Comparison::not_equal},
      Known{"<", Comparison::less},        Known{">", Comparison::greater},
      Known{"&&", std::nullopt},           Known{"||", std::nullopt},
  };
  for (const Known& candidate : known) {
    if (text.substr(at).starts_with(candidate.text)) {
      return {at, candidate.text.size(), candidate.comparison};
    }
  }
  return {};
}

std::vector<Operator> find_operators(std::string_view text) {
  std::vector<Operator> found;
  int open = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (text[at] == '\'') quoted = !quoted;
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (quoted || open > 0) {
      ++at;
    } else if (rest.starts_with("<<") || rest.starts_with(">>")) {
      at += 2;
    } else {
      const Operator here = operator_at(text, at);
      if (here.length > 0) found.push_back(here);
      at += std::max<std::size_t>(here.length, 1);
    }
  }
  return found;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.'; });
}

/// The part of a text from `begin` to `end` without the blanks around it, and its place.
struct Part {
  std::string text;
  Location where;
};

Part trimmed_part(const std::string& text, const Location& where, std::size_t begin,
                  std::size_t end) {
  while (begin < end && is_space(text[begin])) ++begin;
  while (end > begin && is_space(text[end - 1])) --end;
  return {text.substr(begin, end - begin),
          where.shifted(begin, std::max<std::size_t>(end - begin, 1))};
}

std::optional<ExpectationSide> read_side(const Part& part, Diagnostics& diagnostics) {
  if (part.text.empty()) {
    diagnostics.error(part.where, "one side of this comparison is missing", example);
    return std::nullopt;
  }
  if (is_identifier(part.text)) {
    if (const MetricDefinition* metric = find_metric(part.text)) {
      return ExpectationSide{part.text, MetricName{metric->name}};
    }
  }
  const bool percent = part.text.ends_with('%');
  if (const auto number =
          parse_decimal(percent ? part.text.substr(0, part.text.size() - 1) : part.text)) {
    return ExpectationSide{part.text, *number, percent};
  }
  auto expression = Expression::parse(part.text, part.where, diagnostics);
  if (!expression) return std::nullopt;
  return ExpectationSide{part.text, std::move(*expression)};
}

/// Adds an error unless a number with % meets a metric in %, and a fraction of 1 anything else.
bool check_percent(const ExpectationSide& number, const ExpectationSide& other,
                   const Location& where, Diagnostics& diagnostics) {
  const auto* figure = std::get_if<double>(&number.value);
  const auto* metric = std::get_if<MetricName>(&other.value);
  const bool is_share = metric != nullptr && find_metric(metric->name)->unit == "%";
  if (figure != nullptr && is_share && !number.percent && *figure > 0 && *figure < 1) {
    diagnostics.error(where,
                      fmt::format("'{}' is in %, so that {} may be meant to be {} %", metric->name,
                                  number.text, *figure * 100),
                      fmt::format("write {0} % or {1} %", number.text, *figure * 100));
    return false;
  }
  if (!number.percent || is_share) return true;
  const auto* expression = std::get_if<Expression>(&other.value);
  if (expression != nullptr && is_identifier(expression->text())) {
    diagnostics.error(expression->where(),
                      fmt::format("'{}' is no metric, and a number in % is compared with one",
                                  expression->text()),
                      suggest_metric(expression->text()));
    return false;
  }
  diagnostics.error(where, metric != nullptr ? fmt::format("'{}' is not a share in %", metric->name)
                                             : "a number in % is compared with a metric in %");
  return false;
}

void explain_missing_comparison(const std::string& text, const Location& where,
                                Diagnostics& diagnostics) {
  // A lone '=' has a message of its own.
  if (!Expression::parse(text, where, diagnostics)) return;
  diagnostics.error(where, "an expectation compares a metric with a number", example);
}

std::optional<Expectation> parse_expectation(const std::string& text, const Location& where,
                                             Diagnostics& diagnostics) {
  const std::vector<Operator> operators = find_operators(text);
  const auto first =
      std::ranges::find_if(operators, [](const Operator& o) { return o.comparison.has_value(); });
  if (first == operators.end()) {
    explain_missing_comparison(text, where, diagnostics);
    return std::nullopt;
  }
  if (operators.size() > 1) {
    const Operator& extra = first == operators.begin() ? operators[1] : operators[0];
    diagnostics.error(where.shifted(extra.at, extra.length), "an expectation is one comparison",
                      "list several: expect: [load_sectors <= 4, shared_conflicts == 0]");
    return std::nullopt;
  }
  const Part left_part = trimmed_part(text, where, 0, first->at);
  const Part right_part = trimmed_part(text, where, first->at + first->length, text.size());
  auto left = read_side(left_part, diagnostics);
  auto right = read_side(right_part, diagnostics);
  if (!left || !right || !check_percent(*left, *right, left_part.where, diagnostics) ||
      !check_percent(*right, *left, right_part.where, diagnostics)) {
    return std::nullopt;
  }
  return Expectation{text,        where, std::move(*left), *first->comparison, std::move(*right),
                     std::nullopt};
}

std::optional<Expectation> read_expectation(const YamlNode& node, Diagnostics& diagnostics) {
  if (!node.is_map()) {
    const auto text = read_text(node, "expect", diagnostics);
    return text ? parse_expectation(*text, node.where, diagnostics) : std::nullopt;
  }
  const MapReader reader(node, "an expectation", expectation_keys, diagnostics);
  const YamlNode* check = reader.require("check", example);
  auto condition = reader.expression("where");
  const auto text = check != nullptr ? read_text(*check, "check", diagnostics) : std::nullopt;
  if (!text) return std::nullopt;
  auto expectation = parse_expectation(*text, check->where, diagnostics);
  if (expectation) expectation->condition = std::move(condition);
  return expectation;
}

/// Adds an error when a name in the expression is unknown, or a metric's.
bool check_names(const Expression& expression, const Scope& scope, Diagnostics& diagnostics) {
  for (const std::string& name : expression.names()) {
    if (scope.kind_of(name) || ElementType::find(name)) continue;
    if (find_metric(name) != nullptr) {
      diagnostics.error(expression.where(),
                        fmt::format("the metric '{}' is part of an expression", name),
                        fmt::format("a metric stands alone on its side, {}", example));
    } else if (expression.text() == name) {
      const std::string meant = did_you_mean(name, scope.names());
      diagnostics.error(expression.where(),
                        fmt::format("there is no metric or parameter '{}'", name),
                        meant.empty() ? suggest_metric(name) : meant);
    } else {
      continue;  // the expression's own check says so
    }
    return false;
  }
  return true;
}

void check_side(const ExpectationSide& side, const Scope& scope, Diagnostics& diagnostics) {
  const auto* expression = std::get_if<Expression>(&side.value);
  if (expression == nullptr || !check_names(*expression, scope, diagnostics)) return;
  check_kind(*expression, scope, ValueKind::integer, "a side of an expectation", diagnostics,
             example);
}

}  // namespace

bool compare(double left, Comparison comparison, double right) {
  constexpr double slack = 1e-9;
  if (std::isnan(left) || std::isnan(right)) return false;
  const bool integers = std::trunc(left) == left && std::trunc(right) == right;
  const double larger = std::max(std::abs(left), std::abs(right));
  const bool same = left == right || (!integers && std::abs(left - right) <= slack * larger);
  switch (comparison) {
    case Comparison::less:
      return !same && left < right;
    case Comparison::less_equal:
      return same || left < right;
    case Comparison::greater:
      return !same && left > right;
    case Comparison::greater_equal:
      return same || left > right;
    case Comparison::equal:
      return same;
    case Comparison::not_equal:
      break;
  }
  return !same;
}

std::vector<Expectation> read_expectations(const YamlNode& node, Diagnostics& diagnostics) {
  std::vector<Expectation> expectations;
  for_each_item(node, [&](const YamlNode& item) {
    auto expectation = read_expectation(item, diagnostics);
    if (expectation) expectations.push_back(std::move(*expectation));
  });
  return expectations;
}

void check_expectations(const std::vector<Expectation>& expectations, const Scope& scope,
                        Diagnostics& diagnostics) {
  for (const Expectation& expectation : expectations) {
    const std::size_t errors_before = diagnostics.error_count();
    check_side(expectation.left, scope, diagnostics);
    check_side(expectation.right, scope, diagnostics);
    if (expectation.condition) {
      check_kind(*expectation.condition, scope, ValueKind::boolean, "'where'", diagnostics,
                 "write a comparison");
    }
    const bool has_metric = std::holds_alternative<MetricName>(expectation.left.value) ||
                            std::holds_alternative<MetricName>(expectation.right.value);
    if (!has_metric && diagnostics.error_count() == errors_before) {
      diagnostics.error(expectation.where, "no metric stands in this expectation", example);
    }
  }
}

std::vector<Expectation> expectations_of(const std::string& sweep_text) {
  return read_stored(sweep_text, "expect", read_expectations);
}

}  // namespace sweep
