#pragma once

#include <nlohmann/json_fwd.hpp>

namespace sweep {

/// Prints an object on a line of its own to standard output, at once, so that a reader sees it
/// live. Bytes that are not UTF-8 are replaced; numbers that JSON does not have (NaN, infinities)
/// are null. After a write that failed nothing more is printed; the command ends with exit_io.
void print_json_line(const nlohmann::ordered_json& object);

}  // namespace sweep
