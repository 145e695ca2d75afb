#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sweep {

/// A random order of `count` configurations, the same for the same seed on every machine: so what
/// changes slowly, clocks or heat, does not pass for an effect of a parameter.
std::vector<std::size_t> measuring_order(std::size_t count, std::uint64_t seed);

}  // namespace sweep
