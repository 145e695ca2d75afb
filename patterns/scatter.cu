/* pattern:
summary: Read in order, and write at places that an index array names
family: irregular
help: >-
  out[index[i]] = in[i]. Runs of RUN neighbouring elements stay together; within every REGION
  elements the runs change places at random. A request touches one sector of 32 bytes for every run
  that is shorter than a sector, 32 with RUN = 1, and as few as can be with longer ones. A sector
  that is written in part costs more than one that is read, since its other bytes have to be kept.
  REGION = 32 shuffles each warp's own elements, which costs nothing. With REPEATS some elements are
  written several times, always the same value, and others never.
origin: Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", MEMSYS 2020;
  CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory"
parameters:
  T:       {type: element, default: float}
  RUN:     {default: 1, min: 1, help: elements that stay side by side}
  REGION:  {default: 1 Gi, min: 1, help: "elements within which runs change places, at most all"}
  STRIDE:  {default: 1, min: 1, help: distance between elements that the index can name}
  REPEATS: {default: false, help: whether runs are drawn at random so that some come twice}
  BLOCK:   {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:   {default: 1 Gi, min: 1, help: the range of memory that is written in}
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
  in:    {type: T, length: N, init: "splat<T>(1 + place(i) % 101)"}
  index: {type: uint32_t, length: N, init: "place(i)"}
  out:   {type: T, length: N * STRIDE, init: "splat<T>(0)"}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * (sizeof(T) + sizeof(uint32_t)), write: N * sizeof(T)}
verify: {out: "out[i] == wanted(i, out[i])"}
*/
__global__ void scatter(const T* __restrict__ in, const uint32_t* __restrict__ index,
                        T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[index[i]] = in[i];
}

// Where thread i writes.
__device__ size_t place(size_t i) {
  constexpr size_t region = REGION < N ? REGION : N;
  constexpr size_t runs = region / RUN;
  const size_t which = i / region;
  const size_t run = i % region / RUN;
  const size_t taken = REPEATS ? random_below(runs, which, run) : permuted(run, runs, which);
  return (which * region + taken * RUN + i % RUN) * STRIDE;
}

// Each place has a value of its own; what no thread writes to stays 0.
__device__ T wanted(size_t i, T found) {
  const bool may_be_untouched = REPEATS && found == splat<T>(0);
  return splat<T>(i % STRIDE == 0 && !may_be_untouched ? 1 + i % 101 : 0);
}
