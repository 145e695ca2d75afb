#include "engine/search/random_generator.h"

#include <limits>

namespace sweep {

std::size_t RandomGenerator::below(std::size_t count) {
  if (count < 2) return 0;
  // The largest multiple of `count`: a draw above it would favour the small remainders.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = most - most % count;
  std::uint64_t drawn = engine_();
  while (drawn >= limit) drawn = engine_();
  return static_cast<std::size_t>(drawn % count);
}

double RandomGenerator::unit() {
  constexpr int unused_bits = 11;  // of 64, so that the double's 53 bits are exact
  return static_cast<double>(engine_() >> unused_bits) * 0x1p-53;
}

}  // namespace sweep
