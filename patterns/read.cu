/* pattern:
summary: Read an array and look for marks; a thread reads ITEMS elements, UNROLL of them at once
family: streams
help: >-
  The roof for anything that mostly reads. All elements are 0 but one in each tile of BLOCK * ITEMS,
  at another place in every tile. Each thread adds up what it reads, and the one that gets something
  other than 0 writes it. So no load can be left out, every tile is checked, and a tile costs one
  element that is written.
reference: T. Deakin et al., "BabelStream"
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: "elements of a thread in a tile, BLOCK elements apart"}
  UNROLL:     {default: ITEMS, min: 1, help: loads of a thread that come before the first addition}
  PERSISTENT: {default: false, help: whether a block goes on to another tile until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  LOAD:
    default: 0
    min: 0
    max: 6
    help: >-
      0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
      4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later), 6 .L2::128B (L2 gets the
      whole line)
  BYTES:      {default: 1 Gi, min: 1, help: size of the array}
  N:
    default: BYTES / (sizeof(T) * BLOCK * ITEMS) * BLOCK * ITEMS
    min: 1
    max: 4 Gi
    help: elements; by default those of all whole tiles in BYTES
require:
  - N % (BLOCK * ITEMS) == 0
  - ITEMS % UNROLL == 0
  - LOAD == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - LOAD <= 3 || sizeof(T) >= 4
buffers:
  in:    {type: T, length: N, init: "splat<T>(is_marked(i) ? mark_of(i / TILE) : 0)"}
  found: {type: T, length: N / (BLOCK * ITEMS)}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {read: N * sizeof(T)}
verify: {found: "found[i] == splat<T>(mark_of(i))"}
*/
#include "cache_operators.cuh"

constexpr uint32_t TILE = BLOCK * ITEMS;

__global__ void read(const T* in, T* found) {
  uint32_t tile = blockIdx.x;
  do {
    const T* from = in + (tile * TILE + threadIdx.x);
    T sum = splat<T>(0);
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      T values[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) values[k] = load_by<LOAD>(from + (item + k) * BLOCK);
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) sum = T(sum + values[k]);
    }
    if (!(sum == splat<T>(0))) found[tile] = sum;
    tile += gridDim.x;
  } while (PERSISTENT && tile < N / TILE);
}

__device__ bool is_marked(size_t i) {
  return i % TILE == i / TILE * 97 % TILE;
}

__device__ int mark_of(size_t tile) {
  return int(1 + tile % 100);
}
