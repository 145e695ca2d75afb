#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/best_configurations.h"

namespace sweep {

// What an exported file says in comments about where its values come from.

/// The text as lines that each begin with `mark` ("//" or "#"), broken at `width` columns or not at
/// all when that is 0. Nothing in the text can end the comment: line breaks and other control
/// characters become blanks, those that turn the direction of writing '?', and a line never ends in
/// what joins it to the next one.
std::string comment_lines(std::string_view mark, std::string_view text, std::size_t width = 0);

/// "The best configurations", or of runs that the emulator's counts rank what they are.
std::string title_of(std::span<const ExportedRun> runs);

/// That nothing was measured, where that is so; then the device, driver, compiler, engine,
/// measuring rules, date, metric and command of a run; each is a line of its own.
std::vector<std::string> describe_origin(const ExportedRun& run);

/// How good it is and how it was found: "4263 GB/s (95 % interval 4257 to 4266, compared in 12
/// rounds), 1.12 times as good as the default (1.10 to 1.13); 200 of 1,200 configurations tried".
std::string describe_best(const ExportedRun& run, const BestConfiguration& best);

}  // namespace sweep
