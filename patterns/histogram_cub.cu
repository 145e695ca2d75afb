/* pattern:
summary: Count how often each value comes, by CUB's functions for blocks
family: irregular
help: >-
  As many blocks as fill the device go over the elements, ITEMS * BLOCK at a time. cub::BlockLoad
  loads them in the way that LOADING says, cub::BlockHistogram counts them in shared memory - by
  atomics, or with SORTED by sorting them and finding where each value begins and ends - and at the
  end each block adds its counts to the result. HOT percent of the elements are 0 whatever the
  others are, which atomics suffer from and sorting does not. Compare histogram.
origin: CUB documentation, "cub::BlockHistogram" and "cub::BlockLoad"
parameters:
  T:       {type: element, default: uint8_t, help: an unsigned integer}
  SORTED:  {default: false, help: whether the block sorts its elements to count them}
  LOADING:
    default: 1
    min: 0
    max: 5
    help: >-
      cub::BlockLoadAlgorithm - 0 a thread loads its neighbouring elements one by one,
      1 neighbouring threads load neighbouring elements, 2 as 0 with up to four at once, 3 as 1 and
      then exchanged in shared memory, 4 the same within each warp, 5 as 4, one warp after another
  BINS:    {default: 256, min: 1, max: 4 Ki, help: values that an element can have}
  HOT:     {default: 0, min: 0, max: 100, help: percent of the elements that are 0 in any case}
  ITEMS:   {default: 16, min: 1, max: 64, help: elements of a thread at a time}
  BLOCK:   {default: 256, min: 32, max: 1024, help: threads per block}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of the grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: the grid is made for}
  BYTES:   {default: 1 Gi, min: 1, help: size of the elements}
  N:
    default: BYTES / (sizeof(T) * ITEMS * BLOCK) * ITEMS * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - T == uint8_t || T == uint16_t || T == uint32_t
  - BINS <= 1 << (8 * min(sizeof(T), 4))
  - N % (ITEMS * BLOCK) == 0
  - N <= 2 Gi
  - BLOCK % 32 == 0
buffers:
  values: {type: T, length: N, init: "value_of(permuted(i, N, 1))"}
  counts: {type: uint32_t, length: BINS, init: "0"}
launch: {grid: "min(N / (ITEMS * BLOCK), BLOCKS_PER_SM * MULTIPROCESSORS)", block: BLOCK}
useful: {read: N * sizeof(T), write: BINS * sizeof(uint32_t)}
verify: {counts: "counts[i] == count_of(i)"}
*/
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>

constexpr auto algorithm = SORTED ? cub::BLOCK_HISTO_SORT : cub::BLOCK_HISTO_ATOMIC;
using Load = cub::BlockLoad<T, BLOCK, ITEMS, cub::BlockLoadAlgorithm(LOADING)>;
using Histogram = cub::BlockHistogram<T, BLOCK, ITEMS, BINS, algorithm>;

union Storage {
  typename Load::TempStorage load;
  typename Histogram::TempStorage histogram;
};

__global__ void __launch_bounds__(BLOCK)
    histogram_cub(const T* __restrict__ values, uint32_t* counts) {
  __shared__ Storage storage;
  __shared__ uint32_t own[BINS];
  Histogram(storage.histogram).InitHistogram(own);
  __syncthreads();
  constexpr uint32_t tiles = N / (ITEMS * BLOCK);
#pragma unroll 1
  for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    T items[ITEMS];
    Load(storage.load).Load(values + size_t(tile) * (ITEMS * BLOCK), items);
    // What exchanges or sorts elements needs the storage to itself.
    if (LOADING >= 3) __syncthreads();
    Histogram(storage.histogram).Composite(items, own);
    if (LOADING >= 3 || SORTED) __syncthreads();
  }
  __syncthreads();
  for (uint32_t bin = threadIdx.x; bin < BINS; bin += BLOCK) {
    if (own[bin] != 0) atomicAdd(counts + bin, own[bin]);
  }
}

constexpr uint64_t hot = uint64_t(N) * HOT / 100;

__device__ T value_of(uint64_t j) {
  return j < hot ? 0 : T((j - hot) % BINS);
}

__device__ uint32_t count_of(uint64_t bin) {
  const uint64_t even = N - hot;
  return uint32_t((bin == 0 ? hot : 0) + even / BINS + (bin < even % BINS));
}
