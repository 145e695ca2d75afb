/* pattern:
summary: Start GRID blocks that do next to nothing - one thread of each writes a word
family: execution
help: >-
  A launch costs a few microseconds however small it is. Beyond what the multiprocessors hold at
  once, a block starts when another one ends: a large GRID divided by its time is the rate at which
  blocks start. Blocks with many threads or much shared memory take longer to start, and fewer of
  them are resident. ITERATIONS makes each block last longer.
origin: CUDA C++ Best Practices Guide, "Thread and Block Heuristics"
parameters:
  GRID:       {default: 132, min: 1, max: 2147483647, help: blocks in the grid}
  BLOCK:      {default: 32, min: 1, max: 1024, help: threads per block}
  SHARED:     {default: 0, min: 0, max: 232448, help: "dynamic shared memory of a block, in bytes"}
  ITERATIONS: {default: 0, min: 0, max: 1 Mi, help: "dependent steps of each thread"}
buffers:
  ends: {type: uint32_t, length: GRID}
launch: {grid: GRID, block: BLOCK, shared: SHARED}
useful: {write: GRID * sizeof(uint32_t)}
verify: "ends[i] == end_of(uint32_t(i))"
*/
// The compiler finds no shorter way to it.
__device__ uint32_t end_of(uint32_t value) {
#pragma unroll 1
  for (uint32_t step = 0; step < ITERATIONS; ++step) value = (value ^ value >> 1) + step;
  return value;
}

__global__ void empty_blocks(uint32_t* ends) {
  const uint32_t end = end_of(blockIdx.x + threadIdx.x);
  if (threadIdx.x == 0) ends[blockIdx.x] = end;
}
