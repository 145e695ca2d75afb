#include "engine/recording/recorded_value.h"

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace sweep {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::int64_t> read_integer(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // What would be written otherwise, as "007" or "-0", is a name and no number.
  if (error != std::errc{} || stop != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

Value value_of_text(const std::string& text) {
  if (const auto number = read_integer(text)) return *number;
  if (const auto element = ElementType::find(text)) return *element;
  return text;
}

struct ToJson {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(bool truth) const { return truth; }
  Json operator()(ElementType type) const { return type.name(); }
  Json operator()(const std::string& word) const { return word; }
};

}  // namespace

Value recorded_value(const Json& json) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return value_of_text(json.get_ref<const std::string&>());
  const bool fits = !json.is_number_unsigned() || json.get<std::uint64_t>() <= largest;
  if (json.is_number_integer() && fits) return json.get<std::int64_t>();
  return json.dump();
}

Json value_to_json(const Value& value) {
  return std::visit(ToJson{}, value);
}

}  // namespace sweep
