#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// A place of CUDA source that may make a compiler open a file.
struct IncludeSite {
  enum class Kind {
    quoted,   ///< #include "name", __has_include("name")
    angled,   ///< #include <name>, __has_include(<name>)
    unnamed,  ///< the name is not written there: #include MACRO
    other,    ///< #include_next, #embed, import: what patterns cannot use
  };
  Kind kind = Kind::quoted;
  std::string name;        ///< of the file; empty where it is not written
  std::size_t offset = 0;  ///< of the directive or word, in the text
  std::size_t begin = 0;   ///< of the name's opening mark, or what stands in its place
  std::size_t length = 0;  ///< of the name with its marks; 0 without one
};

/// Every such place, in order. It does not decide what is a comment, a literal or left out by #if,
/// in which a hostile text could mislead it: whatever stands where a directive could begin counts,
/// with digraphs, trigraphs, joined lines and comments between its parts.
std::vector<IncludeSite> find_include_sites(std::string_view cuda);

/// Whether a piece of an expression could begin a directive once it stands on a line of its own.
bool may_hold_directive(std::string_view expression);

}  // namespace sweep
