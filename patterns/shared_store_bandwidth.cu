/* pattern:
summary: Write shared memory without conflicts, 4, 8 or 16 bytes per thread and store
family: shared memory
help: >-
  The counterpart of shared_bandwidth. The banks take 128 bytes in a cycle, which is 1 wavefront for
  a store of 4 bytes per thread, 2 for 8, and 4 for 16. A store returns nothing, so that no thread
  waits for it.
origin: CUDA C++ Programming Guide, "Shared Memory"
parameters:
  T:     {type: element, default: uint4}
  BLOCK: {default: 256, min: 64, max: 1024, help: threads per block}
  DEPTH: {default: 8, min: 1, max: 32, help: stores of a step}
  BYTES: {default: 32 Gi, min: 1, help: bytes that all blocks together write}
  BLOCKS:
    default: min(2048, BYTES / (4 * DEPTH * BLOCK * sizeof(T)))
    min: 1
    help: blocks in the grid; by default 2048, or fewer where BYTES leaves a block fewer than 4 steps
  STEPS:
    default: BYTES / (BLOCKS * DEPTH * BLOCK * sizeof(T))
    min: 1
    max: 16 Mi
    help: steps of each thread
require:
  - BLOCK % 64 == 0
  - DEPTH * BLOCK * sizeof(T) <= 48 Ki
buffers:
  sum: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {shared: BLOCKS * BLOCK * STEPS * DEPTH * sizeof(T)}
verify: "sum[i] == splat<T>(expected_sum(i % BLOCK))"
*/
__global__ void shared_store_bandwidth(T* sum) {
  __shared__ T places[DEPTH * BLOCK];
#pragma unroll 1
  for (uint32_t step = 0; step < STEPS; ++step) {
    const T value = splat<T>(threadIdx.x + step);
#pragma unroll
    for (uint32_t k = 0; k < DEPTH; ++k) places[threadIdx.x + k * BLOCK] = value;
    // The compiler does not see past this, and would keep only the last step's stores.
    __syncwarp();
  }
  __syncthreads();
  // What another thread wrote last.
  T total = splat<T>(0);
  for (uint32_t k = 0; k < DEPTH; ++k) total += places[(threadIdx.x + 1) % BLOCK + k * BLOCK];
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total;
}

__device__ uint32_t expected_sum(uint32_t thread) {
  return uint32_t(DEPTH) * ((thread + 1) % uint32_t(BLOCK) + uint32_t(STEPS) - 1);
}
