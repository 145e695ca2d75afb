/* pattern:
summary: Read at OFFSET + STRIDE * i, forwards or backwards, and write in order
family: coalescing
help: >-
  One load whose shape can be chosen and a store that is always as good as can be. Compute
  capability 1.0 wants thread k at word k of an aligned segment and makes 16 transactions for half a
  warp otherwise; 1.2 finds the segments that are touched; from 2.0 on the order of the threads does
  not matter, and only the lines or sectors count that they touch.
origin: CUDA C Programming Guide 4.2, appendix F; CUDA C++ Best Practices Guide, "Coalesced
  Access to Global Memory"
parameters:
  T:        {type: element, default: float}
  STRIDE:   {default: 1, min: 1, help: distance between neighbouring threads in elements}
  OFFSET:   {default: 0, min: 0, help: elements between the buffer's start and the first element read}
  REVERSED: {default: false, help: whether the last thread reads the first element}
  BLOCK:    {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:    {default: 1 Gi, min: 1, help: the range of memory that the threads read in}
  N:
    default: BYTES / (STRIDE * sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
buffers:
  in:  {type: T, length: N * STRIDE + OFFSET, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>((OFFSET + (REVERSED ? N - 1 - i : i) * STRIDE) % 101)"}
*/
__global__ void access(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[OFFSET + (REVERSED ? N - 1 - i : i) * STRIDE];
}
