/* pattern:
summary: Multiply an array by a number; a thread moves ITEMS elements, UNROLL of them at once
family: streams
help: >-
  STREAM's second kernel, out = 3 * in. It moves what copy moves, and the multiplications hide
  behind that - where the two differ, arithmetic costs something.
origin: J. D. McCalpin, "STREAM"
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: "elements of a thread in a tile, BLOCK elements apart"}
  UNROLL:     {default: ITEMS, min: 1, help: loads of a thread that come before the first store}
  PERSISTENT: {default: false, help: whether a block goes on to another tile until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
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
    default: BYTES / (sizeof(T) * BLOCK * ITEMS) * BLOCK * ITEMS
    min: 1
    max: 4 Gi
    help: elements; by default those of all whole tiles in BYTES
require:
  - N % (BLOCK * ITEMS) == 0
  - ITEMS % UNROLL == 0
  - max(LOAD, STORE) == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - max(LOAD, STORE) <= 3 || sizeof(T) >= 4
buffers:
  in:  {type: T, length: N, init: "splat<T>(i % 41)"}
  out: {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(3 * (i % 41))"}
*/
#include "cache_operators.cuh"

__global__ void scale(const T* in, T* out) {
  uint32_t tile = blockIdx.x;
  do {
    const uint32_t first = tile * (BLOCK * ITEMS) + threadIdx.x;
    const T* from = in + first;
    T* to = out + first;
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      T values[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) values[k] = load_by<LOAD>(from + (item + k) * BLOCK);
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        store_by<STORE>(to + (item + k) * BLOCK, T(splat<T>(3) * values[k]));
      }
    }
    tile += gridDim.x;
  } while (PERSISTENT && tile < N / (BLOCK * ITEMS));
}
