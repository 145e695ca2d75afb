#pragma once

#include <string>

#include "tests/emulator/hardware/outcome.h"

namespace sweep::testing {

/// One row: the configuration, what the hardware counted, what the emulator counted, and whether
/// memory is the same.
std::string markdown_row(const std::string& configuration, const Outcome& hardware,
                         const Outcome& emulated);
extern const char* const markdown_header;

/// Everything that differs, a line for each; empty when nothing does.
std::string differences(const Outcome& hardware, const Outcome& emulated);

}  // namespace sweep::testing
