/* pattern:
summary: All threads of a block wait for each other, ITERATIONS times
family: execution
help: >-
  The time divided by ITERATIONS is what __syncthreads() costs a block that has nothing else to do.
  It grows with the warps of the block.
origin: CUDA C++ Programming Guide, "Synchronization Functions"
parameters:
  ITERATIONS: {default: 4096, min: 1, max: 16 Mi, help: barriers of each block}
  BLOCK:      {default: 256, min: 32, max: 1024, help: threads per block}
  GRID:       {default: 1, min: 1, max: 64 Ki, help: blocks in the grid}
require:
  - BLOCK % 32 == 0
buffers:
  counts: {type: uint32_t, length: GRID * BLOCK}
launch: {grid: GRID, block: BLOCK}
useful: {write: GRID * BLOCK * sizeof(uint32_t)}
verify: "counts[i] == ITERATIONS"
*/
__global__ void barriers(uint32_t* counts) {
  uint32_t count = 0;
#pragma unroll 8
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    __syncthreads();
    ++count;
  }
  counts[size_t(blockIdx.x) * BLOCK + threadIdx.x] = count;
}
