/* pattern:
summary: Add up the elements within RADIUS along the three axes of a grid
family: collectives
help: >-
  A star of 6 * RADIUS + 1 points, 7 with RADIUS = 1, 25 with RADIUS = 4 as in seismic codes. Only
  the neighbours along x shift a warp off its alignment; those along z are whole planes of
  WIDTH * HEIGHT elements away, and have to stay in L2 until the block of that plane comes. The grid
  is a torus, so that no element is special.
origin: Micikevicius, "3D Finite Difference Computation on GPUs using CUDA", 2009
parameters:
  T:      {type: element, default: float}
  RADIUS: {default: 1, min: 0, max: 16, help: elements in each direction}
  WIDTH:  {default: 512, min: 1, help: elements along x}
  HEIGHT: {default: 512, min: 1, help: elements along y}
  WIDE:   {default: 32, min: 1, max: 1024, help: elements of a block along x}
  TALL:   {default: 8, min: 1, max: 1024, help: elements of a block along y}
  BYTES:  {default: 1 Gi, min: 1, help: size of each grid}
  N:
    default: BYTES / (sizeof(T) * WIDTH * HEIGHT) * WIDTH * HEIGHT
    min: 1
    help: elements in all; by default as many whole planes as cover BYTES
require:
  - N % (WIDTH * HEIGHT) == 0
  - WIDTH % WIDE == 0
  - HEIGHT % TALL == 0
  - WIDE * TALL <= 1024
  - RADIUS <= min(WIDTH, HEIGHT)
buffers:
  in:
    type: T
    length: N
    init: "splat<T>(value(i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT))"
  out: {type: T, length: N}
launch: {grid: [WIDTH / WIDE, HEIGHT / TALL, N / (WIDTH * HEIGHT)], block: [WIDE, TALL]}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == expected_sum(i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT)"}
*/
constexpr size_t depth = N / WIDTH / HEIGHT;

__device__ uint32_t value(size_t x, size_t y, size_t z) {
  return (x + y * 7 + z * 29) % 101;
}

// The place `away` from another on a ring of `length`, which may be shorter than that.
__device__ size_t neighbour(size_t at, int away, size_t length) {
  return (at + length * RADIUS + away) % length;
}

__global__ void stencil_3d(const T* __restrict__ in, T* __restrict__ out) {
  const size_t x = size_t(blockIdx.x) * WIDE + threadIdx.x;
  const size_t y = size_t(blockIdx.y) * TALL + threadIdx.y;
  const size_t z = blockIdx.z;
  const auto at = [&](size_t x, size_t y, size_t z) { return in[(z * HEIGHT + y) * WIDTH + x]; };
  T sum = at(x, y, z);
  for (int away = 1; away <= RADIUS; ++away) {
    sum += at(neighbour(x, -away, WIDTH), y, z) + at(neighbour(x, away, WIDTH), y, z);
    sum += at(x, neighbour(y, -away, HEIGHT), z) + at(x, neighbour(y, away, HEIGHT), z);
    sum += at(x, y, neighbour(z, -away, depth)) + at(x, y, neighbour(z, away, depth));
  }
  out[(z * HEIGHT + y) * WIDTH + x] = sum;
}

__device__ T expected_sum(size_t x, size_t y, size_t z) {
  uint32_t sum = value(x, y, z);
  for (int away = -RADIUS; away <= RADIUS; ++away) {
    if (away == 0) continue;
    sum += value(neighbour(x, away, WIDTH), y, z);
    sum += value(x, neighbour(y, away, HEIGHT), z);
    sum += value(x, y, neighbour(z, away, depth));
  }
  return splat<T>(sum);
}
