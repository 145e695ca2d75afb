#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sweep {

/// Keeps the order of an object's members.
using RecordedJson = nlohmann::ordered_json;

/// A text that is not JSON, and where it stops being so.
class JsonError : public std::runtime_error {
 public:
  /// `line` and `column` count from 1, columns in bytes; line 0 is the whole text, which may be
  /// JSON and yet not be read. `at_end`: there is no more text.
  JsonError(const std::string& message, std::size_t line, std::size_t column, bool at_end)
      : std::runtime_error(message), line_(line), column_(column), at_end_(at_end) {}
  std::size_t line() const { return line_; }
  std::size_t column() const { return column_; }
  bool at_end() const { return at_end_; }

 private:
  std::size_t line_;
  std::size_t column_;
  bool at_end_;
};

/// "FILE:3:7: this is no JSON: MESSAGE", or of the whole text "FILE: this JSON is not read: ..."
std::string describe(const JsonError& error, const std::string& file);

/// Takes an element of the long list; `key` is its name where the list is an object.
using TakeEntry = std::function<void(const std::string& key, const RecordedJson& entry)>;

/// Reads a JSON object without its member `list`, whose elements it hands over one by one, so that
/// a long list is never in memory as a whole. Throws JsonError for what is no JSON object, for
/// objects of more than 1000 members besides the list and values more than 100 levels deep, and
/// what `take` throws.
RecordedJson read_json_entries(std::string_view text, std::string_view list, const TakeEntry& take);

/// The first member of the JSON object in the text that has one of these names, going by the text
/// up to it; empty when there is none.
std::string first_member(std::string_view text, std::span<const std::string_view> names);

}  // namespace sweep
