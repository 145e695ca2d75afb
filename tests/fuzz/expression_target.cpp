#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/expression.h"
#include "engine/text/units.h"
#include "engine/text/yaml.h"
#include "tests/fuzz/targets.h"

namespace sweep::fuzz {
namespace {

const Bindings& bindings() {
  static const Bindings known = [] {
    Bindings values;
    values.set("I", std::int64_t{7});
    values.set("N", std::int64_t{1} << 26);
    values.set("Z", std::int64_t{0});
    values.set("LOW", std::numeric_limits<std::int64_t>::min());
    values.set("HIGH", std::numeric_limits<std::int64_t>::max());
    values.set("B", true);
    values.set("T", ElementType::find("float4").value());
    values.set("pattern", std::string("stride"));
    values.set("sizeof(S)", std::int64_t{24});
    return values;
  }();
  return known;
}

std::optional<Value> value_of(const Expression& expression) {
  try {
    return expression.evaluate(bindings());
  } catch (const InputError& error) {
    render(error.diagnostics());
    return std::nullopt;
  }
}

std::optional<Value> compiled_value_of(const Expression& expression) {
  std::vector<std::string> names;
  std::vector<SlotValue> slots;
  for (const auto& [name, value] : bindings().entries()) {
    names.push_back(name);
    slots.push_back(slot_value(value));
  }
  const CompiledExpression compiled(expression, names);
  const SlotValue value = compiled.evaluate(slots);
  if (std::holds_alternative<std::monostate>(value)) return std::nullopt;
  return to_value(value);
}

void evaluate(const std::string& text) {
  Location where;
  where.source = std::make_shared<Source>(Source{"expression", text});
  where.line = 1;
  where.column = 1;
  Diagnostics diagnostics;
  if (const auto expression = Expression::parse(text, where, diagnostics)) {
    expression->names();
    const auto kind = expression->check(scope_of(bindings()), diagnostics);
    // Names that are not bound are not for the compiled one.
    if (kind) {
      const auto value = value_of(*expression);
      if (value != compiled_value_of(*expression)) {
        std::fprintf(stderr, "the compiled expression has another value\n");
        std::abort();
      }
      if (value) to_string(*value);
    } else {
      value_of(*expression);
    }
  }
  render(diagnostics);
}

void read_numbers(const std::string& text) {
  if (const auto bytes = parse_bytes(text)) format_bytes(*bytes);
  if (const auto decimal = parse_decimal(text)) {
    format_figure(*decimal);
    format_duration(*decimal);
  }
  static const std::vector<std::string> names = {"STRIDE", "BLOCK", "bandwidth", "sizeof(S)"};
  did_you_mean(text, names);
  ElementType::find(text);
}

}  // namespace

void evaluate_expressions(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string line(bytes.substr(0, end));
    evaluate(line);
    read_numbers(line);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

}  // namespace sweep::fuzz
