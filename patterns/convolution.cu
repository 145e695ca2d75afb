/* pattern:
summary: Convolve an image with a square filter in constant memory
family: collectives
help: >-
  Each element of out is the sum of the (2 * RADIUS + 1)^2 elements around it times the filter's.
  The rows of in have margins of RADIUS and begin at multiples of 128 bytes. A block copies its tile
  and the halo around it to shared memory, with ASYNC by cp.async. A thread computes VECTOR x ITEMS
  neighbouring elements - it reads each row of its part of the tile once, into registers, and all
  threads of a warp multiply by the same element of the filter, as constant memory wants it.
origin: Podlozhnyuk, "Image Convolution with CUDA", NVIDIA 2007
parameters:
  RADIUS: {default: 3, min: 0, max: 8, help: elements on each side that the filter reaches}
  WIDE:   {default: 32, min: 1, max: 128, help: threads of a block along a row}
  TALL:   {default: 8, min: 1, max: 128, help: rows of threads in a block}
  VECTOR: {default: 4, min: 1, max: 4, help: neighbouring elements of a row that a thread computes}
  ITEMS:  {default: 4, min: 1, max: 16, help: neighbouring rows that a thread computes}
  ASYNC:  {default: false, help: "whether the tile is copied by cp.async (8.0 and later)"}
  SIZE:   {default: 8 Ki, min: 32, help: rows and columns of out}
  PITCH:
    default: ceil_div(SIZE + 2 * RADIUS, 32) * 32
    min: 32
    help: elements from the beginning of a row of in to the next
  FMA_UNITS:
    default: 128
    min: 1
    help: multiply-adds of a multiprocessor in a clock; 128 from 8.6 on, 64 in 7.x and 8.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: whose peak is the limit}
require:
  - is_pow2(VECTOR)
  - WIDE * VECTOR % 4 == 0
  - SIZE % (WIDE * VECTOR) == 0
  - SIZE % (TALL * ITEMS) == 0
  - WIDE * TALL <= 1024
  - PITCH % 4 == 0
  - PITCH >= SIZE + ceil_div(RADIUS, 2) * 4
  - (TALL * ITEMS + 2 * RADIUS) * (WIDE * VECTOR + ceil_div(RADIUS, 2) * 4) * sizeof(float) <= 48 Ki
buffers:
  in:  {type: float, length: (SIZE + 2 * RADIUS) * PITCH, init: "value(i / PITCH, i % PITCH)"}
  out: {type: float, length: SIZE * SIZE}
constants:
  filter: {init: "coefficient(i)"}
launch: {grid: [SIZE / (WIDE * VECTOR), SIZE / (TALL * ITEMS)], block: [WIDE, TALL]}
useful: {read: SIZE * SIZE * sizeof(float), write: SIZE * SIZE * sizeof(float)}
metrics:
  gflops:
    value: 2 * (2 * RADIUS + 1) * (2 * RADIUS + 1) * SIZE * SIZE / time / 1e9
    unit: GFLOP/s
    better: higher
    help: a multiplication and an addition for each element of the filter / time
  percent_of_fma_peak:
    value: >-
      100 * (2 * RADIUS + 1) * (2 * RADIUS + 1) * SIZE * SIZE / time /
      (FMA_UNITS * MULTIPROCESSORS * sm_clock)
    unit: "%"
    better: higher
    help: multiply-adds as a share of what the multiprocessors can do at the clock measured
verify: {out: "out[i] == convolved(i / SIZE, i % SIZE)"}
*/
#include "cache_operators.cuh"

constexpr int side = 2 * RADIUS + 1;
constexpr int tile_rows = TALL * ITEMS + 2 * RADIUS;
// Whole float4.
constexpr int tile_columns = WIDE * VECTOR + (RADIUS + 1) / 2 * 4;

__constant__ float filter[side * side];

struct alignas(VECTOR * sizeof(float)) Vector {
  float element[VECTOR];
};

__device__ void copy(float4* to, const float4* from) {
  if (ASYNC) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     uint32_t(__cvta_generic_to_shared(to))),
                 "l"(from)
                 : "memory");
  } else {
    *to = *from;
  }
}

// Reads what a thread needs of a row, whole vectors.
template <int count>
__device__ void read(float (&values)[count], const float* from) {
#pragma unroll
  for (int i = 0; i < count; i += VECTOR) {
    const Vector vector = *reinterpret_cast<const Vector*>(from + i);
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) values[i + j] = vector.element[j];
  }
}

__global__ void __launch_bounds__(WIDE * TALL)
    convolution(const float* __restrict__ in, float* __restrict__ out) {
  alignas(16) __shared__ float tile[tile_rows][tile_columns];
  const size_t left = size_t(blockIdx.x) * (WIDE * VECTOR);
  const size_t top = size_t(blockIdx.y) * (TALL * ITEMS);
  constexpr int in_a_row = tile_columns / 4;
  for (int at = threadIdx.y * WIDE + threadIdx.x; at < tile_rows * in_a_row; at += WIDE * TALL) {
    const int row = at / in_a_row;
    const int column = at % in_a_row * 4;
    copy(reinterpret_cast<float4*>(&tile[row][column]),
         reinterpret_cast<const float4*>(in + (top + row) * PITCH + left + column));
  }
  if (ASYNC) asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();

  const int x = threadIdx.x * VECTOR;
  const int y = threadIdx.y * ITEMS;
  float sums[ITEMS][VECTOR] = {};
#pragma unroll
  for (int row = 0; row < ITEMS + 2 * RADIUS; ++row) {
    float values[VECTOR + (2 * RADIUS + VECTOR - 1) / VECTOR * VECTOR];
    read(values, &tile[y + row][x]);
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
      const int down = row - item;
      if (down < 0 || down >= side) continue;
#pragma unroll
      for (int across = 0; across < side; ++across) {
#pragma unroll
        for (int j = 0; j < VECTOR; ++j) {
          sums[item][j] += filter[down * side + across] * values[across + j];
        }
      }
    }
  }
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    Vector vector;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) vector.element[j] = sums[item][j];
    // Plain assignment lets the compiler take the first of these apart.
    __stwb(reinterpret_cast<Word<Vector>*>(out + (top + y + item) * SIZE + left + x),
           __builtin_bit_cast(Word<Vector>, vector));
  }
}

// The elements of the filter are all different.
__device__ float coefficient(int n) {
  return float(n + 1);
}

// Of every side x side elements of in one is more than 1, by so much.
__device__ float height(uint64_t row, uint64_t column) {
  return float(1 + (row / side * 7 + column / side * 3) % 13);
}

__device__ float value(uint64_t row, uint64_t column) {
  return row % side == 0 && column % side == 0 ? 1 + height(row, column) : 1;
}

// One such element lies under the filter, wherever that is.
__device__ float convolved(uint64_t row, uint64_t column) {
  const uint64_t down = (side - row % side) % side;
  const uint64_t across = (side - column % side) % side;
  const float of_ones = side * side * (side * side + 1) / 2;
  return of_ones + height(row + down, column + across) * coefficient(down * side + across);
}
