#pragma once

#include <span>
#include <string>
#include <vector>

namespace sweep {

/// A word that may stand where the cursor is.
struct Offer {
  std::string word;
  std::string meaning = {};  ///< a few words; may be empty
};

/// What the shell adds of its own.
enum class OfferedFiles { nothing, of_endings, every, folders };

/// What may stand at the end of a command line.
struct Completion {
  std::vector<Offer> offers;
  OfferedFiles files = OfferedFiles::nothing;
  std::vector<std::string> endings = {};  ///< "yaml": of files that are offered too
  bool goes_on = false;  ///< no space after the word: what is offered is not all of it
};

/// Completes the last of `words`, which may be empty; the others stand between the program's name
/// and it. Knows the commands' tables, the patterns and sweeps there are, and the parameters of
/// those on the line. Never fails: where it does not know it offers nothing.
Completion complete(std::span<const std::string> words);

}  // namespace sweep
