#pragma once

#include <string>
#include <vector>

namespace sweep {

/// What a document shows of a command's output against the output itself. In what is shown a line
/// "..." stands for lines left out. Both functions say what differs; empty when nothing does.

/// The lines shown are the output's, but for times ("1.043 s"), which may differ.
std::string difference(const std::string& shown, const std::string& output);

/// Of a run on another device: the numbers of configurations are the same, and every table shown
/// is among the output's: its title, its heading, and the first cell of every row.
std::string difference_in_shape(const std::string& shown, const std::string& output);

}  // namespace sweep
