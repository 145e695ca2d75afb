/* pattern:
summary: Gathers of LENGTH elements by one short index pattern that moves on by DELTA
family: irregular
help: >-
  Gather k reads in[k * DELTA + offset[j]] for all j below LENGTH, a thread for each. SHAPE says
  what the offsets are. 0 is Spatter's UNIFORM, j * GAP. 1 is its MS1, mostly stride 1: runs of
  BREAK elements, the first of a run GAP after the last of the run before. 2 is its LAPLACIAN: the
  points of a star stencil in DIMENSIONS dimensions with branches of ORDER points, on a grid of
  WIDTH points a side; LENGTH is then 2 * DIMENSIONS * ORDER + 1. Patterns that overlap the one
  before, with a DELTA smaller than their span, find elements in the caches.
origin: Lavin et al., "Evaluating Gather and Scatter Performance on CPUs and GPUs", MEMSYS 2020;
  github.com/hpcgarage/spatter
parameters:
  T:          {type: element, default: double}
  SHAPE:      {default: 0, min: 0, max: 2, help: "0 uniform, 1 mostly stride 1, 2 Laplacian"}
  GAP:        {default: 1, min: 0, help: "SHAPE 0: the stride; SHAPE 1: the step between two runs"}
  BREAK:      {default: 8, min: 1, help: "SHAPE 1: elements of a run"}
  DIMENSIONS: {default: 2, min: 1, max: 3, help: "SHAPE 2: dimensions of the grid"}
  ORDER:      {default: 1, min: 1, help: "SHAPE 2: points of a branch of the stencil"}
  WIDTH:      {default: 100, min: 1, help: "SHAPE 2: points along a side of the grid"}
  LENGTH:
    default: "SHAPE == 2 ? 2 * DIMENSIONS * ORDER + 1 : 32"
    min: 1
    help: elements of one gather
  DELTA:
    default: "SHAPE == 2 ? 1 :
              SHAPE == 1 ? LENGTH + (LENGTH - 1) / BREAK * (GAP - 1) : LENGTH * GAP"
    min: 0
    help: elements from one gather's first place to the next one's
  BLOCK:      {default: 256, min: 1, max: 1024, help: threads per block}
  BYTES:      {default: 512 Mi, min: 1, help: size of what is gathered}
  N:
    default: BYTES / (sizeof(T) * LENGTH * BLOCK) * LENGTH * BLOCK
    min: 1
    help: elements that are gathered; by default as many as BYTES has
require:
  - N % BLOCK == 0
  - N % LENGTH == 0
  - "SHAPE != 2 || LENGTH == 2 * DIMENSIONS * ORDER + 1"
buffers:
  in:
    type: T
    length: "(N / LENGTH - 1) * DELTA + 1 + (SHAPE == 0 ? (LENGTH - 1) * GAP :
             SHAPE == 1 ? LENGTH - 1 + (LENGTH - 1) / BREAK * max(GAP - 1, 0) :
             2 * ORDER * (DIMENSIONS == 1 ? 1 : DIMENSIONS == 2 ? WIDTH : WIDTH * WIDTH))"
    init: "splat<T>(i % 101)"
  offset: {type: uint32_t, length: LENGTH, init: "offset_of(i)"}
  out:    {type: T, length: N}
launch: {grid: N / BLOCK, block: BLOCK}
useful: {read: N * sizeof(T), write: N * sizeof(T)}
verify: {out: "out[i] == splat<T>((i / LENGTH * DELTA + offset_of(i % LENGTH)) % 101)"}
*/
__global__ void spatter(const T* __restrict__ in, const uint32_t* __restrict__ offset,
                        T* __restrict__ out) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  out[i] = in[i / LENGTH * DELTA + offset[i % LENGTH]];
}

// The stencil's points in the order of their addresses: branches along the slowest dimension come
// first, and the same mirrored behind the middle.
__device__ size_t laplacian_offset(size_t j) {
  constexpr size_t middle = DIMENSIONS * ORDER;
  const bool is_behind = j > middle;
  const size_t from_middle = is_behind ? j - middle : middle - j;
  if (from_middle == 0) return 0;
  const size_t dimension = (from_middle - 1) / ORDER;
  const size_t away = (from_middle - 1) % ORDER + 1;
  const size_t step = dimension == 0 ? 1 : dimension == 1 ? WIDTH : size_t(WIDTH) * WIDTH;
  return is_behind ? away * step : 0 - away * step;
}

__device__ size_t offset_of(size_t j) {
  if (SHAPE == 0) return j * GAP;
  if (SHAPE == 1) return j / BREAK * (BREAK + GAP - 1) + j % BREAK;
  return laplacian_offset(j) - laplacian_offset(0);
}
