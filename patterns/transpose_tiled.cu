/* pattern:
summary: Transpose a square matrix through tiles of TILE x TILE elements in shared memory
family: transpose
help: >-
  Rows are read and rows are written: the columns are read in shared memory, where that costs no
  bandwidth but bank conflicts. A column of tile[32][32] lies in one bank, 32 wavefronts for every
  load. PAD = 1 makes it tile[32][33], whose columns go through all banks, 1 wavefront. SWIZZLED
  does it without a byte more: element x of row y lies at x ^ y. With TILE = 16 a warp has two rows;
  PAD = 1 leaves 2 wavefronts for a load and a store, PAD = 2 for a store, SWIZZLED 1 for both.
origin: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)"; CUDA
  samples, transpose
parameters:
  T:        {type: element, default: float}
  TILE:     {default: 32, min: 16, max: 64, help: rows and columns of a tile}
  PAD:      {default: 1, min: 0, max: 64, help: elements between a row of the tile and the next}
  SWIZZLED: {default: false, help: whether a row of the tile is permuted by its number}
  SIZE:     {default: 16 Ki, min: 16, help: rows and columns of the matrix}
  ROWS:     {default: 8, min: 1, max: 64, help: "rows of threads in a block, TILE in each"}
require:
  - is_pow2(TILE)
  - SIZE % TILE == 0
  - TILE % ROWS == 0
  - TILE * ROWS <= 1024
  - TILE * (TILE + PAD) * sizeof(T) <= 48 Ki
buffers:
  in:  {type: T, length: SIZE * SIZE, init: "splat<T>(i % 101)"}
  out: {type: T, length: SIZE * SIZE}
launch: {grid: [SIZE / TILE, SIZE / TILE], block: [TILE, ROWS]}
useful: {read: SIZE * SIZE * sizeof(T), write: SIZE * SIZE * sizeof(T)}
verify: {out: "out[i] == splat<T>((i % SIZE * SIZE + i / SIZE) % 101)"}
*/
__device__ int place(int x, int y) {
  return SWIZZLED ? x ^ y : x;
}

__global__ void transpose_tiled(const T* __restrict__ in, T* __restrict__ out) {
  __shared__ T tile[TILE][TILE + PAD];
  const size_t left = size_t(blockIdx.x) * TILE;
  const size_t top = size_t(blockIdx.y) * TILE;
  const int x = threadIdx.x;
  for (int done = 0; done < TILE; done += ROWS) {
    const int y = done + threadIdx.y;
    tile[y][place(x, y)] = in[(top + y) * SIZE + left + x];
  }
  __syncthreads();
  for (int done = 0; done < TILE; done += ROWS) {
    const int y = done + threadIdx.y;
    out[(left + y) * SIZE + top + x] = tile[x][place(y, x)];
  }
}
