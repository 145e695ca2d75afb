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

/// A comparison, or && and || without one.
struct Operator {
  std::string_view text;
  std::optional<Comparison> comparison;
  std::size_t at = 0;
};
constexpr Operator operators[] = {{"<=", Comparison::less_equal}, {">=", Comparison::greater_equal},
                                  {"==", Comparison::equal},      {"!=", Comparison::not_equal},
                                  {"<", Comparison::less},        {">", Comparison::greater},
                                  {"&&", std::nullopt},           {"||", std::nullopt}};

/// Those outside parentheses and quotes.
std::vector<Operator> find_operators(std::string_view text) {
  std::vector<Operator> found;
  int open = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (text[at] == '\'') quoted = !quoted;
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (quoted || open > 0) continue;
    const auto* here = std::ranges::find_if(
        operators, [&](const Operator& known) { return rest.starts_with(known.text); });
    if (rest.starts_with("<<") || rest.starts_with(">>")) {
      ++at;
    } else if (here != std::end(operators)) {
      found.push_back({here->text, here->comparison, at});
      at += here->text.size() - 1;
    }
  }
  return found;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && !is_digit(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_word(c) || c == '.'; });
}

/// Reads what stands from `begin` to `end` of a text without the blanks around it.
std::optional<ExpectationSide> read_side(const std::string& whole, const Location& whole_where,
                                         std::size_t begin, std::size_t end,
                                         Diagnostics& diagnostics) {
  while (begin < end && is_space(whole[begin])) ++begin;
  while (end > begin && is_space(whole[end - 1])) --end;
  const std::string text = whole.substr(begin, end - begin);
  const Location where = whole_where.shifted(begin, std::max<std::size_t>(text.size(), 1));
  if (text.empty()) {
    diagnostics.error(where, "one side of this comparison is missing", example);
    return std::nullopt;
  }
  const MetricDefinition* metric = is_identifier(text) ? find_metric(text) : nullptr;
  if (metric != nullptr) return ExpectationSide{text, MetricName{metric->name}, false, where};
  const bool percent = text.ends_with('%');
  if (const auto number = parse_decimal(percent ? text.substr(0, text.size() - 1) : text)) {
    return ExpectationSide{text, *number, percent, where};
  }
  auto expression = Expression::parse(text, where, diagnostics);
  if (!expression) return std::nullopt;
  return ExpectationSide{text, std::move(*expression), false, where};
}

/// Adds an error unless a number with % meets a metric in %, and a fraction of 1 anything else.
bool check_percent(const ExpectationSide& number, const ExpectationSide& other,
                   Diagnostics& diagnostics) {
  const auto* figure = std::get_if<double>(&number.value);
  const auto* metric = std::get_if<MetricName>(&other.value);
  const bool is_share = metric != nullptr && find_metric(metric->name)->unit == "%";
  if (figure != nullptr && is_share && !number.percent && *figure > 0 && *figure < 1) {
    diagnostics.error(number.where,
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
  diagnostics.error(number.where, metric != nullptr
                                      ? fmt::format("'{}' is not a share in %", metric->name)
                                      : "a number in % is compared with a metric in %");
  return false;
}

std::optional<Expectation> parse_expectation(const std::string& text, const Location& where,
                                             Diagnostics& diagnostics) {
  const std::vector<Operator> found = find_operators(text);
  const auto first =
      std::ranges::find_if(found, [](const Operator& o) { return o.comparison.has_value(); });
  if (first == found.end()) {
    // A lone '=' has a message of its own.
    if (!Expression::parse(text, where, diagnostics)) return std::nullopt;
    diagnostics.error(where, "an expectation compares a metric with a number", example);
    return std::nullopt;
  }
  if (found.size() > 1) {
    const Operator& extra = first == found.begin() ? found[1] : found[0];
    diagnostics.error(where.shifted(extra.at, extra.text.size()),
                      "an expectation is one comparison",
                      "list several: expect: [load_sectors <= 4, shared_conflicts == 0]");
    return std::nullopt;
  }
  auto left = read_side(text, where, 0, first->at, diagnostics);
  auto right = read_side(text, where, first->at + first->text.size(), text.size(), diagnostics);
  if (!left || !right || !check_percent(*left, *right, diagnostics) ||
      !check_percent(*right, *left, diagnostics)) {
    return std::nullopt;
  }
  return Expectation{text, where, std::move(*left), *first->comparison, std::move(*right), {}};
}

/// Adds an error when a name in the expression is unknown, or a metric's.
bool check_names(const Expression& expression, const Scope& scope, Diagnostics& diagnostics) {
  for (const std::string& name : expression.names()) {
    if (scope.kind_of(name) || ElementType::find(name)) continue;
    if (find_metric(name) != nullptr) {
      diagnostics.error(expression.where(),
                        fmt::format("the metric '{}' is part of an expression", name),
                        fmt::format("a metric stands alone on its side, {}", example));
      return false;
    }
    // What else is unknown in an expression its own check says.
    if (expression.text() != name) continue;
    const std::string meant = did_you_mean(name, scope.names());
    diagnostics.error(expression.where(), fmt::format("there is no metric or parameter '{}'", name),
                      meant.empty() ? suggest_metric(name) : meant);
    return false;
  }
  return true;
}

/// Adds an error for each name that `scope` does not know, each side that is no number, and where
/// there is no metric.
void check(const Expectation& expectation, const Scope& scope, Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  bool has_metric = false;
  for (const ExpectationSide* side : {&expectation.left, &expectation.right}) {
    has_metric |= std::holds_alternative<MetricName>(side->value);
    const auto* expression = std::get_if<Expression>(&side->value);
    if (expression == nullptr || !check_names(*expression, scope, diagnostics)) continue;
    check_kind(*expression, scope, ValueKind::integer, "a side of an expectation", diagnostics,
               example);
  }
  if (expectation.condition) {
    check_kind(*expectation.condition, scope, ValueKind::boolean, "'where'", diagnostics,
               "write a comparison");
  }
  if (has_metric || diagnostics.error_count() > errors_before) return;
  diagnostics.error(expectation.where, "no metric stands in this expectation", example);
}

std::optional<Expectation> read_expectation(const YamlNode& node, const Scope* scope,
                                            Diagnostics& diagnostics) {
  const YamlNode* text_node = &node;
  std::optional<Expression> condition;
  if (node.is_map()) {
    const MapReader reader(node, "an expectation", expectation_keys, diagnostics);
    text_node = reader.require("check", example);
    condition = reader.expression("where");
    if (text_node == nullptr) return std::nullopt;
  }
  const auto text = read_text(*text_node, node.is_map() ? "check" : "expect", diagnostics);
  auto expectation = text ? parse_expectation(*text, text_node->where, diagnostics) : std::nullopt;
  if (!expectation) return std::nullopt;
  expectation->condition = std::move(condition);
  if (scope != nullptr) check(*expectation, *scope, diagnostics);
  return expectation;
}

}  // namespace

bool compare(double left, Comparison comparison, double right) {
  constexpr double slack = 1e-9;
  if (std::isnan(left) || std::isnan(right)) return false;
  const bool integers = std::trunc(left) == left && std::trunc(right) == right;
  const double larger = std::max(std::abs(left), std::abs(right));
  const bool same = left == right || (!integers && std::abs(left - right) <= slack * larger);
  using enum Comparison;
  if (comparison == equal || comparison == not_equal) return same == (comparison == equal);
  const bool or_equal = comparison == less_equal || comparison == greater_equal;
  if (same) return or_equal;
  return (left < right) == (comparison == less || comparison == less_equal);
}

std::vector<Expectation> read_expectations(const YamlNode* node, const Scope* scope,
                                           Diagnostics& diagnostics) {
  if (node == nullptr) return {};
  return read_items(
      *node, [&](const YamlNode& item) { return read_expectation(item, scope, diagnostics); });
}

}  // namespace sweep
