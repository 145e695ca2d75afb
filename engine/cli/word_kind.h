#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweep {

/// What a word of the command line is: completion offers words by it.
enum class WordKind {
  text,        ///< nothing that could be offered
  number,      ///< a whole number
  choice,      ///< one of a few words
  file,        ///< any file
  folder,      ///< any folder
  sweep,       ///< a sweep's name or file
  pattern,     ///< a pattern's name or file
  source,      ///< a sweep's or a pattern's file
  database,    ///< a file of results, or the name of the sweep that wrote it
  recording,   ///< a database, or JSON with recorded results
  named,       ///< the name of what the word before it is: `pattern stride`
  assignment,  ///< NAME=VALUES of a parameter
  counters,    ///< sets of hardware counters and metrics, with commas between
  strategies,  ///< names of search strategies, with commas between
  metric,      ///< the name of a metric
  device,      ///< what a sweep can run on
  capability,  ///< a compute capability: 9.0
};

/// A word by what help calls it, its placeholder.
struct Word {
  std::string placeholder;  ///< "DIR"; empty for an option that takes no argument
  WordKind kind = WordKind::text;
  std::vector<std::string> choices = {};  ///< of a choice
};

/// The placeholders in capitals that options and operands may have. `a|b` stands for a choice
/// and needs no entry; so does a word in small letters, which stands for itself.
struct Placeholder {
  std::string_view name;
  WordKind kind;
  std::string_view choices = {};  ///< "a|b" of a choice
};
std::span<const Placeholder> placeholders();

/// The word of a placeholder; plain text when the table lacks it.
Word word_of(const std::string& placeholder);

}  // namespace sweep
