/* pattern:
summary: Add up the elements of each block, by shuffles or in shared memory
family: collectives
help: >-
  Each thread adds up ITEMS elements, then the block adds up its threads' sums. METHOD 0 shuffles
  within warps and passes one sum per warp through shared memory. METHOD 1 is a tree in shared
  memory whose lower half adds the upper half, free of bank conflicts. METHOD 2 is the tree that
  thread t works at words 2 * t * step - the deeper the tree, the more of them share a bank. METHOD 3
  is METHOD 0 with one redux.sync (compute capability 8.0) for a warp's shuffles. The more ITEMS, the
  less of the time is the tree.
origin: Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA 2007; Luitjens, "Faster Parallel
  Reductions on Kepler", NVIDIA 2014
parameters:
  METHOD:
    default: 0
    min: 0
    max: 3
    values: {0: shuffles, 1: shared halves, 2: shared steps, 3: redux}
    help: "0 shuffles, 1 shared, in halves, 2 shared, in steps, 3 redux.sync"
  ITEMS:  {default: 8, min: 1, max: 1024, help: elements that each thread adds up first}
  VECTOR: {default: 1, min: 1, max: 4, help: neighbouring elements that a thread loads at once}
  UNROLL:
    default: "ITEMS / VECTOR % 16 == 0 ? 16 : ITEMS / VECTOR % 4 == 0 ? ITEMS / VECTOR % 8 == 0 ? 8 : 4 : 1"
    min: 1
    help: loads of a thread that come before the first addition
  BLOCK:  {default: 256, min: 32, max: 1024, help: threads per block}
  PERSISTENT: {default: false, help: whether a block goes on to the next sum until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
      4 .L1::no_allocate, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the whole line),
      7 .L2::256B (two lines), 8 .nc with 4 and 7; 5, 7 and 8 need 8.0
  BYTES:  {default: 1 Gi, min: 1, help: size of the elements}
  N:
    default: BYTES / (sizeof(uint32_t) * ITEMS * BLOCK) * ITEMS * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % (ITEMS * BLOCK) == 0
  - N / (ITEMS * BLOCK) < 2 Gi
  - is_pow2(BLOCK)
  - is_pow2(VECTOR)
  - ITEMS % VECTOR == 0
  - ITEMS / VECTOR % UNROLL == 0
buffers:
  in:   {type: uint32_t, length: N, init: "i % 101"}
  sums: {type: uint32_t, length: N / (ITEMS * BLOCK)}
launch:
  grid: "min(N / (ITEMS * BLOCK), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {read: N * sizeof(uint32_t), write: N / (ITEMS * BLOCK) * sizeof(uint32_t)}
verify:
  sums: "sums[i] == uint32_t(sum_below((i + 1) * ITEMS * BLOCK) - sum_below(i * ITEMS * BLOCK))"
*/
#include "cache_operators.cuh"

// What a thread loads at once.
struct alignas(VECTOR * sizeof(uint32_t)) Vector {
  uint32_t element[VECTOR];
};

__device__ uint32_t sum_of_warp(uint32_t sum) {
#if __CUDA_ARCH__ >= 800
  if (METHOD == 3) return __reduce_add_sync(0xffffffff, sum);
#else
  static_assert(METHOD != 3, "METHOD = 3 needs compute capability 8.0");
#endif
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  return sum;
}

__device__ uint32_t sum_by_shuffles(uint32_t sum) {
  __shared__ uint32_t of_warps[BLOCK / 32];
  sum = sum_of_warp(sum);
  if (BLOCK == 32) return sum;
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return 0;
  return sum_of_warp(threadIdx.x < BLOCK / 32 ? of_warps[threadIdx.x] : 0);
}

__device__ uint32_t sum_in_shared(uint32_t sum) {
  __shared__ uint32_t tree[BLOCK];
  tree[threadIdx.x] = sum;
  for (uint32_t level = 1; level < BLOCK; level *= 2) {
    const uint32_t step = METHOD == 1 ? BLOCK / 2 / level : level;
    const uint32_t at = METHOD == 1 ? threadIdx.x : 2 * step * threadIdx.x;
    __syncthreads();
    if (threadIdx.x < BLOCK / 2 / level) tree[at] += tree[at + step];
  }
  return threadIdx.x == 0 ? tree[0] : 0;
}

// Of those that this thread adds up.
__device__ uint32_t sum_of_items(const Vector* from) {
  uint32_t sum = 0;
#pragma unroll 1
  for (int item = 0; item < ITEMS / VECTOR; item += UNROLL) {
    Vector values[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) values[k] = load_by<LOAD>(from + (item + k) * BLOCK);
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) sum += values[k].element[j];
    }
  }
  return sum;
}

__global__ void __launch_bounds__(BLOCK)
    reduce(const uint32_t* __restrict__ in, uint32_t* __restrict__ sums) {
  constexpr uint32_t tiles = N / (ITEMS * BLOCK);
  const Vector* vectors = reinterpret_cast<const Vector*>(in);
  uint32_t tile = blockIdx.x;
  do {
    uint32_t sum = sum_of_items(vectors + size_t(tile) * (ITEMS / VECTOR * BLOCK) + threadIdx.x);
    sum = METHOD == 0 || METHOD == 3 ? sum_by_shuffles(sum) : sum_in_shared(sum);
    if (threadIdx.x == 0) sums[tile] = sum;
    // The shared memory is free for the next sum when all have read it.
    if (PERSISTENT) __syncthreads();
    tile += gridDim.x;
  } while (PERSISTENT && tile < tiles);
}

// The sum of the first n elements.
__device__ uint64_t sum_below(uint64_t n) {
  return n / 101 * (101 * 100 / 2) + n % 101 * (n % 101 - (n % 101 > 0)) / 2;
}
