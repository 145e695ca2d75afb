/* pattern:
summary: Fill an array with one value; a thread writes ITEMS elements
family: streams
help: >-
  The roof for anything that mostly writes, and what setting memory to a value costs. No thread has
  to wait for anything, so that few of them keep the memory busy. Whole sectors are written; nothing
  has to be read for that.
reference: T. Deakin et al., "BabelStream" (init)
parameters:
  T:          {type: element, default: float, help: what a request moves for each thread}
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  ITEMS:      {default: 1, min: 1, help: "elements of a thread in a tile, BLOCK elements apart"}
  UNROLL:     {default: ITEMS, min: 1, help: stores between two turns of the loop over ITEMS}
  PERSISTENT: {default: false, help: whether a block goes on to another tile until none is left}
  BLOCKS_PER_SM:
    default: max(1, 2048 / BLOCK)
    min: 1
    help: blocks of a persistent grid for each multiprocessor; 2048 threads fill one of 9.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: a persistent grid is made for}
  STORE:
    default: 0
    min: 0
    max: 5
    help: >-
      0 st.global, 1 .wt (__stwt, written through), 2 .cs (__stcs, evicted first), 3 .cg (__stcg,
      into L2), 4 .L1::no_allocate, 5 an L2 policy of evict_first (8.0 and later)
  BYTES:      {default: 1 Gi, min: 1, help: size of the array}
  N:
    default: BYTES / (sizeof(T) * BLOCK * ITEMS) * BLOCK * ITEMS
    min: 1
    max: 4 Gi
    help: elements; by default those of all whole tiles in BYTES
require:
  - N % (BLOCK * ITEMS) == 0
  - ITEMS % UNROLL == 0
  - STORE == 0 || (is_pow2(sizeof(T)) && sizeof(T) <= 16)
  - STORE <= 3 || sizeof(T) >= 4
buffers:
  out: {type: T, length: N}
launch:
  grid: "min(N / (BLOCK * ITEMS), PERSISTENT ? BLOCKS_PER_SM * MULTIPROCESSORS : N)"
  block: BLOCK
useful: {write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>(42)"}
*/
#include "cache_operators.cuh"

__global__ void write(T* out) {
  uint32_t tile = blockIdx.x;
  do {
    T* to = out + (tile * (BLOCK * ITEMS) + threadIdx.x);
#pragma unroll 1
    for (int item = 0; item < ITEMS; item += UNROLL) {
#pragma unroll
      for (int k = 0; k < UNROLL; ++k) store_by<STORE>(to + (item + k) * BLOCK, splat<T>(42));
    }
    tile += gridDim.x;
  } while (PERSISTENT && tile < N / (BLOCK * ITEMS));
}
