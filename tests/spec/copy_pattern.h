#pragma once

#include <string>

namespace sweep::testing {

/// A pattern with one of everything, for tables of edits that break it: line 4 is the element type,
/// 5 and 6 are the integers, 9 and 10 the buffers, 17 is the kernel.
inline const std::string copy_pattern = R"cu(/* pattern:
summary: Copy an array
parameters:
  T: float
  N: {default: 4 Ki, min: 1, max: 1 Gi, help: elements}
  BLOCK: {default: 256}
require: [N % BLOCK == 0]
buffers:
  in: {type: T, length: N, init: "T(i % 101)"}
  out: {type: T, length: N + 0}
arguments:
  scale: {type: int32_t, value: 1}
launch: {grid: N / BLOCK, block: BLOCK, shared: 0}
useful: {read: N * sizeof(T), write: N * 4}
verify: {out: "out[i] == T(i % 101)"}
*/
__global__ void copy(const T* in, T* out, int scale) {
  out[i] = in[i] * scale;
}
)cu";

}  // namespace sweep::testing
