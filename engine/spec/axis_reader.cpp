#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "engine/spec/keys.h"
#include "engine/spec/map_reader.h"
#include "engine/spec/spec_limits.h"
#include "engine/spec/sweep_readers.h"
#include "engine/text/checked_arithmetic.h"
#include "engine/text/text_limits.h"
#include "engine/text/units.h"

namespace sweep {
namespace {

std::optional<std::int64_t> read_bound(const MapReader& reader, const YamlNode& node,
                                       std::string_view key, Diagnostics& diagnostics) {
  const auto expression = reader.expression(key);
  if (!expression) return std::nullopt;
  const auto value = read_constant(*expression, diagnostics);
  if (!value) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return *number;
  diagnostics.error(node.find(key)->where, fmt::format("'{}' must be an integer, but this is {}",
                                                       key, describe(kind_of(*value))));
  return std::nullopt;
}

void refuse_length(const YamlNode& node, const std::string& name, std::uint64_t length,
                   Diagnostics& diagnostics) {
  diagnostics.error(
      node.where,
      fmt::format("the axis '{}' has {} values; an axis can have {}", name,
                  format_thousands(length), format_thousands(spec_limits::axis_values)),
      "take larger steps, multiply, or list fewer values");
}

std::vector<Value> multiplied(std::int64_t from, std::int64_t to, std::int64_t factor) {
  std::vector<Value> values;
  for (Arithmetic next = from; const auto* value = std::get_if<std::int64_t>(&next);
       next = apply(Operation::multiply, *value, factor)) {
    if (*value > to) break;
    values.emplace_back(*value);
  }
  return values;
}

/// The values {from, to, step}, which go up or down by a step other than 0.
std::vector<Value> read_range(const YamlNode& node, const std::string& name,
                              Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  const MapReader reader(node, fmt::format("the axis '{}'", name), axis_range_keys, diagnostics);
  const std::string help = "write {from: 1, to: 32}, with step: 4 or multiply: 2 if need be";
  reader.require("from", help);
  reader.require("to", help);
  const auto from = read_bound(reader, node, "from", diagnostics);
  const auto to = read_bound(reader, node, "to", diagnostics);
  const auto step = read_bound(reader, node, "step", diagnostics);
  const auto multiply = read_bound(reader, node, "multiply", diagnostics);
  const auto refuse = [&](std::string_view key, const char* message) {
    diagnostics.error(node.find(key)->where, message);
  };
  if (step && multiply) refuse("multiply", "'step' and 'multiply' exclude each other");
  if (!from || !to || diagnostics.error_count() > errors_before) return {};
  if (multiply && *multiply < 2) refuse("multiply", "'multiply' must be 2 or more");
  if (multiply && *from < 1) refuse("from", "'from' must be 1 or more to be multiplied");
  if (step == 0) refuse("step", "'step' must not be 0");
  if (diagnostics.error_count() > errors_before) return {};
  const bool rises = multiply || step.value_or(1) > 0;
  if (rises ? *from > *to : *from < *to) {
    diagnostics.error(node.where,
                      fmt::format("the axis '{}' has no values: from {} to {}", name, *from, *to),
                      multiply ? "a range that multiplies can only rise"
                      : rises  ? "a falling range needs a negative step"
                               : "a rising range needs a positive step");
    return {};
  }
  if (multiply) return multiplied(*from, *to, *multiply);
  // Modulo 2^64, in which no distance overflows.
  const auto first = static_cast<std::uint64_t>(*from);
  const auto last = static_cast<std::uint64_t>(*to);
  const auto stride = static_cast<std::uint64_t>(step.value_or(1));
  const std::uint64_t steps = rises ? (last - first) / stride : (first - last) / (0 - stride);
  if (steps >= spec_limits::axis_values) {
    refuse_length(node, name, std::max(steps, steps + 1), diagnostics);
    return {};
  }
  std::vector<Value> values;
  for (std::uint64_t i = 0; i <= steps; ++i) {
    values.emplace_back(static_cast<std::int64_t>(first + i * stride));
  }
  return values;
}

std::optional<Value> read_value(const YamlNode& node, const std::string& name,
                                Diagnostics& diagnostics) {
  if (!node.is_scalar()) {
    diagnostics.error(
        node.where,
        fmt::format("a value of '{}' must be an integer, a boolean or an element type", name));
    return std::nullopt;
  }
  const auto expression = read_expression(node, name, diagnostics);
  return expression ? read_constant(*expression, diagnostics) : std::nullopt;
}

std::vector<Value> read_list(std::span<const YamlNode> items, const std::string& name,
                             bool may_repeat, Diagnostics& diagnostics) {
  std::vector<Value> values;
  std::set<Value> seen;
  for (const YamlNode& item : items) {
    auto value = read_value(item, name, diagnostics);
    // More messages would not be shown.
    if (diagnostics.left_out(Severity::error) > 0) break;
    if (!value) continue;
    if (!may_repeat && !seen.insert(*value).second) {
      diagnostics.error(
          item.where, fmt::format("the axis '{}' has the value {} twice", name, to_string(*value)));
    }
    values.push_back(std::move(*value));
  }
  return values;
}

/// A list that lacks its brackets: `1, 2`.
bool is_bare_list(const YamlNode& node) {
  return node.is_scalar() && node.text.find(',') != std::string::npos &&
         node.text.find('(') == std::string::npos;
}

constexpr const char* set_example = "for example --set STRIDE=1,2,4";

/// The part of `source` from byte `begin` to `end` without the blanks around it.
YamlNode trimmed_scalar(const SourcePtr& source, std::size_t begin, std::size_t end) {
  const std::string& text = source->text;
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text.substr(begin, end - begin);
  node.where = {source, 1, begin + 1, std::max<std::size_t>(end - begin, 1)};
  return node;
}

/// The comma after `begin` that stands outside parentheses, or the end.
std::size_t end_of_item(std::string_view text, std::size_t begin) {
  int open = 0;
  for (std::size_t at = begin; at < text.size(); ++at) {
    open += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (text[at] == ',' && open <= 0) return at;
  }
  return text.size();
}

YamlNode read_list(const SourcePtr& source, std::size_t begin) {
  YamlNode list;
  list.kind = YamlNode::Kind::sequence;
  list.where = {source, 1, begin + 1, 1};
  while (begin <= source->text.size()) {
    const std::size_t end = end_of_item(source->text, begin);
    list.items.push_back(trimmed_scalar(source, begin, end));
    begin = end + 1;
  }
  return list;
}

}  // namespace

std::vector<Value> read_axis_values(const YamlNode& node, const std::string& name,
                                    Diagnostics& diagnostics, bool may_repeat) {
  const std::size_t errors_before = diagnostics.error_count();
  std::vector<Value> values;
  if (node.is_null() || (node.is_sequence() && node.items.empty())) {
    diagnostics.error(node.where, fmt::format("the axis '{}' has no values", name),
                      "write a list, or {from: 1, to: 32}");
  } else if (is_bare_list(node)) {
    diagnostics.error(node.where, "a list of values stands in brackets",
                      fmt::format("[{}]", node.text));
  } else if (node.is_map()) {
    values = read_range(node, name, diagnostics);
  } else {
    values = read_list(node.is_sequence() ? std::span(node.items) : std::span(&node, 1), name,
                       may_repeat, diagnostics);
  }
  if (values.size() > spec_limits::axis_values) {
    refuse_length(node, name, values.size(), diagnostics);
  }
  return diagnostics.error_count() == errors_before ? values : std::vector<Value>{};
}

std::optional<YamlEntry> read_override(const Override& argument, Diagnostics& diagnostics) {
  const SourcePtr& source = argument.source;
  const std::string& text = source->text;
  const std::size_t equals = text.find('=');
  YamlNode name = trimmed_scalar(source, 0, std::min(equals, text.size()));
  if (equals == std::string::npos || name.text.empty()) {
    diagnostics.error({source, 1, 1, std::max<std::size_t>(text.size(), 1)},
                      "this is not NAME=VALUES", set_example);
    return std::nullopt;
  }
  const std::size_t first = text.find_first_not_of(' ', equals + 1);
  if (first == std::string::npos) {
    diagnostics.error(name.where, fmt::format("'{}' gets no value", name.text), set_example);
    return std::nullopt;
  }
  const bool is_axis_of_files = text[first] == '{' || text[first] == '[';
  auto values = is_axis_of_files ? read_yaml(source, first, text.size(), diagnostics)
                                 : std::optional(read_list(source, first));
  if (!values) return std::nullopt;
  return YamlEntry{std::move(name), std::move(*values)};
}

}  // namespace sweep
