#pragma once

#include <cstddef>
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

/// An expression in CUDA source that may touch memory.
struct SourceAccess {
  enum class Role {
    load,
    store,
    update,  ///< += and its kin: loads and stores
    atomic,  ///< what an atomic function gets the address of
    any,     ///< its address goes elsewhere
  };
  std::string base;  ///< the name it starts from
  std::string text;  ///< as it stands there, blanks and line breaks made one blank
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  Role role = Role::load;
  bool is_argument = false;  ///< a pointer handed to a function, `data + i`
};

/// What can be told from CUDA source about its memory accesses, without understanding its types.
struct SourceText {
  std::vector<SourceAccess> accesses;
  std::vector<std::string> pointers;  ///< names declared as pointers, or with `auto`
  std::string dynamic_shared;         ///< the `extern __shared__` array, when there is one alone
  /// Lines that use a macro of the file that may touch memory: nothing can be told about them.
  std::vector<std::size_t> macro_lines;
};

/// Finds subscripts, dereferences and pointers to members; lines count from `first_line`.
SourceText read_source_text(std::string_view cuda, std::size_t first_line);

}  // namespace sweep
