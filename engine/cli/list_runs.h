#pragma once

#include <string>

namespace sweep {

/// The runs that a results database holds, one a line, oldest first: number, start, state, points
/// and those that failed, device, command. For a terminal of `width` columns.
std::string list_runs(const std::string& database, std::size_t width, bool color);

}  // namespace sweep
