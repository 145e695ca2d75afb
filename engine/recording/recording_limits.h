#pragma once

#include <cstdint>

/// How large recordings in JSON may be; a results database may have any size. `sweep help limits`
/// lists them.
namespace sweep::recording_limits {

constexpr std::uintmax_t file_bytes = 512U << 20U;

}  // namespace sweep::recording_limits
