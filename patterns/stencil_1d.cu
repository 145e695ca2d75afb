/* pattern:
summary: Add up the elements within RADIUS on both sides, in one dimension
family: collectives
help: >-
  Each element is read 2 * RADIUS + 1 times and wanted from memory once: the caches serve the
  neighbours. A warp's load that is shifted by d elements touches a sector more unless d elements
  are whole sectors. With SHARED a block first copies its elements and those within RADIUS beside
  them to shared memory and reads them there. The array is a ring, so that no element is special.
origin: Micikevicius, "3D Finite Difference Computation on GPUs using CUDA", 2009; CUDA C++ Best
  Practices Guide, "Shared Memory"
parameters:
  T:      {type: element, default: float}
  RADIUS: {default: 1, min: 0, max: 64, help: elements on each side}
  SHARED: {default: false, help: whether a block reads its elements through shared memory}
  BLOCK:  {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:  {default: 1 Gi, min: 1, help: size of each array}
  N:
    default: BYTES / (sizeof(T) * BLOCK) * BLOCK
    min: 1
    help: elements; by default as many as cover BYTES
require:
  - N % BLOCK == 0
  - RADIUS <= BLOCK
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == expected_sum(i)"}
*/
// The element `away` from i on the ring.
__device__ size_t neighbour(size_t i, int away) {
  constexpr size_t ring = N;
  const size_t at = i + ring + away;
  return at >= 2 * ring ? at - 2 * ring : at >= ring ? at - ring : at;
}

__device__ T sum_from_shared(const T* in, size_t i) {
  __shared__ T tile[BLOCK + 2 * RADIUS];
  tile[RADIUS + threadIdx.x] = in[i];
  if (threadIdx.x < RADIUS) {
    tile[threadIdx.x] = in[neighbour(i, -RADIUS)];
    tile[RADIUS + BLOCK + threadIdx.x] = in[neighbour(i, BLOCK)];
  }
  __syncthreads();
  T sum = tile[threadIdx.x];
  for (int at = 1; at <= 2 * RADIUS; ++at) sum += tile[threadIdx.x + at];
  return sum;
}

__global__ void stencil_1d(const T* __restrict__ in, T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (SHARED) {
    out[i] = sum_from_shared(in, i);
  } else {
    T sum = in[i];
    for (int away = 1; away <= RADIUS; ++away) {
      sum += in[neighbour(i, -away)] + in[neighbour(i, away)];
    }
    out[i] = sum;
  }
}

__device__ T expected_sum(size_t i) {
  uint32_t sum = 0;
  for (size_t at = i + N - RADIUS; at <= i + N + RADIUS; ++at) sum += at % N % 101;
  return splat<T>(sum);
}
