/* pattern:
summary: Threads read or write memory that may lie elsewhere, in order, with a stride, or shifted
family: links
help: >-
  Bytes under way are what a link wants: BLOCKS * BLOCK threads ask for UNROLL elements each before
  the first is used. OPERATION 0 reads, 1 writes, and with 2 every other warp writes, so that bytes
  go both ways. Neighbouring threads are STRIDE elements apart: link_bytes, what the link could have
  moved for an element in the time it took, says what a part of a sector or line costs. Managed
  memory with the cache cold begins each time where it was touched first. RUN neighbours have one
  value, which compressed memory may make use of.
origin: CUDA C++ Programming Guide, "Peer-to-Peer Memory Access", "Page-Locked Host Memory", "Unified
  Memory Programming", "Compressible Memory"
parameters:
  T:         {type: element, default: float4, help: what a request moves for each thread}
  PLACE:     {type: place, default: device, help: where the data lie}
  PEER:      {default: 1, min: 1, help: "which other GPU that is, where it is one"}
  OPERATION:
    default: 0
    min: 0
    max: 2
    values: {0: read, 1: write, 2: both}
    help: "0 reads, 1 writes, 2 half of the warps each"
  STRIDE:    {default: 1, min: 1, help: elements between those of neighbouring threads}
  OFFSET:    {default: 0, min: 0, help: elements before the first one}
  UNROLL:    {default: 4, min: 1, max: 64, help: elements of a thread under way at a time}
  BLOCK:     {default: 512, min: 1, max: 1024, help: threads per block}
  BLOCKS:    {default: 528, min: 1, help: blocks in the grid}
  RUN:       {default: 1, min: 1, help: neighbouring elements that have one value at first}
  BYTES:
    default: "PLACE == 'peer' ? 1 Gi : 256 Mi"
    min: 1
    help: the range of memory that the threads cover
  N:
    default: max(1, BYTES / (STRIDE * sizeof(T) * BLOCKS * BLOCK * UNROLL)) * BLOCKS * BLOCK * UNROLL
    min: 1
    help: elements touched; by default as many as cover BYTES, in whole rounds
require:
  - N % (BLOCKS * BLOCK * UNROLL) == 0
  - OPERATION < 2 || BLOCK % 64 == 0
buffers:
  data:
    type: T
    length: OFFSET + (N - 1) * STRIDE + 1
    init: value_at(i)
    place: PLACE
    peer: PEER
  sums: {type: T, length: BLOCKS * BLOCK}
launch: {grid: BLOCKS, block: BLOCK}
useful:
  read: "OPERATION == 1 ? 0 : N / (OPERATION == 2 ? 2 : 1) * sizeof(T)"
  write: "OPERATION == 0 ? 0 : N / (OPERATION == 2 ? 2 : 1) * sizeof(T)"
metrics:
  link_bytes: {value: link_peak * time / N, unit: B, better: lower,
    help: "what the link could have moved for an element in the time it took"}
verify:
  data: "data[i] == (is_written(i) ? written_at(i) : value_at(i))"
  sums: "writes(i) || sums[i] == sum_of(i)"
*/
constexpr size_t THREADS = size_t(BLOCKS) * BLOCK;

__device__ bool writes(size_t thread) {
  return OPERATION == 1 || (OPERATION == 2 && thread / 32 % 2 == 1);
}

__device__ T value_at(size_t place) {
  return splat<T>(uint32_t(place / RUN) % 101);
}

__device__ T written_at(size_t place) {
  return splat<T>(1 + uint32_t(place / RUN) % 97);
}

__global__ void link_stream(T* data, T* sums) {
  const size_t thread = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (writes(thread)) {
#pragma unroll 1
    for (size_t first = thread; first < N; first += THREADS * UNROLL) {
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        const size_t place = OFFSET + (first + k * THREADS) * STRIDE;
        data[place] = written_at(place);
      }
    }
    return;
  }
  T sum = splat<T>(0);
#pragma unroll 1
  for (size_t first = thread; first < N; first += THREADS * UNROLL) {
    T values[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) values[k] = data[OFFSET + (first + k * THREADS) * STRIDE];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) sum = T(sum + values[k]);
  }
  sums[thread] = sum;
}

__device__ bool is_written(size_t place) {
  if (place < OFFSET || (place - OFFSET) % STRIDE != 0) return false;
  return writes((place - OFFSET) / STRIDE % THREADS);
}

__device__ T sum_of(size_t thread) {
  T sum = splat<T>(0);
  for (size_t i = thread; i < N; i += THREADS) sum = T(sum + value_at(OFFSET + i * STRIDE));
  return sum;
}
