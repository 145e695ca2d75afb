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

/// How a range goes on: by adding `step`, or by multiplying.
struct Range {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t step = 1;
  std::optional<std::int64_t> multiply;
};

/// Adds an error when the range would never end.
void check_progress(const YamlNode& node, const Range& range, Diagnostics& diagnostics) {
  if (range.multiply && *range.multiply < 2) {
    diagnostics.error(node.find("multiply")->where, "'multiply' must be 2 or more");
  }
  if (range.multiply && range.from < 1) {
    diagnostics.error(node.find("from")->where, "'from' must be 1 or more to be multiplied");
  }
  if (range.step == 0) diagnostics.error(node.find("step")->where, "'step' must not be 0");
}

void refuse_length(const YamlNode& node, const std::string& name, std::uint64_t length,
                   Diagnostics& diagnostics) {
  diagnostics.error(
      node.where,
      fmt::format("the axis '{}' has {} values; an axis can have {}", name,
                  format_thousands(length), format_thousands(spec_limits::axis_values)),
      "take larger steps, multiply, or list fewer values");
}

/// How many values a range has that adds, where it has more than one; 2^64 - 1 for one more too.
std::uint64_t length_of(const Range& range) {
  const auto from = static_cast<std::uint64_t>(range.from);
  const auto to = static_cast<std::uint64_t>(range.to);
  const auto step = static_cast<std::uint64_t>(range.step);
  const std::uint64_t steps = range.step > 0 ? (to - from) / step : (from - to) / (0 - step);
  return steps == ~std::uint64_t{0} ? steps : steps + 1;
}

std::string help_for_no_values(const Range& range) {
  if (range.multiply) return "a range that multiplies can only rise";
  return range.step > 0 ? "a falling range needs a negative step"
                        : "a rising range needs a positive step";
}

std::vector<Value> values_of(const Range& range) {
  std::vector<Value> values;
  const bool rising = range.multiply || range.step > 0;
  std::int64_t value = range.from;
  while ((rising ? value <= range.to : value >= range.to) &&
         values.size() <= spec_limits::axis_values) {
    values.emplace_back(value);
    const Arithmetic next = range.multiply ? apply(Operation::multiply, value, *range.multiply)
                                           : apply(Operation::add, value, range.step);
    if (!std::holds_alternative<std::int64_t>(next)) break;
    value = std::get<std::int64_t>(next);
  }
  return values;
}

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
  if (step && multiply) {
    diagnostics.error(node.find("multiply")->where, "'step' and 'multiply' exclude each other");
  }
  if (!from || !to || diagnostics.error_count() > errors_before) return {};
  const Range range{*from, *to, step.value_or(1), multiply};
  check_progress(node, range, diagnostics);
  if (diagnostics.error_count() > errors_before) return {};
  std::vector<Value> values = values_of(range);
  if (values.size() > spec_limits::axis_values) {
    refuse_length(node, name, length_of(range), diagnostics);
    return {};
  }
  if (values.empty()) {
    diagnostics.error(
        node.where,
        fmt::format("the axis '{}' has no values: from {} to {}", name, range.from, range.to),
        help_for_no_values(range));
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

std::optional<OverrideParts> read_override(const Override& argument, Diagnostics& diagnostics) {
  const SourcePtr& source = argument.source;
  const std::string& text = source->text;
  const std::size_t equals = text.find('=');
  const YamlNode name = trimmed_scalar(source, 0, std::min(equals, text.size()));
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
  OverrideParts parts{name.text, name.where, {}};
  if (text[first] != '{' && text[first] != '[') {
    parts.values = read_list(source, first);
    return parts;
  }
  auto values = read_yaml(source, first, text.size(), diagnostics);
  if (!values) return std::nullopt;
  parts.values = std::move(*values);
  return parts;
}

}  // namespace sweep
