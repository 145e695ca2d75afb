/* pattern:
summary: Copy an array; a thread moves ITEMS elements, UNROLL of them at once
family: streams
help: >-
  The roof for anything that reads and writes equally much. A request of a warp moves 32 elements
  in sizeof(T) sectors - with T = float4 a quarter of the requests of float do, and more bytes are
  under way, which the latency of the memory asks for (Little's law). ITEMS and UNROLL put more of
  them under way in each thread, and leave fewer threads. In one pass a block copies one tile of
  BLOCK * ITEMS elements; a PERSISTENT grid is only as large as the GPU can hold.
origin: J. D. McCalpin, "STREAM"; V. Volkov, "Better Performance at Lower Occupancy"; CUDA C++
  Best Practices Guide, "Effective Bandwidth Calculation"
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: elements of a thread in a tile}
  UNROLL:     {default: ITEMS, min: 1, help: loads of a thread that come before the first store}
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
  STORE:
    default: 0
    min: 0
    max: 5
    values: {0: plain, 1: wt, 2: cs, 3: cg, 4: no L1, 5: evict_first}
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later)
  BYTES:      {default: 1 Gi, min: 1, help: size of each array}
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
  - max(LOAD, STORE) == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - max(LOAD, STORE) <= 3 || sizeof(T) >= 4
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 101)"}
  out: {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
  shared: "RESIDENT == 0 ? 0 : 228 Ki / RESIDENT - 1 Ki"
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 101)"}
*/
#include "cache_operators.cuh"
#include "tile_order.cuh"

constexpr uint32_t TILE = BLOCK * ITEMS;

// Without __restrict__ no load moves to the other side of a store.
__global__ void __launch_bounds__(BLOCK) copy(const T* in, T* out) {
  TileWalk<ORDER, SLICES, N / TILE, MULTIPROCESSORS> walk;
  do {
    const uint32_t first = walk.tile() * TILE + place_in_tile<APART, BLOCK, ITEMS>();
    const T* from = in + first;
    T* to = out + first;
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      T values[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) values[k] = load_by<LOAD>(from + (item + k) * APART);
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) store_by<STORE>(to + (item + k) * APART, values[k]);
    }
  } while (PERSISTENT && walk.go_on());
}
