// What enumerating a large space costs: the tiles, threads and stages of a matrix multiplication,
// ten parameters, more than 10^8 combinations of which about one in six hundred is valid.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "engine/space/enumerate.h"
#include "engine/text/units.h"

using namespace sweep;

namespace {

constexpr const char* pattern_text = R"cuda(/* pattern:
parameters:
  T: float
  TILE_M: {default: 64, min: 1}
  TILE_N: {default: TILE_M, min: 1}
  TILE_K: {default: 16, min: 1}
  THREADS_X: 16
  THREADS_Y: 16
  VECTOR: 1
  STAGES: 2
  UNROLL: 4
  PADDING: 1
  ROW_BYTES: {default: TILE_K * sizeof(T) + 16 * PADDING, max: 256}
  SHARED: {default: STAGES * (TILE_M + TILE_N) * ROW_BYTES, max: 96 Ki}
require:
  - VECTOR * sizeof(T) <= 16
  - UNROLL * STAGES <= 16 && TILE_K / UNROLL >= 4
  - TILE_M % THREADS_Y == 0
  - TILE_N % (THREADS_X * VECTOR) == 0
  - THREADS_X * THREADS_Y % 32 == 0
  - THREADS_X * THREADS_Y >= 64 && THREADS_X * THREADS_Y <= 1024
  - is_pow2(TILE_M * TILE_N / (THREADS_X * THREADS_Y))
  - TILE_M * TILE_N % (THREADS_X * THREADS_Y) == 0
  - TILE_M * TILE_K % (THREADS_X * THREADS_Y * VECTOR) == 0
  - TILE_N * TILE_K % (THREADS_X * THREADS_Y * VECTOR) == 0
buffers: {data: {type: T, length: TILE_M * TILE_N}}
launch: {grid: 1, block: [THREADS_X, THREADS_Y], shared: SHARED}
useful: 4
verify: "data[i] == data[i]"
*/
__global__ void multiply(T* data) {}
)cuda";

constexpr const char* sweep_text = R"yaml(pattern: multiply
axes:
  T: [half, float]
  TILE_M: {from: 16, to: 256, step: 16}
  TILE_N: {from: 16, to: 256, step: 16}
  TILE_K: {from: 8, to: 64, step: 8}
  THREADS_X: {from: 4, to: 64, step: 4}
  THREADS_Y: {from: 4, to: 64, step: 4}
  VECTOR: [1, 2, 4, 8]
  STAGES: {from: 1, to: 4}
  UNROLL: [1, 2, 4, 8]
  PADDING: [0, 1]
where:
  - SHARED >= 24 Ki
)yaml";

Sweep large_sweep() {
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"multiply.cu", pattern_text});
  const PatternPtr pattern = parse_pattern(source, "multiply.cu", diagnostics);
  if (pattern == nullptr) throw InputError(diagnostics);
  const PatternLookup lookup = [&](const std::string&, const Location&, Diagnostics&) {
    return pattern;
  };
  return parse_sweep(std::make_shared<Source>(Source{"large.yaml", sweep_text}), "large.yaml",
                     lookup, {});
}

void print(const Space& space) {
  fmt::print("{} combinations, {} configurations\n", format_thousands(space.combinations),
             format_thousands(space.configurations.size()));
  for (const Removed& removed : space.removed) {
    fmt::print("{:>14} removed by {}\n", format_thousands(removed.count), removed.constraint);
  }
}

}  // namespace

int main() {
  try {
    const Sweep sweep = large_sweep();
    std::vector<double> seconds;
    constexpr int repetitions = 5;
    for (int i = 0; i < repetitions; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Space space = enumerate(sweep);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      seconds.push_back(taken.count());
      if (i == 0) print(space);
    }
    std::ranges::sort(seconds);
    fmt::print("seconds: {:.3f} to {:.3f}, median {:.3f}\n", seconds.front(), seconds.back(),
               seconds[repetitions / 2]);
    return 0;
  } catch (const InputError& error) {
    fmt::print(stderr, "{}", render(error.diagnostics()));
    return 1;
  }
}
