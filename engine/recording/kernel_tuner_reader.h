#pragma once

#include <string>
#include <string_view>

#include "engine/recording/recording.h"

namespace sweep {

/// Reads a cache file of Kernel Tuner, one whose tuning has not finished too: such a file lacks its
/// closing braces, and what follows its last whole entry is left out. `file` is for messages.
///
/// Times, which Kernel Tuner gives in ms, are converted to us. An entry has failed that has an
/// error's name in the place of a figure, or the objective 1e20 of older versions. Of several
/// entries of one configuration the last counts.
///
/// Throws FileError with the place of what is wrong.
Recording read_kernel_tuner_cache(std::string_view text, const std::string& file);

}  // namespace sweep
