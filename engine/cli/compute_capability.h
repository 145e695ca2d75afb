#pragma once

#include <string>

namespace sweep {

/// "9.0" from 90.
std::string dotted(int compute_capability);

/// "9.0" or "90" as 90, "10.0" or "100" as 100. Throws UsageError that names the option.
int parse_compute_capability(const std::string& option, const std::string& text);

}  // namespace sweep
