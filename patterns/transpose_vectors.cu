/* pattern:
summary: Transpose a square matrix through tiles in shared memory, VECTOR elements of a row at once
family: transpose
help: >-
  As transpose_tiled does, with what makes a transpose as fast as a copy. VECTOR elements in one
  request mean fewer requests to global memory, and as many to shared memory as before. A thread
  loads UNROLL rows before it puts the first into the tile, so that more bytes are under way. STRIP
  and DIAGONAL decide which tiles are under way at a time, since reads go along rows of tiles and
  writes down columns. PAD = 1 or SWIZZLED avoid bank conflicts as there.
origin: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)"; CUDA
  samples, transpose; G. Ruetsch, P. Micikevicius, "Optimizing Matrix Transpose in CUDA"
parameters:
  T:        {type: element, default: float}
  TILE:     {default: 32, min: 16, max: 64, help: rows and columns of a tile}
  PAD:      {default: 1, min: 0, max: 64, help: elements between a row of the tile and the next}
  SWIZZLED: {default: false, help: whether a row of the tile is permuted by its number}
  SIZE:     {default: 16 Ki, min: 16, help: rows and columns of the matrix}
  VECTOR:   {default: 1, min: 1, max: 8, help: neighbouring elements that a thread moves at once}
  ROWS:     {default: 8, min: 1, max: 64, help: "rows of threads in a block, TILE / VECTOR in each"}
  UNROLL:
    default: TILE / ROWS
    min: 1
    help: rows that a thread loads before it puts the first into the tile
  STRIP:
    default: 1
    min: 1
    help: >-
      rows of tiles that neighbouring blocks go down before they go on to the right; 1 goes along
      rows. The more, the longer the stretches that are written side by side
  DIAGONAL:
    default: false
    help: >-
      whether blocks begin in each row of tiles one tile further right, so that reads and writes
      spread over the memory's channels
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
require:
  - is_pow2(TILE)
  - SIZE % TILE == 0
  - TILE % VECTOR == 0
  - TILE % ROWS == 0
  - TILE / VECTOR * ROWS <= 1024
  - TILE * (TILE + PAD) * sizeof(T) <= 48 Ki
  - TILE / ROWS % UNROLL == 0
  - SIZE / TILE % STRIP == 0
  - VECTOR == 1 || (is_pow2(VECTOR * sizeof(T)) && VECTOR * sizeof(T) <= 16)
  - max(LOAD, STORE) == 0 || (is_pow2(VECTOR * sizeof(T)) && VECTOR * sizeof(T) <= 16)
  - max(LOAD, STORE) <= 3 || VECTOR * sizeof(T) >= 4
buffers:
  in:  {type: T, length: SIZE * SIZE, init: "splat<T>(i % 101)"}
  out: {type: T, length: SIZE * SIZE}
launch: {grid: [SIZE / TILE, SIZE / TILE], block: [TILE / VECTOR, ROWS]}
useful: {read: SIZE * SIZE * sizeof(T), write: SIZE * SIZE * sizeof(T)}
verify: {out: "out[i] == splat<T>((i % SIZE * SIZE + i / SIZE) % 101)"}
*/
#include "cache_operators.cuh"

// What a thread moves at once; a vector type keeps its own alignment.
struct alignas(VECTOR > 1 ? VECTOR * sizeof(T) : alignof(T)) Vector {
  T element[VECTOR];
};

__device__ int place(int x, int y) {
  return SWIZZLED ? x ^ y : x;
}

__global__ void __launch_bounds__(TILE / VECTOR * ROWS)
    transpose_vectors(const T* __restrict__ in, T* __restrict__ out) {
  __shared__ T tile[TILE][TILE + PAD];
  uint32_t column = blockIdx.x;
  uint32_t row = blockIdx.y;
  if (STRIP > 1) {
    const uint32_t number = row % STRIP * (SIZE / TILE) + column;
    column = number / STRIP;
    row = row / STRIP * STRIP + number % STRIP;
  }
  if (DIAGONAL) column = (column + row) % (SIZE / TILE);
  const size_t left = size_t(column) * TILE;
  const size_t top = size_t(row) * TILE;
  const int x = threadIdx.x * VECTOR;
#pragma unroll 1
  for (int done = 0; done < TILE; done += ROWS * UNROLL) {
    Vector loaded[UNROLL];
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int y = done + k * ROWS + threadIdx.y;
      const T* from = in + (top + y) * SIZE + left + x;
      loaded[k] = load_by<LOAD>(reinterpret_cast<const Vector*>(from));
    }
#pragma unroll
    for (int k = 0; k < UNROLL; ++k) {
      const int y = done + k * ROWS + threadIdx.y;
#pragma unroll
      for (int j = 0; j < VECTOR; ++j) tile[y][place(x + j, y)] = loaded[k].element[j];
    }
  }
  __syncthreads();
#pragma unroll UNROLL
  for (int done = 0; done < TILE; done += ROWS) {
    const int y = done + threadIdx.y;
    Vector stored;
#pragma unroll
    for (int j = 0; j < VECTOR; ++j) stored.element[j] = tile[x + j][place(y, x + j)];
    store_by<STORE>(reinterpret_cast<Vector*>(out + (left + y) * SIZE + top + x), stored);
  }
}
