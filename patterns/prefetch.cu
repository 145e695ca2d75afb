/* pattern:
summary: Read step by step with few threads, and prefetch into L2 what comes AHEAD steps later
family: hierarchy
help: >-
  A thread adds each value before it loads the next, so that it has 16 bytes under way at a time -
  with few threads that is too little to keep device memory busy, and each step takes its whole
  latency. prefetch.global.L2 returns nothing, and no thread waits for it. When the step comes whose
  data were fetched early enough, its load waits for L2 alone.
origin: PTX ISA, "Data Movement and Conversion Instructions - prefetch, prefetchu"
parameters:
  T:     {type: element, default: uint4}
  AHEAD: {default: 4, min: 0, max: 1024, help: steps between a prefetch and the load; 0 for no prefetch}
  BLOCK: {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES: {default: 1 Gi, min: 1, help: bytes that all blocks together read}
  BLOCKS:
    default: min(256, BYTES / (32 * BLOCK * sizeof(T)))
    min: 1
    help: blocks in the grid; by default 256, or fewer where BYTES leaves a block fewer than 32 steps
  STEPS:
    default: BYTES / (BLOCKS * BLOCK * sizeof(T))
    min: 1
    max: 64 Mi
    help: loads of each thread
require:
  - BLOCK % 32 == 0
buffers:
  in:  {type: T, length: BLOCKS * STEPS * BLOCK, init: "splat<T>(uint32_t(i))"}
  sum: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {read: BLOCKS * STEPS * BLOCK * sizeof(T), write: BLOCKS * BLOCK * sizeof(T)}
verify: {sum: "sum[i] == splat<T>(expected_sum(i / BLOCK, i % BLOCK))"}
*/
// Where a thread's first element lies; its others follow BLOCK apart.
__device__ size_t first_place(size_t block, uint32_t thread) {
  return block * STEPS * BLOCK + thread;
}

__global__ void prefetch(const T* in, T* sum) {
  const T* from = in + first_place(blockIdx.x, threadIdx.x);
  T total = splat<T>(0);
#pragma unroll 1
  for (uint32_t step = 0; step < STEPS; ++step) {
    if (AHEAD > 0 && step + AHEAD < STEPS) {
      asm volatile("prefetch.global.L2 [%0];" : : "l"(from + AHEAD * BLOCK));
    }
    total += *from;
    from += BLOCK;
  }
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total;
}

__device__ uint32_t expected_sum(size_t block, uint32_t thread) {
  constexpr uint64_t steps = uint64_t(STEPS) * (STEPS - 1) / 2;
  return uint32_t(STEPS * first_place(block, thread) + steps * BLOCK);
}
