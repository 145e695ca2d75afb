#include "engine/text/value.h"

#include <algorithm>

namespace sweep {

ValueKind kind_of(const Value& value) {
  return static_cast<ValueKind>(value.index());
}

std::string_view describe(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer:
      return "an integer";
    case ValueKind::boolean:
      return "a boolean";
    case ValueKind::element:
      return "an element type";
    case ValueKind::word:
      break;
  }
  return "a word";
}

std::string to_string(const Value& value) {
  struct Writer {
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(bool truth) const { return truth ? "true" : "false"; }
    std::string operator()(ElementType type) const { return type.name(); }
    std::string operator()(const std::string& word) const { return word; }
  };
  return std::visit(Writer{}, value);
}

void Bindings::set(std::string_view name, Value value) {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Value>::first);
  if (found != entries_.end()) {
    found->second = std::move(value);
  } else {
    entries_.emplace_back(name, std::move(value));
  }
}

const Value* Bindings::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Value>::first);
  return found != entries_.end() ? &found->second : nullptr;
}

std::string to_string(const Bindings& bindings) {
  std::string result;
  for (const auto& [name, value] : bindings.entries()) {
    if (!result.empty()) result += ' ';
    result += name + '=' + to_string(value);
  }
  return result;
}

}  // namespace sweep
