#pragma once

#include <string>
#include <string_view>

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether the pattern's text and included text hold everything that compiling it reads, the
/// toolkit's headers apart. Not so when its text asks for the date or whether a file is there. May
/// say no without need, since comments and strings count as well.
bool key_is_complete(const Pattern& pattern);

/// What decides how the configurations of a pattern compile, besides their parameters, as one text:
/// the pattern's name, path and source, the files beside it that it includes, and `identity`. Equal
/// keys have equal texts and different keys different ones.
std::string program_key(const Pattern& pattern, std::string_view identity);

/// Parameters as bytes: names, kinds and values, exactly.
std::string parameter_bytes(const Bindings& parameters);

/// The XXH3-128 of some bytes in 32 hexadecimal digits, as a file's name.
std::string hash_name(std::string_view bytes);

}  // namespace sweep
