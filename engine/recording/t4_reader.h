#pragma once

#include <string>
#include <string_view>

#include "engine/recording/recording.h"

namespace sweep {

/// Reads results in the T4 format of the auto-tuning community, as Kernel Tuner (1.0.0), KTT and
/// `write_t4` (1.1.0) write them. `file` is for messages.
///
/// Times are converted to us; one whose unit is not given is in the metadata's `timeunit`, without
/// that in ms, as Kernel Tuner's are. A result without a measured time has the median of its
/// runtimes. Of several results of one configuration the last counts.
///
/// Throws FileError with the place of what is wrong.
Recording read_t4(std::string_view text, const std::string& file);

}  // namespace sweep
