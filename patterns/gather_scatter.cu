/* pattern:
summary: Read at places that one index array names, and write at those of another
family: irregular
help: >-
  out[to[i]] = in[from[i]]. Both index arrays shuffle runs of RUN neighbouring elements within every
  REGION elements. With RUN = 1 and a REGION of many elements each request of 32 threads touches 32
  sectors on both sides. A gather or a scatter alone is coalesced on one side.
origin: Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", MEMSYS 2020
parameters:
  T:      {type: element, default: float}
  RUN:    {default: 1, min: 1, help: elements that stay side by side}
  REGION: {default: 1 Gi, min: 1, help: "elements within which runs change places, at most all"}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of the array that is read and of the one written}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - N % min(REGION, N) == 0
  - min(REGION, N) % RUN == 0
  - N <= 4 Gi
buffers:
  in:   {type: T, length: N, init: "splat<T>(place(i, 2) % 101)"}
  from: {type: uint32_t, length: N, init: "place(i, 1)"}
  to:   {type: uint32_t, length: N, init: "place(place(i, 1), 2)"}
  out:  {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * (sizeof(T) + 2 * sizeof(uint32_t)), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 101)"}
*/
__global__ void gather_scatter(const T* __restrict__ in, const uint32_t* __restrict__ from,
                               const uint32_t* __restrict__ to, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[to[i]] = in[from[i]];
}

// Where a shuffle puts i. The second one, applied to where the first one reads, says where to
// write, so that each element that is read can hold the value of the place that it goes to.
__device__ size_t place(size_t i, uint64_t shuffle) {
  constexpr size_t region = REGION < N ? REGION : N;
  const size_t which = i / region;
  const size_t run = permuted(i % region / RUN, region / RUN, 2 * which + shuffle);
  return which * region + run * RUN + i % RUN;
}
