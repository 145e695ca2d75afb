#pragma once

#include <string>

namespace sweep::testing {

/// A kernel of BLOCK threads that doubles, and a plain one that does the same for its reference.
inline const std::string referenced_pattern = R"cuda(/* pattern:
parameters: {BLOCK: 64, N: 256, SCALE: 3, WRONG: -1}
require: [N % BLOCK == 0]
buffers:
  in: {type: int, length: N, init: "scaled(i)"}
  scratch: {type: int, length: N / BLOCK}
  out: {type: int, length: N}
kernel: doubled
arguments: [in, out, scratch]
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * 4}
reference: {kernel: "plain<int>", arguments: [in, out, N], grid: "ceil_div(N, 32)", block: 32}
verify: {out: {reference: out}}
*/
__device__ int scaled(int i) { return i * SCALE; }

constexpr int block = BLOCK;

__global__ void doubled(const int* in, int* out, int* scratch) {
  const int i = blockIdx.x * block + threadIdx.x;
  out[i] = 2 * in[i] + (i == WRONG);
  if (threadIdx.x == 0) scratch[blockIdx.x] = BLOCK;
}

// Whatever BLOCK is.
template <class T>
__global__ void plain(const T* in, T* out, int n) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i];
}
)cuda";

}  // namespace sweep::testing
