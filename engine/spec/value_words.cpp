#include "engine/spec/value_words.h"

#include <fmt/format.h>

#include <charconv>

#include "engine/spec/pattern_header.h"

namespace sweep {
namespace {

/// What patterns say of a parameter's numbers.
struct KnownWords {
  ValueWords words = {};  ///< empty ones where they disagree
  bool is_plain = false;  ///< in one of them its numbers are numbers
};

std::map<std::string, KnownWords>& known_words() {
  static std::map<std::string, KnownWords> words;
  return words;
}

}  // namespace

ValueWords read_value_words(const YamlNode* node, Diagnostics& diagnostics) {
  constexpr std::size_t longest = 40;
  ValueWords words;
  read_entries(
      node, "values", "for example values: {0: cached, 1: streaming}", diagnostics,
      [&](const YamlNode& key, const YamlNode& value) {
        std::int64_t number = 0;
        const char* const end = key.text.data() + key.text.size();
        const auto [rest, error] = std::from_chars(key.text.data(), end, number);
        if (error != std::errc() || rest != end) {
          diagnostics.error(key.where, fmt::format("'{}' is not a number", key.text),
                            "values says what numbers stand for: {0: cached}");
        } else if (!value.is_scalar() || value.text.empty() || value.text.size() > longest) {
          diagnostics.error(value.where,
                            fmt::format("what {} stands for must be a text of at most {} "
                                        "characters",
                                        number, longest));
        } else {
          words.emplace(number, value.text);
        }
      });
  return words;
}

std::map<std::string, ValueWords> words_of_pattern(const std::string& pattern_text) {
  std::map<std::string, ValueWords> words;
  Diagnostics ignored;
  const auto header = read_stored_header(pattern_text, ignored);
  const YamlNode* parameters = header ? header->find("parameters") : nullptr;
  if (parameters == nullptr || !parameters->is_map()) return words;
  for_each_entry(*parameters, [&](const YamlNode& key, const YamlNode& parameter) {
    const YamlNode* const own = parameter.is_map() ? parameter.find("values") : nullptr;
    words[key.text] = read_value_words(own, ignored);
  });
  return words;
}

void define_words_of_pattern(const std::string& pattern_text) {
  for (const auto& [parameter, words] : words_of_pattern(pattern_text)) {
    KnownWords& known = known_words()[parameter];
    known.is_plain = known.is_plain || words.empty();
    for (const auto& [number, word] : words) {
      const auto [place, is_new] = known.words.try_emplace(number, word);
      if (!is_new && place->second != word) place->second.clear();
    }
  }
}

void forget_value_words() {
  known_words().clear();
}

std::string value_word(const std::string& parameter, std::int64_t number) {
  const auto words = known_words().find(parameter);
  if (words == known_words().end() || words->second.is_plain) return {};
  const auto found = words->second.words.find(number);
  return found != words->second.words.end() ? found->second : std::string();
}

}  // namespace sweep
