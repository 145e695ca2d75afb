#pragma once

#include <string>
#include <vector>

#include "engine/cli/completion.h"
#include "engine/cli/word_kind.h"

namespace sweep {

/// What stands before the word on its command line.
struct LineSoFar {
  std::vector<std::string> operands;
  std::vector<std::string> pattern_folders;  ///< of --patterns
  std::vector<std::string> include_folders;  ///< of --include
};

/// What may stand for `word`, of which `typed` is there; offers that do not begin with it are the
/// caller's to drop. Throws what reading the patterns and sweeps on the line throws.
Completion offers_for(const Word& word, const std::string& typed, const LineSoFar& line);

}  // namespace sweep
