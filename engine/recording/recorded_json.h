#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "engine/text/read_source.h"
#include "engine/text/value.h"

namespace sweep {

/// Keeps the order of an object's members.
using RecordedJson = nlohmann::ordered_json;

/// A text that is not JSON: "FILE:3:7: this is no JSON: MESSAGE", with columns in bytes; or one
/// that is JSON and yet not read: "FILE: this JSON is not read: MESSAGE".
class JsonError : public FileError {
 public:
  JsonError(const std::string& message, bool at_end) : FileError(message, false), at_end_(at_end) {}
  /// It is not JSON only because there is no more text.
  bool at_end() const { return at_end_; }

 private:
  bool at_end_;
};

/// Takes an element of the long list; `key` is its name where the list is an object.
using TakeEntry = std::function<void(const std::string& key, const RecordedJson& entry)>;

/// Reads a JSON object without its member `list`, whose elements it hands over one by one, so that
/// a long list is never in memory as a whole. `file` is for messages. Throws JsonError for what is
/// no JSON object, for objects of more than 1000 members besides the list and values more than 100
/// levels deep, and what `take` throws.
RecordedJson read_json_entries(std::string_view text, const std::string& file,
                               std::string_view list, const TakeEntry& take);

/// The first member of the JSON object in the text that has one of these names, going by the text
/// up to it; empty when there is none.
std::string first_member(std::string_view text, std::span<const std::string_view> names);

/// The member of that name; null without one, for what is no object, and for null.
const RecordedJson* member(const RecordedJson* json, const char* name);

/// The text that a member is; empty for anything else, and for null.
std::string text_of(const RecordedJson* json);

/// A parameter's value as other tuners write it. Integers and truth values are what they are; a
/// text that names an element type is that type, one that is an integer is that integer, as KTT
/// quotes them, and another text is a word. Everything else, such as a number with a fraction or an
/// integer of more than 64 bits, is the word that JSON writes it as.
Value recorded_value(const RecordedJson& json);

/// The reverse, as T4 files have it: element types and words are texts.
RecordedJson value_to_json(const Value& value);

}  // namespace sweep
