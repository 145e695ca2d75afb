/* pattern:
summary: Read an array and look for marks; a thread reads ITEMS elements, UNROLL of them at once
family: streams
help: >-
  The roof for anything that mostly reads. All elements are 0 but one in each tile of BLOCK * ITEMS,
  at another place in every tile. Each thread adds up what it reads, and the one that gets something
  other than 0 writes it. So no load can be left out, every tile is checked, and a tile costs one
  element that is written.
origin: T. Deakin et al., "BabelStream"
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: elements of a thread in a tile}
  UNROLL:     {default: ITEMS, min: 1, help: loads of a thread that come before the first addition}
  PERSISTENT: {default: false, help: whether a block goes on to another tile until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  APART:
    default: BLOCK
    min: 1
    help: >-
      elements between those of a thread. BLOCK apart the block moves through the tile as one, 32
      apart each warp has a stretch of the tile to itself
  ORDER:
    default: 0
    min: 0
    max: 2
    values: {0: in turn, 1: stretches, 2: side by side}
    help: >-
      which tiles a persistent block takes: 0 every block the next one, so that memory is walked in
      order; 1 a stretch of its own; 2 as 0, with blocks of a multiprocessor side by side
  SLICES:
    default: 1
    min: 1
    max: 64 Ki
    help: >-
      equal parts of the array that are walked side by side, so that other pages and channels of the
      memory are busy at a time
  RESIDENT:
    default: 0
    min: 0
    max: 32
    help: >-
      blocks that a multiprocessor of 9.0 has at a time, bounded by shared memory that nobody uses;
      0 for as many as fit. Fewer ask for less at a time, and more in order
  LOAD:
    default: 0
    min: 0
    max: 8
    values: {0: plain, 1: nc, 2: cs, 3: cg, 4: no L1, 5: evict_first, 6: L2 128B, 7: L2 256B, 8: nc to L2}
    help: >-
      0 ld.global, 1 .nc (__ldg), 2 .cs (__ldcs, evicted first), 3 .cg (__ldcg, past L1),
      4 .L1::no_allocate, 5 an L2 policy of evict_first, 6 .L2::128B (L2 gets the whole line),
      7 .L2::256B (two lines), 8 .nc with 4 and 7; 5, 7 and 8 need 8.0
  BYTES:      {default: 1 Gi, min: 1, help: size of the array}
  N:
    default: BYTES / (sizeof(T) * BLOCK * ITEMS * SLICES) * BLOCK * ITEMS * SLICES
    min: 1
    max: 4 Gi
    help: elements; by default those of all whole tiles in BYTES, equally many in each slice
require:
  - N % (BLOCK * ITEMS * SLICES) == 0
  - N / (BLOCK * ITEMS) < 2 Gi
  - ITEMS % UNROLL == 0
  - BLOCK % APART == 0
  - ORDER == 0 || PERSISTENT
  - LOAD == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - LOAD <= 3 || sizeof(T) >= 4
buffers:
  in:    {type: T, length: N, init: "splat<T>(is_marked(i) ? mark_of(i / TILE) : 0)"}
  found: {type: T, length: N / (BLOCK * ITEMS)}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
  shared: "RESIDENT == 0 ? 0 : 228 Ki / RESIDENT - 1 Ki"
useful: {read: N * sizeof(T)}
verify: {found: "found[i] == splat<T>(mark_of(i))"}
*/
#include "cache_operators.cuh"
#include "tile_order.cuh"

constexpr uint32_t TILE = BLOCK * ITEMS;

__global__ void __launch_bounds__(BLOCK) read(const T* in, T* found) {
  TileWalk<ORDER, SLICES, N / TILE, MULTIPROCESSORS> walk;
  do {
    const uint32_t tile = walk.tile();
    const T* from = in + (tile * TILE + place_in_tile<APART, BLOCK, ITEMS>());
    T sum = splat<T>(0);
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      T values[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) values[k] = load_by<LOAD>(from + (item + k) * APART);
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) sum = T(sum + values[k]);
    }
    if (!(sum == splat<T>(0))) found[tile] = sum;
  } while (PERSISTENT && walk.go_on());
}

__device__ bool is_marked(size_t i) {
  return i % TILE == i / TILE * 97 % TILE;
}

__device__ int mark_of(size_t tile) {
  return int(1 + tile % 100);
}
