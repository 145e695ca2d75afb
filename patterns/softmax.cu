/* pattern:
summary: The softmax of rows of bfloat16, with maximum and sum in one pass
family: collectives
help: >-
  out = exp(in - m) / s, with m the maximum of a row and s the sum of all exp(in - m). A thread goes
  along its part of the row once, in float - where the maximum grows, it scales its sum down - and
  shuffles and shared memory combine the threads' pairs of maximum and sum. With KEEPS it has loaded
  its part into registers before; without, it loads it again for the result, most likely from L1.
  WARPS warps share a row, and a block has BLOCK / (32 * WARPS) rows.
origin: Milakov and Gimelshein, "Online Normalizer Calculation for Softmax", arXiv 1805.02867
parameters:
  COLUMNS: {default: 4 Ki, min: 64, help: elements of a row}
  WARPS:   {default: 4, min: 1, max: 32, help: warps that share a row}
  VECTOR:  {default: 8, min: 2, max: 8, help: neighbouring elements that a thread moves at once}
  KEEPS:   {default: true, help: "whether a thread keeps its elements, all of which it loads first"}
  BLOCK:   {default: 128, min: 32, max: 1024, help: threads per block}
  FAST:    {default: true, help: whether to compile with --use_fast_math}
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
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
  in:  {type: bfloat16, length: N * COLUMNS, init: "value(i / COLUMNS, i % COLUMNS)"}
  out: {type: bfloat16, length: N * COLUMNS}
compile: {fast_math: FAST}
launch: {grid: N / (BLOCK / (32 * WARPS)), block: BLOCK}
useful: {read: N * COLUMNS * sizeof(bfloat16), write: N * COLUMNS * sizeof(bfloat16)}
verify:
  out:
    equals: "bfloat16(share(i / COLUMNS, i % COLUMNS))"
    # The float before it is rounded may be off by a few of its own steps.
    tolerance: {ulps: 1}
*/
#include "bfloat16_rows.cuh"

constexpr float log2_e = 1.44269504f;

struct Partial {
  float highest;
  float sum;  // of exp(value - highest)

  __device__ void add(const Vector& vector) {
    float2 values[VECTOR / 2];
    const float before = highest;
#pragma unroll
    for (int k = 0; k < VECTOR / 2; ++k) {
      values[k] = unpacked(vector.pair[k]);
      highest = fmaxf(highest, fmaxf(values[k].x, values[k].y));
    }
    sum *= exp2f((before - highest) * log2_e);
#pragma unroll
    for (const float2& two : values) sum += exponential(two.x) + exponential(two.y);
  }

  __device__ void combine(const Partial& other) {
    const float before = highest;
    highest = fmaxf(highest, other.highest);
    sum = sum * exp2f((before - highest) * log2_e) +
          other.sum * exp2f((other.highest - highest) * log2_e);
  }

  __device__ Partial of_lane(int lane) const {
    return {__shfl_sync(0xffffffff, highest, lane), __shfl_sync(0xffffffff, sum, lane)};
  }

  __device__ float exponential(float value) const {
    return exp2f(value * log2_e - highest * log2_e);
  }
};

__global__ void __launch_bounds__(BLOCK)
    softmax(const bfloat16* __restrict__ in, bfloat16* __restrict__ out) {
  constexpr int unrolled = KEEPS ? vectors_of_thread : 4;
  const Vector* from = reinterpret_cast<const Vector*>(in) + first_vector();
  Vector* to = reinterpret_cast<Vector*>(out) + first_vector();
  Vector kept[KEEPS ? vectors_of_thread : 1];
  if (KEEPS) {
#pragma unroll
    for (int k = 0; k < vectors_of_thread; ++k) kept[k] = load_by<LOAD>(from + k * row_threads);
  }
  Partial row = {-3.0e38f, 0};
#pragma unroll unrolled
  for (int k = 0; k < vectors_of_thread; ++k) {
    row.add(KEEPS ? kept[k] : load_by<LOAD>(from + k * row_threads));
  }
  row = combined_over_row(row);
  const float scale = 1 / row.sum;
#pragma unroll unrolled
  for (int k = 0; k < vectors_of_thread; ++k) {
    Vector vector = KEEPS ? kept[k] : load_by<LOAD>(from + k * row_threads);
#pragma unroll
    for (uint32_t& pair : vector.pair) {
      const float2 two = unpacked(pair);
      pair = packed(row.exponential(two.x) * scale, row.exponential(two.y) * scale);
    }
    store_by<STORE>(to + k * row_threads, vector);
  }
}

// Every 16 neighbours have the depths 0 to 15 in some order, but for one element of a row, at
// random, which lies `peak` above those of depth 0. A quarter of the depth is how far an element
// lies below the row's level.
constexpr int peak = 20;

__device__ int even_depth(uint64_t row, uint64_t column) {
  return int((5 * column + column / 16 + row) % 16);
}

__device__ bool is_peak(uint64_t row, uint64_t column) {
  return column == random_below(COLUMNS, 1, row);
}

__device__ bfloat16 value(uint64_t row, uint64_t column) {
  const int depth = is_peak(row, column) ? -peak : even_depth(row, column);
  return bfloat16(float(int(row % 7)) - 0.25f * depth);
}

// What softmax makes of it.
__device__ float share(uint64_t row, uint64_t column) {
  // 1 + e^(-1/4) + e^(-2/4) + ... + e^(-15/4) = (1 - e^-4) / (1 - e^(-1/4))
  constexpr float of_sixteen = 4.43801f;
  const uint64_t at = random_below(COLUMNS, 1, row);
  const float sum = COLUMNS / 16 * of_sixteen - expf(-0.25f * even_depth(row, at)) +
                    expf(0.25f * peak);
  const int depth = column == at ? -peak : even_depth(row, column);
  return expf(-0.25f * depth) / sum;
}
