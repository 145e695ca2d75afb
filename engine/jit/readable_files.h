#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/pattern.h"

namespace sweep {

/// Whether the kernel can take a thread's files away (Landlock, Linux 5.13 and newer).
bool has_file_sandbox();

/// From now on this thread, and those it starts, open files of these folders for reading and no
/// others; folders that are not there are left out. It cannot be undone. Does nothing where there
/// is no sandbox; throws std::system_error where the kernel refuses it.
void restrict_thread_to(const std::vector<std::filesystem::path>& folders);

/// A file that a program includes, handed to the compiler so that it opens none.
struct SourceHeader {
  std::string name;  ///< as the program's #include says it
  std::string text;

  friend bool operator==(const SourceHeader&, const SourceHeader&) = default;
};

/// The pattern's included files, which name one another by the names of these headers.
std::vector<SourceHeader> source_headers(const Pattern& pattern);

/// Source in which #include says the names of the headers. `text` stands at `offset` in the text
/// that `names` was read from; what was blanked in it stays as it is.
std::string with_header_names(std::string text, std::size_t offset,
                              const std::vector<IncludeName>& names);

/// Why a compiler that is given this source and these headers might open a file that is not one of
/// the toolkit's, as a sentence; empty when it cannot.
std::string why_open(std::string_view source, const std::vector<SourceHeader>& headers);

}  // namespace sweep
