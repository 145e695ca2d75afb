/* pattern:
summary: Multiply matrices of 16-bit floats on tensor cores, by warpgroups, from tiles that tensor maps copy
family: collectives
help: >-
  c = a * b, where a and c are stored row by row and b column by column. Compute capability 9.0 has
  wgmma: four warps together multiply 64 rows of a by up to 256 columns of b, which they read from
  shared memory by themselves, and go on meanwhile. A block is such a warpgroup. One thread has the
  Tensor Memory Accelerator copy the next tiles into one of STAGES buffers; ROW bytes of each line
  come at a time, swizzled as wide as that, as the matrix descriptors of wgmma say it. Each element
  of a is multiplied by TILE_N columns, so that wider tiles read a less often. The sums are in
  registers, TILE_N / 2 of a thread.
origin: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Operation";
  Bikshandi and Shah, "Developing CUDA Kernels to Accelerate GEMM on NVIDIA Hopper", 2023
parameters:
  T:      {type: element, default: half, help: "of a and b: half or bfloat16"}
  TILE_N: {default: 128, min: 64, max: 256, help: columns of c that a block computes}
  ROW:    {default: 128, min: 32, max: 128, help: "bytes of a line that are copied at a time"}
  STAGES: {default: 3, min: 1, max: 8, help: tiles that shared memory has room for}
  SIZE:   {default: 4 Ki, min: 64, help: "what M, N and K are unless they say otherwise"}
  M:      {default: SIZE, min: 64, help: rows of a and c}
  N:      {default: SIZE, min: 64, help: columns of b and c}
  K:      {default: SIZE, min: 64, max: 256 Ki, help: columns of a and rows of b}
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: whose peak is the limit}
require:
  - is_pow2(TILE_N)
  - is_pow2(ROW)
  - M % 64 == 0
  - N % TILE_N == 0
  - K % 64 == 0
  - STAGES * ((64 + TILE_N) * ROW + 8) <= 227 Ki
buffers:
  a: {type: T, length: M * K, init: "T(factor(i / K + i % K))"}
  b: {type: T, length: N * K, init: "T(factor(i / K + 3 * (i % K)))"}
  c: {type: float, length: M * N}
arguments:
  - {tensor: a, shape: [K, M], box: [ROW / 2, 64], swizzle: ROW}
  - {tensor: b, shape: [K, N], box: [ROW / 2, TILE_N], swizzle: ROW}
  - c
compile: {architecture: specific}
launch: {grid: [N / TILE_N, M / 64], block: 128, shared: STAGES * ((64 + TILE_N) * ROW + 8)}
useful: {read: (M + N) * K * 2, write: M * N * sizeof(float)}
metrics:
  gflops: {value: 2 * M * N * K / time / 1e9, unit: GFLOP/s, better: higher, help: "2 M N K / time"}
  percent_of_tensor_peak:
    value: 100 * 2 * M * N * K / time / (4096 * MULTIPROCESSORS * sm_clock)
    unit: "%"
    better: higher
    help: as a share of what the tensor cores of 9.0 can do at the clock measured
verify: {c: "c[i] == product(i / N, i % N)"}
*/
#ifndef __CUDA_ARCH_FEAT_SM90_ALL
#error "wgmma_tile needs compute capability 9.0, which alone has wgmma"
#endif

#include "bulk_copies.cuh"
#include "warpgroup_products.cuh"

// Small numbers: all sums are exact.
__device__ inline float factor(size_t i) { return float(i % 4); }
// They come again every 4 elements.
__device__ inline float product(size_t row, size_t column) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += factor(row + k) * factor(column + 3 * k);
  return sum * (K / 4);
}

constexpr int along = ROW / 2;  // elements of a line in a tile

struct alignas(1024) Tiles {
  T a[64][along];
  T b[TILE_N][along];
};

__global__ void __launch_bounds__(128)
    wgmma_tile(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
               float* c) {
  extern __shared__ Tiles tiles[];
  auto& arrived = *reinterpret_cast<uint64_t(*)[STAGES]>(tiles + STAGES);
  const uint32_t row = blockIdx.y * 64;
  const uint32_t column = blockIdx.x * TILE_N;
  const auto begin_load = [&](int step) {
    const int stage = step % STAGES;
    expect_bytes(arrived[stage], sizeof tiles[0].a + sizeof tiles[0].b);
    begin_box_load(tiles[stage].a, a, step * along, row, arrived[stage]);
    begin_box_load(tiles[stage].b, b, step * along, column, arrived[stage]);
  };
  constexpr int steps = K / along;
  if (threadIdx.x == 0) {
    make_barriers(arrived);
    for (int step = 0; step < STAGES && step < steps; ++step) begin_load(step);
  }
  __syncthreads();
  float sums[TILE_N / 2] = {};
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int stage = step % STAGES;
    wait_for_phase(arrived[stage], step / STAGES % 2);
    const uint64_t left = matrix_at(tiles[stage].a, ROW);
    const uint64_t right = matrix_at(tiles[stage].b, ROW);
    begin_products();
#pragma unroll
    for (int part = 0; part < along / 16; ++part) {
      multiply(sums, left + part * next_along, right + part * next_along, T());
    }
    end_products();
    // All warps have read the tiles.
    __syncthreads();
    if (threadIdx.x == 0 && step + STAGES < steps) begin_load(step + STAGES);
  }
  // A warp has 16 rows; of 8 of them and 8 columns each lane has two neighbours.
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t first = row + threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < TILE_N / 2; i += 2) {
    const uint32_t at = column + i / 4 * 8 + lane % 4 * 2;
    *reinterpret_cast<float2*>(c + size_t(first + i / 2 % 2 * 8) * N + at) =
        make_float2(sums[i], sums[i + 1]);
  }
}
