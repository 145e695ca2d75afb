#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweep {

// What CUDA source declares, found without parsing it. `code` has comments, literals and
// preprocessor lines blanked (blank_non_code); each name comes once, in the order found.

/// Names that stand behind a `*` or `auto` and qualifiers, and before `=`, `,`, `;`, `)` or `{`.
std::vector<std::string> pointer_names(std::string_view code);

/// Names of arrays without a size that are declared `extern`: dynamic shared memory.
std::vector<std::string> dynamic_array_names(std::string_view code);

/// The macros of `cuda` whose replacement may touch memory.
std::vector<std::string> memory_macros(std::string_view cuda);

}  // namespace sweep
