#include "engine/spec/report_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
    return diagnostics.error(where, "one side of this comparison is missing", example);
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
  if (std::holds_alternative<Expression>(other.value) && is_identifier(other.text)) {
    diagnostics.error(
        other.where,
        fmt::format("'{}' is no metric, and a number in % is compared with one", other.text),
        suggest_metric(other.text));
  } else {
    diagnostics.error(number.where, metric != nullptr
                                        ? fmt::format("'{}' is not a share in %", metric->name)
                                        : "a number in % is compared with a metric in %");
  }
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
    return diagnostics.error(where, "an expectation compares a metric with a number", example);
  }
  if (found.size() > 1) {
    const Operator& extra = first == found.begin() ? found[1] : found[0];
    return diagnostics.error(where.shifted(extra.at, extra.text.size()),
                             "an expectation is one comparison",
                             "list several: expect: [load_sectors <= 4, shared_conflicts == 0]");
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

std::vector<std::string> words_of(std::span<const Origin> origins) {
  std::vector<std::string> words;
  for (const Origin origin : origins) words.emplace_back(to_string(origin));
  return words;
}

constexpr const char* metric_help = "a metric, for example bandwidth";

const Key& key_of(ChartKind kind) {
  return chart_keys[static_cast<std::size_t>(kind)];
}

void refuse_empty_list(const YamlNode& node, std::string_view key, const std::string& help,
                       Diagnostics& diagnostics, const char* of = "parameter") {
  if (!node.is_sequence() || !node.items.empty()) return;
  diagnostics.error(node.where, fmt::format("'{}' names no {}", key, of), help);
}

/// The metrics, a name or a list of them, by today's names.
std::vector<std::string> read_metrics(const YamlNode& node, std::string_view key,
                                      const Scope* scope, Diagnostics& diagnostics) {
  refuse_empty_list(node, key, metric_help, diagnostics, "metric");
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, key, diagnostics)) {
    auto metric = read_metric(name, where, scope, diagnostics);
    if (metric) names.push_back(std::move(*metric));
  }
  return names;
}

constexpr const char* scatter_help = "for example x: time.measured, y: time.predicted";

/// A metric along the axis `key` of a scatter chart, of any origin or of one.
std::optional<MetricChoice> read_metric_choice(const std::string& text, const Location& where,
                                               std::string_view key, const Scope* scope,
                                               Diagnostics& diagnostics) {
  const MetricChoice choice = split_origin(text);
  const std::size_t dot = text.rfind('.');
  const bool is_metric = find_metric(choice.name) != nullptr;
  if (!is_metric && scope != nullptr && scope->kind_of(text)) {
    return diagnostics.error(
        where, fmt::format("'{}' is a parameter, and '{}' of 'scatter' has metrics", text, key),
        scatter_help);
  }
  if (!is_metric && dot != text.npos && find_metric(text.substr(0, dot)) != nullptr) {
    const std::string origin = text.substr(dot + 1);
    return diagnostics.error(where.shifted(dot + 1, std::max<std::size_t>(origin.size(), 1)),
                             fmt::format("'{}' is no origin of a metric", origin),
                             suggest(origin, words_of(all_origins), "the origins are"));
  }
  const Location named = choice.origin ? where.shifted(0, dot) : where;
  auto name = read_metric(choice.name, named, scope, diagnostics);
  if (!name) return std::nullopt;
  const MetricDefinition* metric = find_metric(*name);
  if (choice.origin && metric != nullptr && !metric->origins.empty() &&
      std::ranges::find(metric->origins, *choice.origin) == metric->origins.end()) {
    return diagnostics.error(
        where, fmt::format("'{}' is never {}", *name, to_string(*choice.origin)),
        fmt::format("its origins: {}", fmt::join(words_of(metric->origins), ", ")));
  }
  return MetricChoice{std::move(*name), choice.origin};
}

std::vector<MetricChoice> read_metric_choices(const YamlNode& node, std::string_view key,
                                              const Scope* scope, Diagnostics& diagnostics) {
  refuse_empty_list(node, key, scatter_help, diagnostics, "metric");
  std::vector<MetricChoice> choices;
  for (const auto& [text, where] : read_texts(node, key, diagnostics)) {
    auto choice = read_metric_choice(text, where, key, scope, diagnostics);
    if (choice) choices.push_back(std::move(*choice));
  }
  return choices;
}

/// Reads the map under `line:`, `bar:`, `heatmap:` or `scatter:` key by key, as the table of its
/// kind has them.
ChartLayout read_kind_of_chart(const YamlNode& node, ChartKind kind, const Scope* scope,
                               Diagnostics& diagnostics) {
  ChartLayout layout{kind};
  const MapReader reader(node, fmt::format("'{}'", key_of(kind).name), key_of(kind).keys,
                         diagnostics);
  std::vector<std::string> seen;
  for (const Key& key : key_of(kind).keys) {
    const std::string help(key.help);
    const YamlNode* value =
        key.is_required ? reader.require(key.name, help) : reader.find(key.name);
    if (value == nullptr) continue;
    if (key.form == ValueForm::metrics && kind == ChartKind::scatter) {
      auto& metrics = key.name == "x" ? layout.x_metrics : layout.y_metrics;
      metrics = read_metric_choices(*value, key.name, scope, diagnostics);
      if (key.name == "y" && !metrics.empty() && metrics == layout.x_metrics) {
        diagnostics.error(value->where, "both axes have the same metric", scatter_help);
      }
    } else if (key.form == ValueForm::metrics) {
      layout.values = read_metrics(*value, key.name, scope, diagnostics);
    } else if (key.form == ValueForm::boolean) {
      layout.shows_caches = reader.truth(key.name);
    } else if (key.form != ValueForm::names) {
      const bool is_of_x = key.name == "x_scale";
      const auto words =
          key.form == ValueForm::axis_scale ? std::span(scale_names) : value_scale_names;
      if (const auto chosen = reader.choice(key.name, words, "a scale", "the scales are")) {
        (is_of_x ? layout.x_scale : layout.value_scale) = static_cast<ScaleChoice>(*chosen);
      }
    } else {
      if (key.is_required) refuse_empty_list(*value, key.name, help, diagnostics);
      std::vector<std::string>& names = key.name == "x"        ? layout.x
                                        : key.name == "y"      ? layout.y
                                        : key.name == "series" ? layout.series
                                                               : layout.facets;
      for (auto& [name, where] : read_texts(*value, key.name, diagnostics)) {
        if (std::ranges::find(seen, name) != seen.end()) {
          diagnostics.error(where,
                            fmt::format("the chart has another place for '{}' already", name),
                            "a parameter stands on an axis, in 'series' or in 'facet', once");
        }
        check_name(name, where, scope, diagnostics);
        seen.push_back(name);
        names.push_back(std::move(name));
      }
    }
  }
  return layout;
}

/// The chart's one kind; nothing, with an error, when there is none or more than one.
std::optional<ChartKind> read_kind(const YamlNode& node, const MapReader& reader,
                                   Diagnostics& diagnostics) {
  std::optional<ChartKind> kind;
  bool is_misspelt = false;
  for (const YamlEntry& entry : node.entries) {
    const auto* const key = std::ranges::find(chart_keys, entry.key.text, &Key::name);
    if (key == std::end(chart_keys)) {
      is_misspelt = true;  // The reader has told about the unknown key.
    } else if (key->form == ValueForm::map && kind) {
      return diagnostics.error(entry.key.where, "a chart is of one kind, and this is a second",
                               "write one item of 'charts' for each");
    } else if (key->form == ValueForm::map) {
      kind = static_cast<ChartKind>(key - std::begin(chart_keys));
    }
  }
  if (!kind && !is_misspelt) {
    diagnostics.error(node.where,
                      "a chart needs one of the keys 'line', 'bar', 'heatmap' and 'scatter'",
                      "{line: {x: STRIDE, y: bandwidth, series: T}}");
  }
  if (!kind) return std::nullopt;
  const Key& key = key_of(*kind);
  return reader.require(key.name, std::string(key.help)) != nullptr ? kind : std::nullopt;
}

void read_chart(const YamlNode& node, const Scope* scope, std::vector<ChartLayout>& charts,
                Diagnostics& diagnostics) {
  const MapReader reader(node, "a chart", chart_keys, diagnostics, scope);
  const auto kind = node.is_map() ? read_kind(node, reader, diagnostics) : std::nullopt;
  if (!kind) return;
  ChartLayout& layout = charts.emplace_back(
      read_kind_of_chart(*reader.find(key_of(*kind).name), *kind, scope, diagnostics));
  layout.where = reader.condition("where");
  layout.title = reader.text("title");
}

TableLayout read_table(const YamlNode& node, const Scope* scope, Diagnostics& diagnostics) {
  const MapReader reader(node, "a table", table_keys, diagnostics, scope);
  const char* rows_help = "the parameters whose values are the table's lines";
  const YamlNode* rows = reader.require("rows", rows_help);
  if (rows != nullptr) refuse_empty_list(*rows, "rows", rows_help, diagnostics);
  TableLayout table{reader.names("rows"), reader.names("columns"), {}, {}, {}};
  const YamlNode* value = reader.require("value", metric_help);
  if (value != nullptr) table.values = read_metrics(*value, "value", scope, diagnostics);
  table.where = reader.condition("where");
  table.title = reader.text("title");
  return table;
}

/// The items of the list under `key`, at most `most`; nothing, with an error, for another value.
std::span<const YamlNode> find_list(const MapReader& reader, std::string_view key, std::size_t most,
                                    const char* help, Diagnostics& diagnostics) {
  const YamlNode* list = reader.find(key);
  if (list == nullptr) return {};
  if (list->is_sequence() && list->items.size() <= most) return list->items;
  const std::size_t count = list->items.size();
  diagnostics.error(list->where,
                    count > most
                        ? fmt::format("there are {} {}; a report can have {}", count, key, most)
                        : fmt::format("'{}' must be a list", key),
                    count > most ? "" : help);
  return {};
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

std::vector<std::string> names_of(const ChartLayout& layout) {
  std::vector<std::string> names = layout.x;
  for (const auto* more : {&layout.y, &layout.series, &layout.facets}) {
    names.insert(names.end(), more->begin(), more->end());
  }
  return names;
}

ReportLayout read_report_layout(const YamlNode* node, const Scope* scope,
                                Diagnostics& diagnostics) {
  ReportLayout layout;
  if (node == nullptr) return layout;
  const MapReader reader(*node, "report", report_keys, diagnostics);
  const auto tables =
      find_list(reader, "tables", spec_limits::tables,
                "tables: [{rows: STRIDE, columns: [T], value: bandwidth}]", diagnostics);
  for (const YamlNode& item : tables) {
    layout.tables.push_back(read_table(item, scope, diagnostics));
  }
  const auto charts =
      find_list(reader, "charts", spec_limits::charts,
                "charts: [{line: {x: STRIDE, y: bandwidth, series: T}}]", diagnostics);
  if (reader.find("charts") != nullptr) layout.charts.emplace();
  for (const YamlNode& item : charts) read_chart(item, scope, *layout.charts, diagnostics);
  return layout;
}

StoredSweep read_stored_sweep(const std::string& text) {
  StoredSweep sweep;
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"the stored sweep", text});
  if (const auto root = read_yaml(source, diagnostics)) {
    const auto find = [&](std::string_view key) {
      const YamlNode* node = root->find(key);
      return node != nullptr && !node->is_null() ? node : nullptr;
    };
    const YamlNode* summary = find("summary");
    if (summary != nullptr && summary->is_scalar()) sweep.summary = summary->text;
    Diagnostics ignored;  // a name may be that of a newer metric
    sweep.metrics = read_own_metrics(find("metrics"), ignored);
    define_own_metrics(sweep.metrics);
    sweep.report = read_report_layout(find("report"), nullptr, diagnostics);
    sweep.expect = read_expectations(find("expect"), nullptr, diagnostics);
  }
  if (diagnostics.has_errors()) throw InputError(diagnostics);
  return sweep;
}

}  // namespace sweep
