// Rows of COLUMNS elements of bfloat16, each of them shared by the threads of WARPS warps. A thread
// has every row_threads-th vector of its row.
#pragma once

#include "cache_operators.cuh"

constexpr uint32_t row_threads = 32 * WARPS;
constexpr uint32_t vectors_of_thread = COLUMNS / (VECTOR * row_threads);

// What a thread moves at once. Words, since the compiler moves pairs of bfloat16 one by one.
struct alignas(VECTOR * sizeof(bfloat16)) Vector {
  uint32_t pair[VECTOR / 2];
};

// A bfloat16 is the upper half of a float.
__device__ float2 unpacked(uint32_t pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000)};
}

__device__ uint32_t packed(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return reinterpret_cast<const uint32_t&>(pair);
}

// Where this thread's first vector lies, in vectors.
__device__ size_t first_vector() {
  const size_t row = size_t(blockIdx.x) * (BLOCK / row_threads) + threadIdx.x / row_threads;
  return row * (COLUMNS / VECTOR) + threadIdx.x % row_threads;
}

// What neighbouring `lanes` lanes have, combined; each of them gets it.
template <int lanes, class Partial>
__device__ Partial combined_over_lanes(Partial own) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    own.combine(own.of_lane(threadIdx.x % 32 ^ distance));
  }
  return own;
}

// What the threads of a row have, combined; each of them gets it.
template <class Partial>
__device__ Partial combined_over_row(Partial own) {
  own = combined_over_lanes<32>(own);
  if constexpr (WARPS > 1) {
    __shared__ Partial of_warps[BLOCK / 32];
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
    __syncthreads();
    const uint32_t first_warp = threadIdx.x / row_threads * WARPS;
    own = combined_over_lanes<WARPS>(of_warps[first_warp + threadIdx.x % WARPS]);
  }
  return own;
}
