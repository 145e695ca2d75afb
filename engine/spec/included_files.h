#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/text/diagnostic.h"

namespace sweep {

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

/// All that compiling a pattern can read, the toolkit's headers apart.
struct IncludedFiles {
  std::vector<IncludeName> in_body;
  std::vector<IncludedFile> files;  ///< each once, in the order of the text
};

/// Reads the files that the CUDA source of a pattern includes, from `body_begin` on, and those that
/// they include. A name in quotes is looked for in the folder of the file that includes it, in the
/// pattern's and in `folders`; one in angle brackets in the latter two. What is found nowhere is
/// left to the toolkit's headers.
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

/// Whether a name leads out of the folder it is looked for in, by itself.
bool leads_out(std::string_view name);

/// Whether a file lies in or below a folder once links are followed.
bool lies_in(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace sweep
