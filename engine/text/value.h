#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/text/element_type.h"

namespace sweep {

enum class ValueKind { integer, boolean, element, word };

/// A parameter's value, or what an expression comes to. A word is a name such as a pattern's.
using Value = std::variant<std::int64_t, bool, ElementType, std::string>;

ValueKind kind_of(const Value& value);
/// "an integer", "a boolean", "an element type", "a word"
std::string_view describe(ValueKind kind);
/// As a user would write it: 64, true, float4, stride.
std::string to_string(const Value& value);

/// Names and their values, in a fixed order.
class Bindings {
 public:
  /// Replaces the value when the name is there already.
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;
  const std::vector<std::pair<std::string, Value>>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

  friend bool operator==(const Bindings&, const Bindings&) = default;

 private:
  std::vector<std::pair<std::string, Value>> entries_;
};

/// "STRIDE=4 T=float BLOCK=256"
std::string to_string(const Bindings& bindings);

}  // namespace sweep
