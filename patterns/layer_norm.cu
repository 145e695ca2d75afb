/* pattern:
summary: Layer normalisation of rows of bfloat16, with mean and variance from one read
family: collectives
help: >-
  out = (in - mean) / sqrt(variance + epsilon) * gain + bias, with mean and variance of the row and
  a gain and a bias for each column. A thread loads its part of the row into registers, takes mean
  and variance of it in float, and shuffles and shared memory combine those of the threads - by how
  far two means differ, so that nothing cancels where a mean is large. WARPS warps share a row, and
  a block has BLOCK / (32 * WARPS) rows.
origin: Ba, Kiros and Hinton, "Layer Normalization", arXiv 1607.06450, 2016; Chan, Golub and
  LeVeque, "Algorithms for Computing the Sample Variance", The American Statistician 37, 1983
parameters:
  COLUMNS: {default: 4 Ki, min: 64, help: elements of a row}
  WARPS:   {default: 4, min: 1, max: 32, help: warps that share a row}
  VECTOR:  {default: 8, min: 2, max: 8, help: neighbouring elements that a thread moves at once}
  BLOCK:   {default: 128, min: 32, max: 1024, help: threads per block}
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      of rows - 0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
      4 .L1::no_allocate, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the whole line),
      7 .L2::256B (two lines), 8 .nc with 4 and 7; 5, 7 and 8 need 8.0
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later)
  BYTES:   {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (2 * COLUMNS * 32) * 32
    min: 1
    help: rows; by default as many as cover BYTES
require:
  - is_pow2(WARPS)
  - is_pow2(VECTOR)
  - BLOCK % (32 * WARPS) == 0
  - COLUMNS % (32 * WARPS * VECTOR) == 0
  - N % (BLOCK / (32 * WARPS)) == 0
buffers:
  in:   {type: bfloat16, length: N * COLUMNS, init: "value(i / COLUMNS, i % COLUMNS)"}
  gain: {type: bfloat16, length: COLUMNS, init: "gain_of(i)"}
  bias: {type: bfloat16, length: COLUMNS, init: "bias_of(i)"}
  out:  {type: bfloat16, length: N * COLUMNS}
launch: {grid: N / (BLOCK / (32 * WARPS)), block: BLOCK}
useful:
  read: (N + 2) * COLUMNS * sizeof(bfloat16)
  write: N * COLUMNS * sizeof(bfloat16)
verify:
  out:
    equals: "bfloat16(normalised(i / COLUMNS, i % COLUMNS))"
    # The float before it is rounded may be off by a few of its own steps, those of the terms where
    # they cancel.
    tolerance: {ulps: 1, absolute: 1e-5}
*/
#include "bfloat16_rows.cuh"

constexpr float epsilon = 1e-5f;

// Of some elements; as many as in what it is combined with.
struct Moments {
  float mean;
  float variance;

  __device__ void combine(const Moments& other) {
    const float half_way = 0.5f * (other.mean - mean);
    mean += half_way;
    variance = 0.5f * (variance + other.variance) + half_way * half_way;
  }

  __device__ Moments of_lane(int lane) const {
    return {__shfl_sync(0xffffffff, mean, lane), __shfl_sync(0xffffffff, variance, lane)};
  }
};

__device__ Moments moments_of(const Vector (&vectors)[vectors_of_thread]) {
  constexpr float share = 1.0f / (vectors_of_thread * VECTOR);
  float sum = 0;
#pragma unroll
  for (const Vector& vector : vectors) {
#pragma unroll
    for (const uint32_t pair : vector.pair) {
      const float2 two = unpacked(pair);
      sum += two.x + two.y;
    }
  }
  const float mean = sum * share;
  float squares = 0;
#pragma unroll
  for (const Vector& vector : vectors) {
#pragma unroll
    for (const uint32_t pair : vector.pair) {
      const float2 two = unpacked(pair);
      squares += (two.x - mean) * (two.x - mean) + (two.y - mean) * (two.y - mean);
    }
  }
  return {mean, squares * share};
}

__global__ void __launch_bounds__(BLOCK)
    layer_norm(const bfloat16* __restrict__ in, const bfloat16* __restrict__ gain,
               const bfloat16* __restrict__ bias, bfloat16* __restrict__ out) {
  const Vector* from = reinterpret_cast<const Vector*>(in) + first_vector();
  Vector* to = reinterpret_cast<Vector*>(out) + first_vector();
  Vector kept[vectors_of_thread];
#pragma unroll
  for (int k = 0; k < vectors_of_thread; ++k) kept[k] = load_by<LOAD>(from + k * row_threads);
  const Moments row = combined_over_row(moments_of(kept));
  const float scale = rsqrtf(row.variance + epsilon);
  const Vector* gains = reinterpret_cast<const Vector*>(gain) + threadIdx.x % row_threads;
  const Vector* biases = reinterpret_cast<const Vector*>(bias) + threadIdx.x % row_threads;
#pragma unroll
  for (int k = 0; k < vectors_of_thread; ++k) {
    const Vector of_gain = gains[k * row_threads];
    const Vector of_bias = biases[k * row_threads];
#pragma unroll
    for (int p = 0; p < VECTOR / 2; ++p) {
      const float2 two = unpacked(kept[k].pair[p]);
      const float2 by = unpacked(of_gain.pair[p]);
      const float2 plus = unpacked(of_bias.pair[p]);
      kept[k].pair[p] = packed((two.x - row.mean) * scale * by.x + plus.x,
                               (two.y - row.mean) * scale * by.y + plus.y);
    }
    store_by<STORE>(to + k * row_threads, kept[k]);
  }
}

// Every 16 neighbours have the offsets -7.5, -6.5, ..., 7.5 in some order, but for one element of a
// row, at random, which has `peak`. They are added to the row's level, which is not small.
constexpr double peak = 64;

__device__ double even_offset(uint64_t row, uint64_t column) {
  return double((5 * column + column / 16 + row) % 16) - 7.5;
}

__device__ double offset(uint64_t row, uint64_t column) {
  return column == random_below(COLUMNS, 1, row) ? peak : even_offset(row, column);
}

__device__ bfloat16 value(uint64_t row, uint64_t column) {
  return bfloat16(float(double(row % 7 * 8) + offset(row, column)));
}

__device__ bfloat16 gain_of(uint64_t column) {
  return bfloat16(1 + 0.125f * (column % 8));
}

__device__ bfloat16 bias_of(uint64_t column) {
  return bfloat16(0.5f * (column % 5) - 1);
}

// What layer normalisation makes of it. The row's level plays no part.
__device__ float normalised(uint64_t row, uint64_t column) {
  // The mean of (-7.5)^2, ..., 7.5^2
  constexpr double of_sixteen = (16 * 16 - 1) / 12.0;
  const double replaced = even_offset(row, random_below(COLUMNS, 1, row));
  const double mean = (peak - replaced) / COLUMNS;
  const double variance =
      of_sixteen + (peak * peak - replaced * replaced) / COLUMNS - mean * mean;
  const double scaled = (offset(row, column) - mean) / sqrt(variance + epsilon);
  return float(scaled * float(gain_of(column)) + float(bias_of(column)));
}
