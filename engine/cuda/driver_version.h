#pragma once

#include <string>

namespace sweep {

/// The installed driver's version, "580.159.04", from NVML; empty when NVML is not there.
std::string installed_driver_version();

}  // namespace sweep
