#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "engine/spec/map_reader.h"

namespace sweep {

/// What a parameter's numbers stand for: {0: ld, 1: nc}.
using ValueWords = std::map<std::int64_t, std::string>;

/// Reads the value of a parameter's key `values`, if there is one.
ValueWords read_value_words(const YamlNode* node, Diagnostics& diagnostics);

/// Those of a pattern's text by parameter, as far as it can be read.
std::map<std::string, ValueWords> words_of_pattern(const std::string& pattern_text);

/// Makes them known to value_word.
void define_words_of_pattern(const std::string& pattern_text);

/// Before another run's patterns, which may mean other things by the same numbers.
void forget_value_words();

/// What the number stands for in the patterns that were made known; empty where none of them says,
/// or they say different things.
std::string value_word(const std::string& parameter, std::int64_t number);

}  // namespace sweep
