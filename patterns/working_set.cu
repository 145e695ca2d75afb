/* pattern:
summary: Read a range again and again - it comes from L1, from L2 or from memory, by its size
family: hierarchy
help: >-
  Every block walks its range round and round, each time in another order, until it has read its
  share of BYTES. What
  stays in a cache comes from there the next time, so that the bandwidth against FOOTPRINT is a
  staircase whose steps end at the size of L1 and at the size of L2. L1 belongs to one
  multiprocessor. With OWN the blocks on it divide it, and together all blocks on the device
  divide the L2. Without OWN all blocks read the same bytes - a range that exceeds a cache still
  finds the share of itself that the cache holds, L2 / FOOTPRINT.
origin: CUDA C++ Programming Guide, "Device Memory Accesses"; CUDA C++ Best Practices Guide,
  "L2 Cache"
parameters:
  T:         {type: element, default: uint4}
  FOOTPRINT: {default: 64 Ki, min: 1, help: bytes of a range}
  OWN:       {default: false, help: whether each block has a range of its own or all have the same}
  BLOCK:     {default: 512, min: 32, max: 1024, help: threads per block}
  BYTES:     {default: 4 Gi, min: 1, help: bytes that all blocks together read}
  BLOCKS:
    default: min(1024, BYTES / (16 * BLOCK * sizeof(T)))
    min: 1
    help: blocks in the grid; by default 1024, or fewer where BYTES leaves a block fewer than 16 steps
  CHUNKS:
    default: FOOTPRINT / (BLOCK * sizeof(T))
    min: 2
    help: parts of a range, each as large as what a block reads at once
  STEPS:
    default: BYTES / (BLOCKS * BLOCK * sizeof(T))
    min: 1
    help: loads of each thread
require:
  - BLOCK % 32 == 0
  - is_pow2(CHUNKS)
  - is_pow2(STEPS)
buffers:
  in:  {type: T, length: "(OWN ? BLOCKS : 1) * CHUNKS * BLOCK", init: "splat<T>(uint32_t(i))"}
  sum: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {read: BLOCKS * BLOCK * STEPS * sizeof(T)}
verify: {sum: "sum[i] == splat<T>(expected_sum(i / BLOCK, i % BLOCK))"}
*/
// Neighbouring blocks differ, and so does one block the next time it comes round; if it did not,
// the compiler could keep a small range in registers.
__device__ uint32_t order_of(uint32_t block, uint32_t round) {
  const uint32_t mixed = (block + round) * 0x9e3779b1;
  return mixed ^ mixed >> 15;
}

__global__ void working_set(const T* __restrict__ in, T* __restrict__ sum) {
  const size_t first = OWN ? size_t(blockIdx.x) * CHUNKS : 0;
  T total = splat<T>(0);
#pragma unroll 8
  for (uint32_t step = 0; step < STEPS; ++step) {
    // In every CHUNKS steps this is each chunk once.
    const uint32_t chunk = (step ^ order_of(blockIdx.x, step / CHUNKS)) % CHUNKS;
    total += in[(first + chunk) * BLOCK + threadIdx.x];
  }
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total;
}

// What a thread reads: the steps go through an aligned run of chunks, or through all of them.
__device__ uint32_t expected_sum(uint32_t block, uint32_t thread) {
  constexpr uint32_t run = STEPS < CHUNKS ? STEPS : CHUNKS;
  const uint32_t first = (OWN ? block * uint32_t(CHUNKS) : 0) +
                         order_of(block, 0) % uint32_t(CHUNKS) / run * run;
  const uint32_t pairs = uint64_t(run) * (run - 1) / 2;
  return uint32_t(STEPS / run) * ((run * first + pairs) * uint32_t(BLOCK) + run * thread);
}
