/* pattern:
summary: Count how often each value comes, by atomics in global or shared memory
family: irregular
help: >-
  HOT percent of the elements have value 0, in random order among the others, which are spread
  evenly over all BINS values: HOT = 0 is the uniform histogram, HOT = 100 the one in which all
  threads want one counter. With SHARED each block counts in shared memory and adds its counts to
  the result at the end, so that most atomics stay within the multiprocessor.
origin: Sakharnykh, "GPU Pro Tip - Fast Histograms Using Shared Atomics on Maxwell", NVIDIA 2015
parameters:
  SHARED: {default: true, help: whether a block counts in shared memory first}
  BINS:   {default: 256, min: 1, max: 12288, help: values that an element can have}
  HOT:    {default: 0, min: 0, max: 100, help: percent of the elements that are 0 in any case}
  ITEMS:  {default: 16, min: 1, max: 1024, help: elements that each thread counts}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of the elements}
  N:
    default: BYTES / (sizeof(uint32_t) * ITEMS * BLOCK) * ITEMS * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % (ITEMS * BLOCK) == 0
  - N <= 2 Gi
buffers:
  values: {type: uint32_t, length: N, init: "value_of(permuted(i, N, 1))"}
  counts: {type: uint32_t, length: BINS, init: "0"}
launch: {grid: N / (ITEMS * BLOCK), block: BLOCK}
useful: {read: N * sizeof(uint32_t), write: BINS * sizeof(uint32_t)}
verify: {counts: "counts[i] == count_of(i)"}
*/
__global__ void histogram(const uint32_t* __restrict__ values, uint32_t* counts) {
  __shared__ uint32_t own[SHARED ? BINS : 1];
  if (SHARED) {
    for (uint32_t bin = threadIdx.x; bin < BINS; bin += BLOCK) own[bin] = 0;
    __syncthreads();
  }
  const size_t first = size_t(blockIdx.x) * ITEMS * BLOCK + threadIdx.x;
  for (size_t item = 0; item < ITEMS; ++item) {
    const uint32_t value = values[first + item * BLOCK];
    atomicAdd(SHARED ? own + value : counts + value, 1);
  }
  if (SHARED) {
    __syncthreads();
    for (uint32_t bin = threadIdx.x; bin < BINS; bin += BLOCK) {
      if (own[bin] != 0) atomicAdd(counts + bin, own[bin]);
    }
  }
}

constexpr uint64_t hot = uint64_t(N) * HOT / 100;

__device__ uint32_t value_of(uint64_t j) {
  return j < hot ? 0 : uint32_t((j - hot) % BINS);
}

__device__ uint32_t count_of(uint64_t bin) {
  const uint64_t even = N - hot;
  return uint32_t((bin == 0 ? hot : 0) + even / BINS + (bin < even % BINS));
}
