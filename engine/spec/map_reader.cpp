#include "engine/spec/map_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/metric.h"
#include "engine/text/characters.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

const YamlNode absent;

}  // namespace

MapReader::MapReader(const YamlNode& node, std::string what, KeyTable table,
                     Diagnostics& diagnostics, const Scope* scope)
    : diagnostics_(diagnostics), scope_(scope), node_(node), what_(std::move(what)) {
  if (&node == &absent) return;
  const std::vector<std::string> keys = names_of(table);
  if (!node.is_map()) {
    diagnostics.error(node.where,
                      node.is_null() ? fmt::format("{} is empty", what_)
                                     : fmt::format("{} must be a map of keys and values", what_),
                      suggest("", keys, "the keys are"));
  }
  for (const auto& [key, value] : node.entries) {
    if (std::ranges::find(keys, key.text) != keys.end()) continue;
    diagnostics.error(key.where, fmt::format("{} has no key '{}'", what_, key.text),
                      suggest(key.text, keys, "the keys are"));
    suggestions_.push_back(did_you_mean(key.text, keys));
  }
}

const YamlNode* MapReader::find(std::string_view key) const {
  const YamlNode* value = node_.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

const YamlNode* MapReader::require(std::string_view key, const std::string& help) const {
  const auto entry = std::ranges::find_if(
      node_.entries, [&](const YamlEntry& candidate) { return candidate.key.text == key; });
  const std::string meant = fmt::format("did you mean '{}'?", key);
  if (entry != node_.entries.end() && entry->value.is_null()) {
    diagnostics_.error(entry->key.where, fmt::format("'{}' has no value", key), help);
  } else if (entry == node_.entries.end() && node_.is_map() &&
             std::ranges::find(suggestions_, meant) == suggestions_.end()) {
    diagnostics_.error(node_.where, fmt::format("{} needs the key '{}'", what_, key), help);
  }
  return find(key);
}

MapReader MapReader::map(std::string_view key, KeyTable table) const {
  const YamlNode* value = find(key);
  return {value != nullptr ? *value : absent, std::string(key), table, diagnostics_, scope_};
}

std::string MapReader::text(std::string_view key) const {
  const YamlNode* value = find(key);
  return value == nullptr ? "" : read_text(*value, key, diagnostics_).value_or(std::string());
}

std::optional<Expression> MapReader::expression(std::string_view key) const {
  const YamlNode* value = find(key);
  return value == nullptr ? std::nullopt : read_expression(*value, key, diagnostics_);
}

std::optional<Expression> MapReader::condition(std::string_view key) const {
  auto condition = expression(key);
  if (condition && scope_ != nullptr) {
    check_kind(*condition, *scope_, ValueKind::boolean, fmt::format("'{}'", key), diagnostics_,
               "write a comparison");
  }
  return condition;
}

std::optional<std::int64_t> MapReader::integer(std::string_view key) const {
  const auto text = expression(key);
  const auto value = text ? read_constant(*text, diagnostics_) : std::nullopt;
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return *number;
  return diagnostics_.error(text->where(), fmt::format("'{}' must be an integer, but this is {}",
                                                       key, describe(kind_of(*value))));
}

std::vector<std::string> MapReader::names(std::string_view key) const {
  std::vector<std::string> names;
  const YamlNode* value = find(key);
  if (value == nullptr) return names;
  for (auto& [name, where] : read_texts(*value, key, diagnostics_)) {
    check_name(name, where, scope_, diagnostics_);
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::size_t> MapReader::choice(std::string_view key,
                                             std::span<const std::string_view> words,
                                             std::string_view one, std::string_view all) const {
  const YamlNode* value = find(key);
  const auto text = value != nullptr ? read_text(*value, key, diagnostics_) : std::nullopt;
  if (!text) return std::nullopt;
  const auto chosen = std::ranges::find(words, *text);
  if (chosen != words.end()) return static_cast<std::size_t>(chosen - words.begin());
  return diagnostics_.error(
      value->where, fmt::format("'{}' is not {}", *text, one),
      suggest(*text, std::vector<std::string>(words.begin(), words.end()), all));
}

bool MapReader::truth(std::string_view key) const {
  const YamlNode* value = find(key);
  const auto text = value != nullptr ? read_text(*value, key, diagnostics_) : std::nullopt;
  if (text && text != "true" && text != "false") {
    diagnostics_.error(value->where, fmt::format("'{}' must be true or false", key));
  }
  return text == "true";
}

std::optional<std::int64_t> MapReader::find_count(std::string_view key, std::int64_t most) const {
  const auto text = expression(key);
  const auto value = text ? read_constant(*text, diagnostics_) : std::nullopt;
  if (!value) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&*value);
  if (number != nullptr && *number >= 1 && *number <= most) return *number;
  const bool is_limited = most < std::numeric_limits<std::int64_t>::max();
  return diagnostics_.error(
      text->where(), fmt::format("'{}' must be an integer {}", key,
                                 is_limited ? fmt::format("from 1 to {}", most) : "of at least 1"));
}

std::optional<double> MapReader::find_decimal(std::string_view key, DecimalRange range,
                                              std::string_view what, const char* help,
                                              bool is_share) const {
  const YamlNode* node = find(key);
  const auto text = node != nullptr ? read_text(*node, key, diagnostics_) : std::nullopt;
  if (!text) return std::nullopt;
  const auto value = is_share || !text->ends_with('%') ? parse_decimal(*text) : std::nullopt;
  if (value && *value >= range.least && *value <= range.most) return value;
  return diagnostics_.error(node->where, fmt::format("'{}' must be {}", key, what), help);
}

std::span<const YamlNode> items_of(const YamlNode& node) {
  return node.is_sequence() ? std::span(node.items) : std::span(&node, 1);
}

std::optional<std::string> read_text(const YamlNode& node, std::string_view what,
                                     Diagnostics& diagnostics) {
  if (node.is_scalar()) return node.text;
  return diagnostics.error(node.where, fmt::format("'{}' must be a single value", what));
}

std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  return Expression::parse(*text, node.where, diagnostics);
}

std::optional<Expression> read_real_expression(const YamlNode& node, std::string_view what,
                                               Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  auto expression = Expression::parse(*text, node.where, diagnostics, Numbers::reals);
  return expression && check_real(*expression, diagnostics) ? std::move(expression) : std::nullopt;
}

std::vector<Expression> read_expressions(const YamlNode* node, std::string_view what,
                                         Diagnostics& diagnostics) {
  if (node == nullptr) return {};
  return read_items(*node,
                    [&](const YamlNode& item) { return read_expression(item, what, diagnostics); });
}

std::vector<std::pair<std::string, Location>> read_texts(const YamlNode& node,
                                                         std::string_view what,
                                                         Diagnostics& diagnostics) {
  return read_items(node, [&](const YamlNode& item) {
    auto text = read_text(item, what, diagnostics);
    return text ? std::optional(std::pair(std::move(*text), item.where)) : std::nullopt;
  });
}

void check_name(const std::string& name, const Location& where, const Scope* scope,
                Diagnostics& diagnostics) {
  if (scope == nullptr || scope->kind_of(name)) return;
  diagnostics.error(where, fmt::format("there is no parameter '{}'", name),
                    suggest(name, scope->names(), "the names known here are"));
}

std::optional<std::string> read_metric(const std::string& name, const Location& where,
                                       const Scope* scope, Diagnostics& diagnostics) {
  if (const MetricDefinition* metric = find_metric(name)) return metric->name;
  const bool may_be_own = scope == nullptr && !name.empty() && std::ranges::all_of(name, is_word);
  if (may_be_own || is_counter_name(name)) return name;
  return diagnostics.error(where, fmt::format("there is no metric '{}'", name),
                           suggest_metric(name));
}

bool check_kind(const Expression& expression, const Scope& scope, ValueKind wanted,
                std::string_view what, Diagnostics& diagnostics, const std::string& help) {
  const auto kind = expression.check(scope, diagnostics);
  if (!kind) return false;
  if (*kind == wanted) return true;
  diagnostics.error(
      expression.where(),
      fmt::format("{} must be {}, but this is {}", what, describe(wanted), describe(*kind)), help);
  return false;
}

std::optional<Value> value_of(const Expression& expression, const Bindings& bindings,
                              Diagnostics& diagnostics) {
  try {
    return expression.evaluate(bindings);
  } catch (const InputError& error) {
    diagnostics.add_all(error.diagnostics());
    return std::nullopt;
  }
}

std::optional<Value> read_constant(const Expression& expression, Diagnostics& diagnostics) {
  for (const std::string& name : expression.names()) {
    if (ElementType::find(name)) continue;
    std::vector<std::string> known(ElementType::names().begin(), ElementType::names().end());
    known.insert(known.end(), {"true", "false"});
    return diagnostics.error(
        expression.where(),
        fmt::format("'{}' is not an integer, a boolean or an element type", name),
        did_you_mean(name, known));
  }
  if (!expression.check(scope_of(Bindings{}), diagnostics)) return std::nullopt;
  return value_of(expression, {}, diagnostics);
}

}  // namespace sweep
