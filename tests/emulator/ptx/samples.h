#pragma once

#include <string>
#include <vector>

#include "engine/emulator/ptx/module.h"

namespace sweep::testing {

struct Sample {
  std::string name;  ///< "calls_90"
  std::string text;
};

/// The PTX files of the folder `samples`, by name. They come from the .cu files beside them through
/// NVRTC 13.0 with `--generate-line-info`, for the architecture in the name, and with `-G` where it
/// says so; the debug sections are shortened. `handwritten` is not from a compiler.
const std::vector<Sample>& samples();

/// The functions that PTX text seems to declare or define, whether or not it is in order.
std::vector<std::string> function_names(const std::string& text);

/// Reads the bodies of all functions. Throws ptx::SyntaxError.
void read_everything(const std::string& text);

}  // namespace sweep::testing
