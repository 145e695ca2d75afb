/* pattern:
summary: The same work at falling occupancy; every block takes SHARED bytes it never touches
family: shared memory
help: >-
  A multiprocessor holds as many blocks as its threads, registers and shared memory allow. A step
  waits for the memory access of the step before, so that only other warps can hide the latency.
  While threads or blocks are the limit SHARED costs nothing. From where shared memory is, the
  number of resident warps falls as 1 / SHARED, and a launch takes longer.
origin: CUDA C++ Best Practices Guide, "Effects of Shared Memory", under "Occupancy"
parameters:
  SHARED:     {default: 0, min: 0, max: 232448, help: "dynamic shared memory of a block, in bytes"}
  BLOCK:      {default: 128, min: 1, max: 1024, help: threads per block}
  ITERATIONS: {default: 200, min: 1, max: 1 Mi, help: "steps, each a load and a store"}
  BYTES:      {default: 4 Mi, min: 1, help: size of the array}
  N:
    default: BYTES / (4 * BLOCK) * BLOCK
    min: 1
    help: threads in the grid, each with an element; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  data: {type: uint32_t, length: N, init: "i % 101"}
launch: {grid: N / BLOCK, block: BLOCK, shared: SHARED}
useful: {read: ITERATIONS * N * sizeof(uint32_t), write: ITERATIONS * N * sizeof(uint32_t)}
verify: "data[i] == uint32_t(i % 101 + i % BLOCK * (ITERATIONS * (ITERATIONS - 1) / 2))"
*/
__global__ void occupancy(uint32_t* data) {
  uint32_t* element = data + size_t(blockIdx.x) * BLOCK + threadIdx.x;
  for (uint32_t step = 0; step < ITERATIONS; ++step) {
    *element = __ldcg(element) + step * threadIdx.x;
    // No step's element may stay in a register for the next.
    __syncwarp();
  }
}
