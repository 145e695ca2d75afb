/* pattern:
summary: Read at places that an index array names, and write in order
family: irregular
help: >-
  out[i] = in[index[i]]. Runs of RUN neighbouring elements stay together; within every REGION
  elements the runs change places at random. What counts is how many different sectors of 32 bytes
  a warp names: with runs of a whole sector or more a request touches as few as without any
  shuffling; with shorter runs it touches one for every run, 32 with RUN = 1. REGION = 32 shuffles
  each warp's own elements, which costs nothing; REGION = BLOCK those of a block. With RUN = REGION
  nothing is shuffled, and STRIDE alone decides. Half of the loads read the index, in order - 4
  sectors each.
reference: Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", MEMSYS 2020;
  CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"
parameters:
  T:       {type: element, default: float}
  RUN:     {default: 1, min: 1, help: elements that stay side by side}
  REGION:  {default: 1 Gi, min: 1, help: "elements within which runs change places, at most all"}
  STRIDE:  {default: 1, min: 1, help: distance between elements that the index can name}
  REPEATS: {default: false, help: whether runs are drawn at random so that some come twice}
  BLOCK:   {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:   {default: 1 Gi, min: 1, help: the range of memory that is read in}
  N:
    default: BYTES / (STRIDE * sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: threads in the grid; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - N % min(REGION, N) == 0
  - min(REGION, N) % RUN == 0
  - N * STRIDE <= 4 Gi
buffers:
  in:    {type: T, length: N * STRIDE, init: "splat<T>(i % 101)"}
  index: {type: uint32_t, length: N, init: "place(i)"}
  out:   {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * (sizeof(T) + sizeof(uint32_t)), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(place(i) % 101)"}
*/
__global__ void gather(const T* __restrict__ in, const uint32_t* __restrict__ index,
                       T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[index[i]];
}

// Where thread i reads.
__device__ size_t place(size_t i) {
  constexpr size_t region = REGION < N ? REGION : N;
  constexpr size_t runs = region / RUN;
  const size_t which = i / region;
  const size_t run = i % region / RUN;
  const size_t taken = REPEATS ? random_below(runs, which, run) : permuted(run, runs, which);
  return (which * region + taken * RUN + i % RUN) * STRIDE;
}
