/* pattern:
summary: Fill an array with one value; a thread writes ITEMS elements
family: streams
help: >-
  The roof for anything that mostly writes, and what setting memory to a value costs. No thread has
  to wait for anything, so that few of them keep the memory busy. Whole sectors are written; nothing
  has to be read for that.
origin: T. Deakin et al., "BabelStream" (init)
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: elements of a thread in a tile}
  UNROLL:     {default: ITEMS, min: 1, help: stores between two turns of the loop over ITEMS}
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
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later)
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
  - STORE == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - STORE <= 3 || sizeof(T) >= 4
buffers:
  out: {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
  shared: "RESIDENT == 0 ? 0 : 228 Ki / RESIDENT - 1 Ki"
useful: {write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(42)"}
*/
#include "cache_operators.cuh"
#include "tile_order.cuh"

constexpr uint32_t TILE = BLOCK * ITEMS;

__global__ void write(T* out) {
  TileWalk<ORDER, SLICES, N / TILE, MULTIPROCESSORS> walk;
  do {
    T* to = out + (walk.tile() * TILE + place_in_tile<APART, BLOCK, ITEMS>());
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) store_by<STORE>(to + (item + k) * APART, splat<T>(42));
    }
  } while (PERSISTENT && walk.go_on());
}
