/* pattern:
summary: Transpose a square matrix through tiles of 32 x 32 elements in shared memory
family: transpose
help: >-
  Rows are read and rows are written: the columns are read in shared memory, where that costs no
  bandwidth but bank conflicts. A column of tile[32][32] lies in one bank, 32 wavefronts for every
  load; PAD = 1 makes it tile[32][33], whose columns go through all banks, 1 wavefront.
reference: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)"
parameters:
  T:    {type: element, default: float}
  PAD:  {default: 1, min: 0, max: 32, help: elements between a row of the tile and the next}
  SIZE: {default: 16 Ki, min: 32, help: rows and columns of the matrix}
  ROWS: {default: 8, min: 1, max: 32, help: "rows of threads in a block, 32 in each"}
require:
  - SIZE % 32 == 0
  - 32 % ROWS == 0
  - 32 * (32 + PAD) * sizeof(T) <= 48 Ki
buffers:
  in:  {type: T, length: SIZE * SIZE, init: "splat<T>(i % 101)"}
  out: {type: T, length: SIZE * SIZE}
launch: {grid: [SIZE / 32, SIZE / 32], block: [32, ROWS]}
useful: {read: SIZE * SIZE * sizeof(T), write: SIZE * SIZE * sizeof(T)}
verify: {out: "out[i] == splat<T>((i % SIZE * SIZE + i / SIZE) % 101)"}
*/
__global__ void transpose_tiled(const T* __restrict__ in, T* __restrict__ out) {
  __shared__ T tile[32][32 + PAD];
  const size_t left = size_t(blockIdx.x) * 32;
  const size_t top = size_t(blockIdx.y) * 32;
  for (int row = threadIdx.y; row < 32; row += ROWS) {
    tile[row][threadIdx.x] = in[(top + row) * SIZE + left + threadIdx.x];
  }
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += ROWS) {
    out[(left + row) * SIZE + top + threadIdx.x] = tile[threadIdx.x][row];
  }
}
