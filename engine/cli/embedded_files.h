#pragma once

#include <span>
#include <string_view>

namespace sweep {

/// A file that is part of the program (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  std::string_view name;  ///< without folder and ending
  std::string_view text;
};

/// engine/cli/help, in the order in which `sweep help` lists them.
std::span<const EmbeddedFile> help_files();

/// The scripts that complete the program's command lines in "bash", "zsh" and "fish". They ask
/// `sweep complete WORD...`, WORD being what stands between the program's name and the cursor,
/// which answers with a line that says what to do with files ("words", "goes-on" for no space after
/// the word, "files ENDING...", "files", "folders") and a line "WORD<tab>MEANING" for each word
/// there may be.
std::span<const EmbeddedFile> completion_scripts();

/// What `sweep new pattern` and `sweep new sweep` write; words such as NEW_PATTERN stand for what
/// differs.
std::span<const EmbeddedFile> new_file_templates();

}  // namespace sweep
