#pragma once

#include <string>

namespace sweep {

// JSON Schemas (draft-07) for editors, which complete keys and values by them and show what each
// means. They are made from the tables that the parsers read by; what the parsers accept, they do,
// but the parsers see more mistakes: in expressions, and in names of parameters.

/// Of a sweep file.
std::string sweep_schema();
/// Of the YAML in a pattern's header.
std::string pattern_schema();

}  // namespace sweep
