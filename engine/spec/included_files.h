#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"

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
  std::string name = {};   ///< of the file; empty where it is not written
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

/// A file's name as the compiler is told it, and tells it in its messages: quotes, backslashes and
/// control characters, which the compiler or its assembler would trip over, are underscores.
std::string compiler_file_name(std::string name);

/// Whether two names, of which the compiler makes its own absolute, are one file's.
bool is_same_file(const std::string& name, const std::string& other);

/// A place in CUDA source that names a file which is known under another name here.
struct IncludeName {
  std::size_t offset = 0;  ///< of the name's opening mark, in the text it stands in
  std::size_t length = 0;  ///< with both marks
  std::string written;     ///< without them
  bool is_angled = false;
  std::string target;  ///< the name of an IncludedFile
};

/// A file that a pattern includes, as it was read.
struct IncludedFile {
  std::string name;     ///< unique; as messages show it
  std::string written;  ///< how the first #include names it
  std::string text;
  std::vector<IncludeName> names;  ///< the files that it includes in turn, in the order of the text
};

/// A file that the code includes and that lies in none of the folders searched: a header of the
/// toolkit, one of the host's, or a mistake.
struct ForeignInclude {
  std::string name;
  Location where;
  bool is_in_body = false;  ///< the pattern's own text names it

  friend bool operator==(const ForeignInclude& one, const ForeignInclude& other) {
    return one.name == other.name;
  }
};

/// All that compiling a pattern can read, the toolkit's headers apart.
struct IncludedFiles {
  std::vector<IncludeName> in_body;
  std::vector<IncludedFile> files;      ///< each once, in the order of the text
  std::vector<ForeignInclude> foreign;  ///< each name once, in the order of the text
};

/// Reads the files that the CUDA source of a pattern includes, from `body_begin` on, and those that
/// they include. A name in quotes is looked for in the folder of the file that includes it, in the
/// pattern's and in `folders`; one in angle brackets in the latter two. What is found nowhere is
/// `foreign`.
///
/// Only files in or below the pattern's folder and `folders` are read; links that lead out of them
/// count as outside. What would make a compiler open another file, or one whose name the text does
/// not say, is a mistake, wherever it stands in the text (see find_include_sites).
IncludedFiles read_included_files(const SourcePtr& source, std::size_t body_begin,
                                  const std::filesystem::path& pattern,
                                  const std::vector<std::filesystem::path>& folders,
                                  Diagnostics& diagnostics);

/// Their texts, each after a line with its name.
std::string joined_text(const IncludedFiles& included);

/// A file that a pattern names.
struct FoundFile {
  std::filesystem::path path = {};  ///< empty: nothing is there, or it may not be read
  bool is_outside = false;          ///< of the folders that patterns may read
};

/// The first of `candidates` that is there, if it lies in or below one of the `allowed` folders
/// once links are followed; nothing further is looked at then.
FoundFile find_within(std::string_view name, const std::vector<std::filesystem::path>& candidates,
                      const std::vector<std::filesystem::path>& allowed);

/// Whether a name leads out of the folder it is looked for in, by itself.
bool leads_out(std::string_view name);

/// Whether a file lies in or below a folder once links are followed.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace sweep
