/* pattern:
summary: Copy an array back to front, from one buffer into another
family: coalescing
help: >-
  A warp's 32 elements lie side by side, whichever thread has which of them. So reading in reverse
  is as coalesced as reading forwards, sizeof(T) sectors for every load, on compute capability 1.2
  and later. Only 1.0 and 1.1 wanted thread k at word k. In one buffer the threads would overwrite
  what others still have to read.
origin: CUDA C++ Programming Guide, "Device Memory Accesses"; CUDA C Programming Guide 4.2,
  appendix F
parameters:
  T:        {type: element, default: float}
  REVERSED: {default: true, help: whether the last element is read first}
  BLOCK:    {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:    {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>((REVERSED ? N - 1 - i : i) % 101)"}
*/
__global__ void reversed_copy(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[REVERSED ? N - 1 - i : i];
}
