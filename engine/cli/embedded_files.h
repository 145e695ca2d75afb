#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

/// What `sweep new pattern`, `sweep new sweep` and `sweep man` write, as "pattern", "sweep" and
/// "manual"; words in capitals stand for what differs.
std::span<const EmbeddedFile> file_templates();

/// The template of that name, with texts in the place of words, one word after the other.
std::string filled_template(
    std::string_view name,
    std::initializer_list<std::pair<std::string_view, std::string>> texts_of_words);

}  // namespace sweep
