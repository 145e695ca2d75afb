/* pattern:
summary: Add up the elements within RADIUS along both axes of a matrix
family: collectives
help: >-
  A star of 4 * RADIUS + 1 points, 5 with RADIUS = 1. Neighbours above and below are read as
  aligned as the element itself; those to the left and right touch a sector more. Each element is
  wanted from memory once, the caches serve the rest: the wider a block, the fewer sectors are
  fetched for its sides; the taller, the fewer for its top and bottom. The matrix is a torus, so
  that no element is special.
origin: Micikevicius, "3D Finite Difference Computation on GPUs using CUDA", 2009
parameters:
  T:      {type: element, default: float}
  RADIUS: {default: 1, min: 0, max: 32, help: elements in each direction}
  SIZE:   {default: 16 Ki, min: 1, help: rows and columns}
  WIDE:   {default: 32, min: 1, max: 1024, help: columns of a block}
  TALL:   {default: 8, min: 1, max: 1024, help: rows of a block}
require:
  - SIZE % WIDE == 0
  - SIZE % TALL == 0
  - WIDE * TALL <= 1024
  - RADIUS <= SIZE
buffers:
  in:  {type: T, length: SIZE * SIZE, init: "splat<T>(value(i / SIZE, i % SIZE))"}
  out: {type: T, length: SIZE * SIZE}
launch: {grid: [SIZE / WIDE, SIZE / TALL], block: [WIDE, TALL]}
useful: {read: SIZE * SIZE * sizeof(T), write: SIZE * SIZE * sizeof(T)}
verify: {out: "out[i] == expected_sum(i / SIZE, i % SIZE)"}
*/
__device__ uint32_t value(size_t row, size_t column) {
  return (row * 7 + column) % 101;
}

// The row or column `away` from another.
__device__ size_t neighbour(size_t at, int away) {
  const size_t moved = at + SIZE + away;
  return moved >= 2 * SIZE ? moved - 2 * SIZE : moved >= SIZE ? moved - SIZE : moved;
}

__global__ void stencil_2d(const T* __restrict__ in, T* __restrict__ out) {
  const size_t column = size_t(blockIdx.x) * WIDE + threadIdx.x;
  const size_t row = size_t(blockIdx.y) * TALL + threadIdx.y;
  T sum = in[row * SIZE + column];
  for (int away = 1; away <= RADIUS; ++away) {
    sum += in[row * SIZE + neighbour(column, -away)] + in[row * SIZE + neighbour(column, away)];
    sum += in[neighbour(row, -away) * SIZE + column] + in[neighbour(row, away) * SIZE + column];
  }
  out[row * SIZE + column] = sum;
}

__device__ T expected_sum(size_t row, size_t column) {
  uint32_t sum = value(row, column);
  for (int away = 1; away <= RADIUS; ++away) {
    sum += value(row, (column + SIZE - away) % SIZE) + value(row, (column + away) % SIZE);
    sum += value((row + SIZE - away) % SIZE, column) + value((row + away) % SIZE, column);
  }
  return splat<T>(sum);
}
