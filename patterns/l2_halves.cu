/* pattern:
summary: The latency of L2, seen from one multiprocessor and for one stretch of 4 KiB
family: hierarchy
help: >-
  L2 of large GPUs has two halves, each near to half of the multiprocessors, and every address is at
  home in one of them. A thread on multiprocessor SM goes round the 32 lines of one PAGE of 4 KiB,
  past L1, each load waiting for the one before: the time divided by ITERATIONS is the latency. As
  many blocks as there are multiprocessors are launched, so large that each gets one; all others end
  at once. What a multiprocessor reads again from the far half is kept in its near half, so the loads
  are atomic additions of 0, which are done where the line is at home. On an NVIDIA H100 and an H200
  a step takes 140 to 158 ns near, and 238 to 262 ns far. Some pages are at home in one half, others,
  to judge by their mean, with 12 of their lines in one and with 20 in the other.
origin: Mei and Chu, "Dissecting GPU Memory Hierarchy through Microbenchmarking", 2017
parameters:
  SM:         {default: 0, min: 0, max: 1023, help: the multiprocessor that reads}
  PAGE:       {default: 0, min: 0, max: 64 Ki, help: which 4 KiB of the buffer it reads}
  PAGES:      {default: max(PAGE + 1, 256), min: 1, max: 64 Ki, help: 4 KiB each; the buffer}
  ITERATIONS: {default: 4096, min: 1, max: 16 Mi, help: steps}
  SHARED:     {default: 160 Ki, min: 0, max: 227 Ki, help: bytes that keep a second block away}
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: blocks in the grid}
require:
  - SM < MULTIPROCESSORS
  - PAGE < PAGES
buffers:
  next: {type: uint32_t, length: PAGES * 1 Ki, init: "(i / 32 * 5 + 3) % 32 * 32"}
  last: {type: uint32_t, length: 1, init: "~0u"}
launch: {grid: MULTIPROCESSORS, block: 32, shared: SHARED}
useful: {read: ITERATIONS * sizeof(uint32_t)}
verify: {last: "last[i] == place_after(ITERATIONS)"}
*/
__global__ void l2_halves(uint32_t* next, uint32_t* last) {
  uint32_t multiprocessor;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  if (multiprocessor != SM || threadIdx.x != 0) return;
  uint32_t* const page = next + size_t(PAGE) * 1024;
  uint32_t at = 0;
#pragma unroll 8
  for (uint32_t step = 0; step < ITERATIONS; ++step) at = atomicAdd(page + at, 0);
  *last = at;
}

__device__ uint32_t place_after(uint32_t steps) {
  uint32_t line = 0;
  for (uint32_t step = 0; step < steps % 32; ++step) line = (line * 5 + 3) % 32;
  return line * 32;
}
