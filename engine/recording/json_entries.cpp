#include "engine/recording/json_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

JsonError error_at(std::string_view text, const Json::parse_error& error) {
  // The library counts bytes from 1 and names the last one that it has read.
  const std::size_t place = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
  const std::string_view before = text.substr(0, place);
  const auto lines = static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t last_break = before.rfind('\n');
  const std::size_t column = place - (last_break == std::string_view::npos ? 0 : last_break + 1);
  return {json_problem(error), lines + 1, column + 1, place >= text.size()};
}

/// Refuses what no recording needs, since whoever walks through values calls itself for each level,
/// and an object that keeps its members' order looks at all of them for each.
class ShapeLimits {
 public:
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
    throw JsonError(fmt::format("an object has more than {} members", most), 0, 0, false);
  }
  static void check_depth(int depth) {
    constexpr int most = 100;
    if (depth <= most) return;
    throw JsonError(fmt::format("values stand more than {} levels deep", most), 0, 0, false);
  }

 private:
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

}  // namespace

std::string describe(const JsonError& error, const std::string& file) {
  if (error.line() == 0) return fmt::format("{}: this JSON is not read: {}", file, error.what());
  return fmt::format("{}:{}:{}: this is no JSON: {}", file, error.line(), error.column(),
                     error.what());
}

Json read_json_entries(std::string_view text, std::string_view list, const TakeEntry& take) {
  bool in_list = false;
  std::string key;
  ShapeLimits limits;
  const auto keep = [&](int depth, Event event, const Json& parsed) {
    ShapeLimits::check_depth(depth);
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
    if (!document.is_object()) throw JsonError("this is no JSON object", 1, 1, false);
    return document;
  } catch (const Json::parse_error& error) {
    throw error_at(text, error);
  } catch (const Json::exception& error) {
    // A number that no double holds: the library does not say where it stands.
    throw JsonError(json_problem(error), 0, 0, false);
  }
}

std::string first_member(std::string_view text, std::span<const std::string_view> names) {
  MemberSearch search(names);
  Json::sax_parse(text.begin(), text.end(), &search);
  return search.found();
}

}  // namespace sweep
