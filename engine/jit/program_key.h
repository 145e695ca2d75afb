#pragma once

#include <string>
#include <string_view>

#include "engine/spec/pattern.h"

namespace sweep {

/// What decides how the configurations of a pattern compile, besides their parameters, as one text:
/// the pattern's name, path and source, the files beside it that it includes, and `identity`. Equal
/// keys have equal texts and different keys different ones.
std::string program_key(const Pattern& pattern, std::string_view identity);

/// Parameters as bytes: names, kinds and values, exactly.
std::string parameter_bytes(const Bindings& parameters);

/// The XXH3-128 of some bytes in 32 hexadecimal digits, as a file's name.
std::string hash_name(std::string_view bytes);

/// Whether the pattern's text and included text hold everything that compiling may read in the
/// pattern's folder. Not so when it includes a file there with angle brackets, or through another
/// folder's file; nor when its text asks for the date, for whether a file is there, or includes a
/// macro's name.
bool key_is_complete(const Pattern& pattern);

/// Whether the files beside the pattern that it includes still have the text that it was read with.
bool included_files_are_unchanged(const Pattern& pattern);

}  // namespace sweep
