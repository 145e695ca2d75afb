#include "engine/recording/recorded_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/store/stored_json.h"

namespace sweep {
namespace {

using Json = RecordedJson;
using Event = Json::parse_event_t;

// The depth that the parser's callback is told, for the members of the document and for the
// elements of those.
constexpr int member_depth = 1;
constexpr int element_depth = 2;

JsonError no_json(const std::string& file, std::string_view text, std::size_t place,
                  const std::string& problem) {
  const std::string_view before = text.substr(0, place);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t column = place - (before.rfind('\n') + 1);  // npos + 1 is 0
  return {fmt::format("{}:{}:{}: this is no JSON: {}", file, lines + 1, column + 1, problem),
          place >= text.size()};
}

JsonError not_read(const std::string& file, const std::string& problem) {
  return {fmt::format("{}: this JSON is not read: {}", file, problem), false};
}

/// Refuses what no recording needs, since whoever walks through values calls itself for each level,
/// and an object that keeps its members' order looks at all of them for each.
class ShapeLimits {
 public:
  explicit ShapeLimits(const std::string& file) : file_(file) {}

  /// An object begins, `depth` levels within others.
  void begin_object(int depth) {
    const auto level = static_cast<std::size_t>(depth);
    members_.resize(std::max(members_.size(), level + 1));
    members_[level] = 0;
  }
  /// A member of the object that has begun `depth` levels within others.
  void add_member(int depth) {
    constexpr std::size_t most = 1000;
    if (++members_.at(static_cast<std::size_t>(depth)) <= most) return;
    throw not_read(file_, fmt::format("an object has more than {} members", most));
  }
  void check_depth(int depth) const {
    constexpr int most = 100;
    if (depth <= most) return;
    throw not_read(file_, fmt::format("values stand more than {} levels deep", most));
  }

 private:
  const std::string& file_;
  std::vector<std::size_t> members_;  ///< by the depth of their object
};

/// Looks for members of the outermost object and stops at the first.
class MemberSearch final : public nlohmann::json_sax<Json> {
 public:
  explicit MemberSearch(std::span<const std::string_view> names) : names_(names) {}
  const std::string& found() const { return found_; }

  bool null() override { return depth_ > 0; }
  bool boolean(bool /*value*/) override { return depth_ > 0; }
  bool number_integer(number_integer_t /*value*/) override { return depth_ > 0; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return depth_ > 0; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return depth_ > 0;
  }
  bool string(string_t& /*value*/) override { return depth_ > 0; }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ > 0; }
  bool key(string_t& name) override {
    if (depth_ == 1 && std::ranges::find(names_, name) != names_.end()) found_ = name;
    return found_.empty();
  }
  bool start_array(std::size_t /*elements*/) override { return depth_++ > 0; }
  bool end_array() override { return --depth_ > 0; }
  bool parse_error(std::size_t /*byte*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

 private:
  std::span<const std::string_view> names_;
  std::string found_;
  std::size_t depth_ = 0;
};

std::optional<std::int64_t> read_integer(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // What would be written otherwise, as "007" or "-0", is a name and no number.
  if (error != std::errc{} || stop != end || std::to_string(number) != text) return std::nullopt;
  return number;
}

}  // namespace

Json read_json_entries(std::string_view text, const std::string& file, std::string_view list,
                       const TakeEntry& take) {
  bool in_list = false;
  std::string key;
  ShapeLimits limits(file);
  const auto keep = [&](int depth, Event event, const Json& parsed) {
    limits.check_depth(depth);
    if (event == Event::object_start) limits.begin_object(depth);
    if (event == Event::key) {
      // The elements of the list may be any number: each is taken away before the next.
      if (!in_list || depth != element_depth) limits.add_member(depth - 1);
      if (depth == member_depth) in_list = parsed.get_ref<const std::string&>() == list;
      if (depth == element_depth && in_list) key = parsed.get_ref<const std::string&>();
      return true;
    }
    const bool is_whole =
        event == Event::object_end || event == Event::array_end || event == Event::value;
    if (!in_list || depth != element_depth || !is_whole) return true;
    take(key, parsed);
    return false;
  };
  try {
    Json document = Json::parse(text.begin(), text.end(), keep);
    if (!document.is_object()) {
      throw JsonError(file + ":1:1: this is no JSON: this is no JSON object", false);
    }
    return document;
  } catch (const Json::parse_error& error) {
    // The library counts bytes from 1 and names the last one that it has read.
    const std::size_t place = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    throw no_json(file, text, place, json_problem(error));
  } catch (const Json::exception& error) {
    // A number that no double holds: the library does not say where it stands.
    throw not_read(file, json_problem(error));
  }
}

std::string first_member(std::string_view text, std::span<const std::string_view> names) {
  MemberSearch search(names);
  Json::sax_parse(text.begin(), text.end(), &search);
  return search.found();
}

const Json* member(const Json* json, const char* name) {
  if (json == nullptr || !json->is_object()) return nullptr;
  const auto found = json->find(name);
  return found != json->end() ? &*found : nullptr;
}

std::string text_of(const Json* json) {
  return json != nullptr && json->is_string() ? json->get<std::string>() : std::string();
}

Value recorded_value(const Json& json) {
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (const auto number = read_integer(text)) return *number;
    if (const auto element = ElementType::find(text)) return *element;
    return text;
  }
  const bool fits = !json.is_number_unsigned() || json.get<std::uint64_t>() <= largest;
  if (json.is_number_integer() && fits) return json.get<std::int64_t>();
  return json.dump();
}

Json value_to_json(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value)) return *truth;
  return to_string(value);
}

}  // namespace sweep
