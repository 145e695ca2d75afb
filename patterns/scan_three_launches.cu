/* pattern:
summary: Prefix sums of a whole array in three launches
family: collectives
help: >-
  A block has a tile of ITEMS * BLOCK elements. The first launch adds up each tile, the second, of
  one block, scans the tiles' sums, and the third scans each tile beginning with what comes before
  it - so the elements are read twice and written once. With SCANS_FIRST the first launch writes the
  scans already, and the third reads and writes them again to add what comes before. REVERSED lets
  the third launch begin with the tiles that the first read last, some of which L2 still has.
origin: Merrill and Grimshaw, "Parallel Scan for Stream Architectures", University of Virginia
  CS2009-14, 2009; Harris, Sengupta and Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3
parameters:
  EXCLUSIVE:   {default: false, help: whether an element is left out of its own sum}
  SCANS_FIRST: {default: false, help: "whether the first launch scans, and the third only adds"}
  REVERSED:    {default: true, help: whether the third launch begins with the last tile}
  ITEMS:       {default: 16, min: 1, max: 128, help: elements of a thread}
  VECTOR:      {default: 4, min: 1, max: 4, help: neighbouring elements that a thread moves at once}
  BLOCK:       {default: 256, min: 32, max: 1024, help: threads per block}
  SUMS_ITEMS:  {default: 16, min: 1, max: 64, help: sums of a thread of the second launch at a time}
  SUMS_BLOCK:  {default: 1024, min: 32, max: 1024, help: threads of the second launch}
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      of the third launch - 0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg
      (__ldcg, past L1), 4 .L1::no_allocate, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the
      line), 7 .L2::256B (two lines), 8 .nc with 4 and 7; 5, 7 and 8 need 8.0
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      of the third launch - 0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted
      first), 3 .cg (__stcg, into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0)
  BYTES:       {default: 64 Mi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(uint32_t) * ITEMS * BLOCK) * ITEMS * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % (ITEMS * BLOCK) == 0
  - BLOCK % 32 == 0
  - SUMS_BLOCK % 32 == 0
  - is_pow2(VECTOR)
  - ITEMS % VECTOR == 0
  - SUMS_ITEMS % VECTOR == 0
  # Those read what the first launch wrote.
  - "!SCANS_FIRST || (LOAD != 1 && LOAD != 8)"
buffers:
  in:   {type: uint32_t, length: N, init: "i % 101"}
  out:  {type: uint32_t, length: N}
  sums:
    type: uint32_t
    length: ceil_div(N / (ITEMS * BLOCK), SUMS_ITEMS * SUMS_BLOCK) * SUMS_ITEMS * SUMS_BLOCK
    init: "0"
steps:
  - {kernel: begin_tiles, arguments: [in, out, sums], grid: N / (ITEMS * BLOCK), block: BLOCK}
  - {kernel: scan_sums, arguments: [sums], grid: 1, block: SUMS_BLOCK}
  - {kernel: finish_tiles, arguments: [in, out, sums], grid: N / (ITEMS * BLOCK), block: BLOCK}
useful: {read: N * sizeof(uint32_t), write: N * sizeof(uint32_t)}
verify: {out: "out[i] == uint32_t(sum_below(i + (EXCLUSIVE ? 0 : 1)))"}
*/
#include "cache_operators.cuh"

struct alignas(VECTOR * sizeof(uint32_t)) Vector {
  uint32_t element[VECTOR];
};

// What a thread has of a tile. A warp has a stretch of it, vector by vector, so that neighbouring
// lanes move neighbouring vectors.
template <int items> using Part = Vector[items / VECTOR];

// Where the calling thread's part of a tile begins, in vectors; the next one is 32 further.
template <int items, int block>
__device__ size_t first_vector(uint32_t tile) {
  return size_t(tile) * (items / VECTOR * block) + threadIdx.x / 32 * (items / VECTOR * 32) +
         threadIdx.x % 32;
}

template <int operation, int vectors>
__device__ void load(Vector (&part)[vectors], const Vector* from) {
#pragma unroll
  for (int k = 0; k < vectors; ++k) part[k] = load_by<operation>(from + k * 32);
}

template <int operation, int vectors>
__device__ void store(Vector* to, const Vector (&part)[vectors]) {
#pragma unroll
  for (int k = 0; k < vectors; ++k) store_by<operation>(to + k * 32, part[k]);
}

template <int vectors>
__device__ void add(Vector (&part)[vectors], uint32_t before) {
#pragma unroll
  for (Vector& vector : part) {
#pragma unroll
    for (uint32_t& element : vector.element) element += before;
  }
}

// The sum of a lane's value and those of the lanes before it.
__device__ uint32_t scan_warp(uint32_t sum) {
#pragma unroll
  for (uint32_t distance = 1; distance < 32; distance *= 2) {
    const uint32_t before = __shfl_up_sync(0xffffffff, sum, distance);
    if (threadIdx.x % 32 >= distance) sum += before;
  }
  return sum;
}

struct Sums {
  uint32_t before;  // of the warps before the calling thread's
  uint32_t all;     // of the block
};

template <int block>
__device__ Sums sums_of_warps(uint32_t of_warp) {
  __shared__ uint32_t of_warps[block / 32];
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  if (lane == 0) of_warps[warp] = of_warp;
  __syncthreads();
  const uint32_t sum = scan_warp(lane < block / 32 ? of_warps[lane] : 0);
  const uint32_t before = __shfl_sync(0xffffffff, sum, (warp + 31) % 32);
  return {warp == 0 ? 0 : before, __shfl_sync(0xffffffff, sum, 31)};
}

// Scans a tile and adds `before`; returns the tile's sum.
template <bool exclusive, int block, int vectors>
__device__ uint32_t scan_tile(Vector (&part)[vectors], uint32_t before) {
  uint32_t of_warp = 0;
#pragma unroll
  for (Vector& vector : part) {
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t& element : vector.element) {
      const uint32_t value = element;
      element = exclusive ? sum : sum + value;
      sum += value;
    }
    const uint32_t up_to = scan_warp(sum);
#pragma unroll
    for (uint32_t& element : vector.element) element += of_warp + up_to - sum;
    of_warp += __shfl_sync(0xffffffff, up_to, 31);
  }
  const Sums sums = sums_of_warps<block>(of_warp);
  add(part, before + sums.before);
  return sums.all;
}

__global__ void __launch_bounds__(BLOCK)
    begin_tiles(const uint32_t* __restrict__ in, uint32_t* __restrict__ out, uint32_t* sums) {
  const size_t first = first_vector<ITEMS, BLOCK>(blockIdx.x);
  Part<ITEMS> part;
  load<0>(part, reinterpret_cast<const Vector*>(in) + first);
  uint32_t sum = 0;
  if constexpr (SCANS_FIRST) {
    sum = scan_tile<EXCLUSIVE, BLOCK>(part, 0);
    store<0>(reinterpret_cast<Vector*>(out) + first, part);
  } else {
#pragma unroll
    for (const Vector& vector : part) {
#pragma unroll
      for (const uint32_t element : vector.element) sum += element;
    }
    sum = sums_of_warps<BLOCK>(__shfl_sync(0xffffffff, scan_warp(sum), 31)).all;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// Replaces each sum by that of those before it.
__global__ void __launch_bounds__(SUMS_BLOCK) scan_sums(uint32_t* sums) {
  constexpr uint32_t tiles = N / (ITEMS * BLOCK);
  constexpr uint32_t turns = (tiles + SUMS_ITEMS * SUMS_BLOCK - 1) / (SUMS_ITEMS * SUMS_BLOCK);
  uint32_t before = 0;
#pragma unroll 1
  for (uint32_t turn = 0; turn < turns; ++turn) {
    Vector* from = reinterpret_cast<Vector*>(sums) + first_vector<SUMS_ITEMS, SUMS_BLOCK>(turn);
    Part<SUMS_ITEMS> part;
    load<0>(part, from);
    // The warps' sums of the turn before have been read.
    __syncthreads();
    before += scan_tile<true, SUMS_BLOCK>(part, before);
    store<0>(from, part);
  }
}

__global__ void __launch_bounds__(BLOCK)
    finish_tiles(const uint32_t* in, uint32_t* out, const uint32_t* sums) {
  const uint32_t tile = REVERSED ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const size_t first = first_vector<ITEMS, BLOCK>(tile);
  const uint32_t before = sums[tile];
  Part<ITEMS> part;
  load<LOAD>(part, reinterpret_cast<const Vector*>(SCANS_FIRST ? out : in) + first);
  if constexpr (SCANS_FIRST) {
    add(part, before);
  } else {
    scan_tile<EXCLUSIVE, BLOCK>(part, before);
  }
  store<STORE>(reinterpret_cast<Vector*>(out) + first, part);
}

// The sum of the first n elements.
__device__ uint64_t sum_below(uint64_t n) {
  return n / 101 * (101 * 100 / 2) + n % 101 * (n % 101 - (n % 101 > 0)) / 2;
}
