/* pattern:
summary: Transpose a square matrix, one element per thread, without shared memory
family: transpose
help: >-
  One side goes along rows and the other along columns. With READS_COLUMNS, out[y * SIZE + x] =
  in[x * SIZE + y] with x from threadIdx.x: the *read* is the strided side, 32 sectors for every
  request of 4-byte elements, and the write is coalesced. Without it the two change places.
  Compare transpose_tiled.
origin: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)"
parameters:
  T:             {type: element, default: float}
  READS_COLUMNS: {default: true, help: whether a warp reads a column and writes a row}
  SIZE:          {default: 16 Ki, min: 32, help: rows and columns}
  ROWS:          {default: 8, min: 1, max: 32, help: "rows of threads in a block, 32 in each"}
require:
  - SIZE % 32 == 0
  - SIZE % ROWS == 0
buffers:
  in:  {type: T, length: SIZE * SIZE, init: "splat<T>(i % 101)"}
  out: {type: T, length: SIZE * SIZE}
launch: {grid: [SIZE / 32, SIZE / ROWS], block: [32, ROWS]}
useful: {read: SIZE * SIZE * sizeof(T), write: SIZE * SIZE * sizeof(T)}
verify: {out: "out[i] == splat<T>((i % SIZE * SIZE + i / SIZE) % 101)"}
*/
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out) {
  const size_t x = size_t(blockIdx.x) * 32 + threadIdx.x;
  const size_t y = size_t(blockIdx.y) * ROWS + threadIdx.y;
  const size_t along_row = y * SIZE + x;
  const size_t along_column = x * SIZE + y;
  if (READS_COLUMNS) {
    out[along_row] = in[along_column];
  } else {
    out[along_column] = in[along_row];
  }
}
