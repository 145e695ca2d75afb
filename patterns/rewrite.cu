/* pattern:
summary: Write a range again and again, which L2 holds up to its size
family: hierarchy
help: >-
  Writes go through L1 to L2. Of a range that fits into L2 nothing is written to device memory until
  other data need its place, so that the bandwidth against FOOTPRINT shows L2's for writes and then
  that of device memory.
origin: CUDA C++ Programming Guide, "L2 Cache"
parameters:
  FOOTPRINT:  {default: 16 Mi, min: 64 Ki, help: bytes of the range}
  ITERATIONS: {default: 16, min: 1, max: 1024, help: times that each thread writes}
  BLOCK:      {default: 512, min: 32, max: 1024, help: threads per block}
  N:
    default: FOOTPRINT / (16 * BLOCK) * BLOCK
    min: 1
    help: threads in the grid, each of which writes 16 bytes at a time
require:
  - N % BLOCK == 0
buffers:
  out: {type: uint4, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {write: N * ITERATIONS * sizeof(uint4)}
verify: "out[i] == splat<uint4>(uint32_t(i))"
*/
// From one write of a thread to its next, so that between two writes to a place the grid comes to
// all others.
constexpr uint32_t step_width = (N / ITERATIONS + BLOCK - 1) / BLOCK * BLOCK;

__global__ void rewrite(uint4* out) {
  uint32_t at = blockIdx.x * BLOCK + threadIdx.x;
#pragma unroll 1
  for (int step = 0; step < ITERATIONS; ++step) {
    out[at] = splat<uint4>(at);
    at += step_width;
    if (at >= N) at -= N;
  }
}
