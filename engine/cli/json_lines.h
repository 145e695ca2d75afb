#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/backend/backend.h"

namespace sweep {

/// Prints an object on a line of its own to standard output, at once, so that a reader sees it
/// live. Bytes that are not UTF-8 are replaced; numbers that JSON does not have (NaN, infinities)
/// are null. After a write that failed nothing more is printed; the command ends with exit_io.
void print_json_line(const nlohmann::ordered_json& object);

/// "backend" (cuda or emulator), "name", "compute_capability" ("9.0"), and where a device has them
/// "uuid", "multiprocessors", "l2_bytes", "memory_bytes", "memory_clock_mhz", "memory_bus_bits",
/// "peak_bandwidth" (the theoretical one in GB/s), "driver" and "cuda".
nlohmann::ordered_json json_of(const Device& device);

}  // namespace sweep
