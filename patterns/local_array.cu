/* pattern:
summary: Keep ELEMENTS values in an array of the thread's own, in registers or in local memory
family: hierarchy
help: >-
  Registers have no addresses. An array whose every index is known at compile time (UNROLLED) lies
  in them; one that is indexed at run time lies in local memory, whose stores and loads go through
  L1 like any other. It is interleaved so that one index is 128 bytes in a row for a warp, 4
  sectors. With SHIFTS threads read at SHIFTS different indices, each of which is a line of its own.
origin: CUDA C++ Programming Guide, "Device Memory Accesses - Local Memory"
parameters:
  ELEMENTS: {default: 16, min: 4, max: 128, help: 4-byte values of a thread}
  UNROLLED: {default: false, help: whether the compiler knows every index}
  SHIFTS:   {default: 1, min: 1, max: 32, help: different indices that the threads of a warp read at once}
  BLOCK:    {default: 256, min: 32, max: 1024, help: threads per block}
  BYTES:    {default: 1 Gi, min: 1, help: size of each array in global memory}
  N:
    default: BYTES / (4 * ELEMENTS * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - BLOCK % 32 == 0
  - N % BLOCK == 0
  - is_pow2(ELEMENTS)
  - SHIFTS <= ELEMENTS
  - "!UNROLLED || SHIFTS == 1"
buffers:
  in:  {type: uint32_t, length: N * ELEMENTS, init: "uint32_t(i)"}
  out: {type: uint32_t, length: N * ELEMENTS}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * ELEMENTS * sizeof(uint32_t), write: N * ELEMENTS * sizeof(uint32_t)}
verify: {out: "out[i] == uint32_t((i / N + i % N % SHIFTS) % ELEMENTS * N + i % N)"}
*/
__global__ void local_array(const uint32_t* __restrict__ in, uint32_t* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  uint32_t values[ELEMENTS];
#pragma unroll(UNROLLED ? ELEMENTS : 1)
  for (uint32_t k = 0; k < ELEMENTS; ++k) values[k] = in[k * N + i];
  const uint32_t shift = i % SHIFTS;
#pragma unroll(UNROLLED ? ELEMENTS : 1)
  for (uint32_t k = 0; k < ELEMENTS; ++k) out[k * N + i] = values[(k + shift) % ELEMENTS];
}
