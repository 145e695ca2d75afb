/* pattern:
summary: Add two arrays; a thread moves ITEMS elements of each, UNROLL of them at once
family: streams
help: >-
  STREAM's third kernel, out = a + b - two bytes are read for each that is written. Memory loses
  time when it turns from reading to writing, so that the rate lies between those of copy and read.
origin: J. D. McCalpin, "STREAM"
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: "elements of a thread in a tile, BLOCK elements apart"}
  UNROLL:     {default: ITEMS, min: 1, help: elements of both arrays loaded before the first store}
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
  a:   {type: T, length: N, init: "splat<T>(i % 61)"}
  b:   {type: T, length: N, init: "splat<T>(i % 59)"}
  out: {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {read: 2 * N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(i % 61 + i % 59)"}
*/
#include "cache_operators.cuh"

__global__ void add(const T* a, const T* b, T* out) {
  uint32_t tile = blockIdx.x;
  do {
    const uint32_t first = tile * (BLOCK * ITEMS) + threadIdx.x;
    const T* from_a = a + first;
    const T* from_b = b + first;
    T* to = out + first;
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
      T values_a[UNROLL];
      T values_b[UNROLL];
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        values_a[k] = load_by<LOAD>(from_a + (item + k) * BLOCK);
        values_b[k] = load_by<LOAD>(from_b + (item + k) * BLOCK);
      }
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) {
        store_by<STORE>(to + (item + k) * BLOCK, T(values_a[k] + values_b[k]));
      }
    }
    tile += gridDim.x;
  } while (PERSISTENT && tile < N / (BLOCK * ITEMS));
}
