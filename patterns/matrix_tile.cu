/* pattern:
summary: Bring a tile of a matrix to shared memory and read it by ldmatrix, or write it by stmatrix
family: shared memory
help: >-
  Tensor cores want a matrix in pieces of 8 x 8 elements of 16 bits, of which each thread of a warp
  has two neighbours. ldmatrix reads 1, 2 or 4 of them from shared memory, stmatrix writes them (from
  9.0 on) - 8 threads name the rows of a piece, 16 bytes each, and these 128 bytes are one
  wavefront if they lie in different banks. In a plain tile with rows of 128 bytes all 8 lie in the
  same four banks, 8 wavefronts for each piece; with rows of 64 bytes 4, of 32 bytes 2. Padded by 16
  bytes a row, or swizzled - 16 bytes p of row r lie at p ^ r, as a tensor map lays them - it is 1.
  More pieces of an instruction mean fewer instructions, not fewer wavefronts. TRANSPOSED gives each
  thread neighbours of a column instead, at no cost. Each pass does all of the tile, so that shared
  memory and not the device's bounds it; the tile is filled, or emptied, once, row by row, where
  narrow padded rows have conflicts of their own.
origin: PTX ISA, "ldmatrix", "stmatrix" and "Swizzling Modes"
parameters:
  ACCESS:     {default: 0, min: 0, max: 1, values: {0: ldmatrix, 1: stmatrix},
               help: what is done PASSES times}
  LAYOUT:     {default: 2, min: 0, max: 2, values: {0: plain, 1: padded, 2: swizzled},
               help: how rows lie in the tile}
  MATRICES:   {default: 4, min: 1, max: 4, help: "pieces of an instruction: 1, 2 or 4"}
  TRANSPOSED: {default: false, help: whether rows become columns on the way}
  COPY:
    default: 0
    min: 0
    max: 1
    values: {0: plain, 1: cp.async}
    help: how the tile comes to shared memory for ldmatrix
  WIDTH:      {default: 64, min: 16, max: 128, help: elements of a row of the tile}
  HEIGHT:     {default: 64, min: 8, max: 128, help: rows of the tile}
  BLOCK:      {default: 128, min: 32, max: 1024, help: threads per block}
  PASSES:     {default: 32, min: 1, max: 16 Ki, help: how often the tile is read or written}
  SIZE:       {default: 2 Ki, min: 16, help: rows and columns of the matrix}
require:
  - is_pow2(MATRICES)
  - is_pow2(WIDTH)
  - SIZE % WIDTH == 0
  - SIZE % HEIGHT == 0
  - HEIGHT % 8 == 0
  - WIDTH * HEIGHT % (BLOCK * 2 * MATRICES) == 0
  - BLOCK % 32 == 0
  - ACCESS == 0 || COPY == 0
  - HEIGHT * (WIDTH + 8) * 2 <= 48 Ki
buffers:
  in:  {type: uint32_t, length: SIZE * SIZE / 2, init: "pair_at(i)"}
  out: {type: uint32_t, length: SIZE * SIZE / 2}
launch: {grid: [SIZE / WIDTH, SIZE / HEIGHT], block: BLOCK}
useful: {read: SIZE * SIZE * 2, write: SIZE * SIZE * 2, shared: SIZE * SIZE * 2 * PASSES}
verify: {out: "out[i] == (ACCESS == 0 ? PASSES * pair_at_fragment(i) : pair_in_row(i))"}
*/
#include "matrix_pieces.cuh"

#if __CUDA_ARCH__ < 900
static_assert(ACCESS == 0, "stmatrix needs compute capability 9.0 or newer");
#endif

constexpr int groups = HEIGHT * WIDTH / 64 / MATRICES;  // of pieces that an instruction takes
constexpr int warps = BLOCK / 32;
constexpr int fragments = groups / warps * MATRICES;  // of a thread, two elements each
constexpr int row_units = WIDTH / 8;                  // of 16 bytes
constexpr int pitch = WIDTH * 2 + (LAYOUT == 1 ? 16 : 0);

// Where 16 bytes of a row lie in the tile: rows that share banks have other places by their number.
__device__ inline uint32_t place(uint32_t row, uint32_t unit) {
  constexpr uint32_t rows_of_line = row_units < 8 ? 8 / row_units : 1;
  constexpr uint32_t mask = LAYOUT == 2 ? (row_units < 8 ? row_units : 8) - 1 : 0;
  return row * pitch + (unit ^ (row / rows_of_line & mask)) * 16;
}

// Pieces are numbered down the rows first, as mma takes them. Lane 8 k + r names row r of piece k.
__device__ inline uint32_t row_of_lane(int group) {
  const uint32_t piece = group * MATRICES + threadIdx.x % 32 / 8 % MATRICES;
  return place(piece % (HEIGHT / 8) * 8 + threadIdx.x % 8, piece / (HEIGHT / 8));
}

__global__ void __launch_bounds__(BLOCK) matrix_tile(const uint32_t* in, uint32_t* out) {
  __shared__ __align__(128) unsigned char tile[HEIGHT * pitch];
  const size_t corner = size_t(blockIdx.y) * HEIGHT * SIZE + size_t(blockIdx.x) * WIDTH;
  const uint32_t block = blockIdx.y * gridDim.x + blockIdx.x;
  const size_t first = size_t(block) * (HEIGHT * WIDTH / 2) + threadIdx.x % 32;
  const uint32_t warp = threadIdx.x / 32;
  const auto for_each_unit = [&](auto move) {
    for (uint32_t unit = threadIdx.x; unit < HEIGHT * row_units; unit += BLOCK) {
      const uint32_t row = unit / row_units;
      const size_t at = corner + size_t(row) * SIZE + unit % row_units * 8;
      move(tile + place(row, unit % row_units), at / 2);
    }
  };
  uint32_t held[fragments] = {};
  const auto fragment_at = [&](int k) {
    return first + ((warp + k / MATRICES * warps) * MATRICES + k % MATRICES) * 32;
  };
  if (ACCESS == 0) {
    for_each_unit([&](void* to, size_t at) { copy_16_bytes<COPY == 1>(to, in + at); });
    if (COPY == 1) asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
#pragma unroll
    for (int k = 0; k < fragments; ++k) held[k] = in[fragment_at(k)];
  }
  __syncthreads();
#pragma unroll 1
  for (int pass = 0; pass < PASSES; ++pass) {
#pragma unroll
    for (int k = 0; k < fragments; k += MATRICES) {
      unsigned char* const row = tile + row_of_lane(warp + k / MATRICES * warps);
      if constexpr (ACCESS == 0) {
        uint32_t read[MATRICES];
        load_pieces<TRANSPOSED, MATRICES>(read, row);
#pragma unroll
        for (int m = 0; m < MATRICES; ++m) held[k + m] += read[m];
      } else {
        store_pieces<TRANSPOSED, MATRICES>(row, held + k);
      }
    }
    __syncwarp();
  }
  if (ACCESS == 0) {
#pragma unroll
    for (int k = 0; k < fragments; ++k) out[fragment_at(k)] = held[k];
  } else {
    __syncthreads();
    for_each_unit([&](void* from, size_t at) { copy_16_bytes<false>(out + at, from); });
  }
}

// Two elements that lie side by side in `in`.
__device__ uint32_t element_at(size_t i) {
  return uint32_t(i) * 40503 >> 3 & 0xffff;
}
__device__ uint32_t pair_at(size_t i) {
  return element_at(2 * i) | element_at(2 * i + 1) << 16;
}

// A thread's element in the order of fragments, and the matrix's in the order of rows.
struct Place {
  size_t row, column;
};
__device__ Place place_of_fragment(size_t i) {
  constexpr size_t tile = HEIGHT * WIDTH;
  const size_t block = i / tile, piece = i % tile / 64, of_piece = i % 64;
  const size_t along = of_piece % 8, down = of_piece / 8;
  return {block / (SIZE / WIDTH) * HEIGHT + piece % (HEIGHT / 8) * 8 + (TRANSPOSED ? along : down),
          block % (SIZE / WIDTH) * WIDTH + piece / (HEIGHT / 8) * 8 + (TRANSPOSED ? down : along)};
}
__device__ size_t fragment_of_place(Place at) {
  const size_t block = at.row / HEIGHT * (SIZE / WIDTH) + at.column / WIDTH;
  const size_t row = at.row % HEIGHT, column = at.column % WIDTH;
  const size_t piece = column / 8 * (HEIGHT / 8) + row / 8;
  const size_t down = TRANSPOSED ? column % 8 : row % 8;
  const size_t along = TRANSPOSED ? row % 8 : column % 8;
  return block * (HEIGHT * WIDTH) + piece * 64 + down * 8 + along;
}

__device__ uint32_t pair_at_fragment(size_t i) {
  const auto element = [](size_t fragment) {
    const Place at = place_of_fragment(fragment);
    return element_at(at.row * SIZE + at.column);
  };
  return element(2 * i) | element(2 * i + 1) << 16;
}
__device__ uint32_t pair_in_row(size_t i) {
  const auto element = [](size_t place) {
    return element_at(fragment_of_place({place / SIZE, place % SIZE}));
  };
  return element(2 * i) | element(2 * i + 1) << 16;
}
