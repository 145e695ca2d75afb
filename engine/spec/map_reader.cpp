#include "engine/spec/map_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/spec/counters.h"

namespace sweep {

MapReader::MapReader(const YamlNode& node, std::string what, KeyTable table,
                     Diagnostics& diagnostics)
    : diagnostics_(diagnostics), node_(node), what_(std::move(what)) {
  const std::vector<std::string> keys = names_of(table);
  if (!node.is_map()) {
    diagnostics.error(node.where,
                      node.is_null() ? fmt::format("{} is empty", what_)
                                     : fmt::format("{} must be a map of keys and values", what_),
                      suggest("", keys, "the keys are"));
    return;
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
  if (entry == node_.entries.end()) {
    if (std::ranges::find(suggestions_, meant) != suggestions_.end()) return nullptr;
    diagnostics_.error(node_.where, fmt::format("{} needs the key '{}'", what_, key), help);
  } else if (entry->value.is_null()) {
    diagnostics_.error(entry->key.where, fmt::format("'{}' has no value", key), help);
  }
  return find(key);
}

std::string MapReader::text(std::string_view key) const {
  const YamlNode* value = find(key);
  return value == nullptr ? "" : read_text(*value, key, diagnostics_).value_or(std::string());
}

std::optional<Expression> MapReader::expression(std::string_view key) const {
  const YamlNode* value = find(key);
  return value == nullptr ? std::nullopt : read_expression(*value, key, diagnostics_);
}

std::optional<Expression> MapReader::condition(std::string_view key, const Scope* scope) const {
  auto condition = expression(key);
  if (condition && scope != nullptr) {
    check_kind(*condition, *scope, ValueKind::boolean, fmt::format("'{}'", key), diagnostics_,
               "write a comparison");
  }
  return condition;
}

std::optional<std::string> read_text(const YamlNode& node, std::string_view what,
                                     Diagnostics& diagnostics) {
  if (node.is_scalar()) return node.text;
  diagnostics.error(node.where, fmt::format("'{}' must be a single value", what));
  return std::nullopt;
}

std::optional<std::size_t> read_choice(const YamlNode& node, std::string_view what,
                                       std::span<const std::string_view> choices,
                                       std::string_view one, std::string_view all,
                                       Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  const auto chosen = std::ranges::find(choices, *text);
  if (chosen != choices.end()) return static_cast<std::size_t>(chosen - choices.begin());
  const std::vector<std::string> names(choices.begin(), choices.end());
  diagnostics.error(node.where, fmt::format("'{}' is not {}", *text, one),
                    suggest(*text, names, all));
  return std::nullopt;
}

std::optional<Expression> read_expression(const YamlNode& node, std::string_view what,
                                          Diagnostics& diagnostics) {
  const auto text = read_text(node, what, diagnostics);
  if (!text) return std::nullopt;
  return Expression::parse(*text, node.where, diagnostics);
}

std::vector<Expression> read_expressions(const YamlNode& node, std::string_view what,
                                         Diagnostics& diagnostics) {
  return read_items(node,
                    [&](const YamlNode& item) { return read_expression(item, what, diagnostics); });
}

std::vector<std::pair<std::string, Location>> read_texts(const YamlNode& node,
                                                         std::string_view what,
                                                         Diagnostics& diagnostics) {
  std::vector<std::pair<std::string, Location>> result;
  for_each_item(node, [&](const YamlNode& item) {
    if (auto text = read_text(item, what, diagnostics)) result.emplace_back(*text, item.where);
  });
  return result;
}

void check_name(const std::string& name, const Location& where, const Scope* scope,
                Diagnostics& diagnostics) {
  if (scope == nullptr || scope->kind_of(name)) return;
  diagnostics.error(where, fmt::format("there is no parameter '{}'", name),
                    suggest(name, scope->names(), "the names known here are"));
}

std::vector<std::string> read_names(const YamlNode& node, std::string_view what, const Scope* scope,
                                    Diagnostics& diagnostics) {
  std::vector<std::string> names;
  for (const auto& [name, where] : read_texts(node, what, diagnostics)) {
    check_name(name, where, scope, diagnostics);
    names.push_back(name);
  }
  return names;
}

std::optional<std::string> read_metric(const std::string& name, const Location& where,
                                       Diagnostics& diagnostics) {
  if (const MetricDefinition* metric = find_metric(name)) return metric->name;
  if (is_counter_name(name)) return name;
  diagnostics.error(where, fmt::format("there is no metric '{}'", name), suggest_metric(name));
  return std::nullopt;
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
    diagnostics.error(expression.where(),
                      fmt::format("'{}' is not an integer, a boolean or an element type", name),
                      did_you_mean(name, known));
    return std::nullopt;
  }
  if (!expression.check(scope_of(Bindings{}), diagnostics)) return std::nullopt;
  return value_of(expression, {}, diagnostics);
}

}  // namespace sweep
