#pragma once

#include <algorithm>
#include <cstdint>

namespace sweep {

/// The first multiple of `alignment` (0 is taken as 1) from `value` on.
constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  const std::uint64_t step = std::max<std::uint64_t>(alignment, 1);
  return (value + step - 1) / step * step;
}

}  // namespace sweep
