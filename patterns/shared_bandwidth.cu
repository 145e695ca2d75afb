/* pattern:
summary: Read shared memory without conflicts, 4, 8 or 16 bytes per thread and load
family: shared memory
help: >-
  The 32 banks of a multiprocessor give 4 bytes each in a cycle, 128 bytes together. A warp takes
  all of them whatever T is - 1 wavefront for a load of 4 bytes per thread, 2 for 8, 4 for 16 - and
  has no conflicts. So the roof is 128 bytes per cycle and multiprocessor for every width, but
  wider loads reach it with fewer instructions.
origin: CUDA C++ Programming Guide, "Shared Memory"
parameters:
  T:     {type: element, default: uint4}
  BLOCK: {default: 256, min: 64, max: 1024, help: threads per block}
  DEPTH: {default: 8, min: 1, max: 32, help: loads of a step}
  BYTES: {default: 32 Gi, min: 1, help: bytes that all blocks together read}
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
  - (DEPTH * BLOCK + 224) * sizeof(T) <= 48 Ki
buffers:
  sum: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful: {shared: BLOCKS * BLOCK * STEPS * DEPTH * sizeof(T)}
verify: "sum[i] == splat<T>(expected_sum(i % BLOCK))"
*/
// A step starts 32 places further than the one before, and the ninth where the first did. If all
// started at one place, the compiler would read it once.
constexpr uint32_t starts = 8;
constexpr uint32_t length = DEPTH * BLOCK + 32 * (starts - 1);

__global__ void shared_bandwidth(T* sum) {
  __shared__ T places[length];
  for (uint32_t at = threadIdx.x; at < length; at += BLOCK) places[at] = splat<T>(at);
  __syncthreads();
  T total = splat<T>(0);
#pragma unroll 1
  for (uint32_t step = 0; step < STEPS; ++step) {
    const T* from = places + threadIdx.x + step % starts * 32;
#pragma unroll
    for (uint32_t k = 0; k < DEPTH; ++k) total += from[k * BLOCK];
  }
  sum[size_t(blockIdx.x) * BLOCK + threadIdx.x] = total;
}

__device__ uint32_t expected_sum(uint32_t thread) {
  constexpr uint32_t rest = STEPS % starts;
  constexpr uint32_t start_sum = STEPS / starts * (starts * (starts - 1) / 2) + rest * (rest - 1) / 2;
  constexpr uint32_t offset_sum = DEPTH * (DEPTH - 1) / 2 * BLOCK;
  return uint32_t(STEPS * DEPTH) * thread + uint32_t(DEPTH) * 32 * start_sum +
         uint32_t(STEPS) * offset_sum;
}
