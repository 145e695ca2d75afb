/* pattern:
summary: Add up the elements of each block, by shuffles or in shared memory
family: collectives
help: >-
  Each thread adds up ITEMS elements, then the block adds up its threads' sums. METHOD 0 shuffles
  within warps and passes one sum per warp through shared memory. METHOD 1 is a tree in shared
  memory whose lower half adds the upper half, free of bank conflicts. METHOD 2 is the tree that
  thread t works at words 2 * t * step - the deeper the tree, the more of them share a bank. The
  more ITEMS, the less of the time is the tree.
reference: Harris, "Optimizing Parallel Reduction in CUDA", NVIDIA 2007; Luitjens, "Faster Parallel
  Reductions on Kepler", NVIDIA 2014
parameters:
  METHOD: {default: 0, min: 0, max: 2, help: "0 shuffles, 1 shared, in halves, 2 shared, in steps"}
  ITEMS:  {default: 8, min: 1, max: 1024, help: elements that each thread adds up first}
  BLOCK:  {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of the elements}
  N:
    default: BYTES / (sizeof(uint32_t) * ITEMS * BLOCK) * ITEMS * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % (ITEMS * BLOCK) == 0
  - is_pow2(BLOCK)
buffers:
  in:   {type: uint32_t, length: N, init: "i % 101"}
  sums: {type: uint32_t, length: N / (ITEMS * BLOCK)}
launch: {grid: N / (ITEMS * BLOCK), block: BLOCK}
useful: {read: N * sizeof(uint32_t), write: N / (ITEMS * BLOCK) * sizeof(uint32_t)}
verify:
  sums: "sums[i] == uint32_t(sum_below((i + 1) * ITEMS * BLOCK) - sum_below(i * ITEMS * BLOCK))"
*/
__device__ uint32_t sum_of_warp(uint32_t sum) {
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

__global__ void reduce(const uint32_t* __restrict__ in, uint32_t* __restrict__ sums) {
  const size_t first = size_t(blockIdx.x) * ITEMS * BLOCK + threadIdx.x;
  uint32_t sum = 0;
  for (size_t item = 0; item < ITEMS; ++item) sum += in[first + item * BLOCK];
  sum = METHOD == 0 ? sum_by_shuffles(sum) : sum_in_shared(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// The sum of the first n elements.
__device__ uint64_t sum_below(uint64_t n) {
  return n / 101 * (101 * 100 / 2) + n % 101 * (n % 101 - (n % 101 > 0)) / 2;
}
