/* pattern:
summary: Read columns of a tile that a tensor map has copied, with and without its swizzle
family: shared memory
help: >-
  From compute capability 9.0 on one thread has the Tensor Memory Accelerator copy a box of a tensor
  (cp.async.bulk.tensor): the argument is a tensor map, which the host makes of a buffer. Here a
  tile of HEIGHT rows is copied, and each thread reads its own row, 16 bytes at a time. A warp so
  reads a column of pieces, WIDTH * 4 bytes apart. With SWIZZLE = 0 the pieces of 8 rows share a few
  banks, with rows of 128 bytes 4 banks, 8 wavefronts for each quarter of a warp. The swizzle changes
  the pieces' places within a row by the row's number, and the conflicts are gone; it is as wide as a
  row. Who reads has to do the same - piece p of an address lies at p ^ (address / 128).
origin: CUDA C++ Programming Guide, "Tensor Memory Access"; PTX ISA, "cp.async.bulk.tensor" and
  "Swizzling Modes"; cuTensorMapEncodeTiled
parameters:
  SWIZZLE: {default: 128, min: 0, max: 128, help: "bytes, as wide as a row of the tile; 0 for none"}
  WIDTH:   {default: 32, min: 8, max: 32, help: elements of a row of the tile}
  HEIGHT:  {default: 128, min: 32, max: 256, help: "rows of the tile, and threads of a block"}
  SIZE:    {default: 4 Ki, min: 32, help: rows and columns of the matrix}
require:
  - SWIZZLE == 0 || SWIZZLE == WIDTH * 4
  - WIDTH * 4 % 32 == 0
  - HEIGHT % 32 == 0
  - SIZE % WIDTH == 0
  - SIZE % HEIGHT == 0
buffers:
  in:  {type: float, length: SIZE * SIZE, init: "i % 1000003"}
  out: {type: float4, length: SIZE * SIZE / 4}
arguments:
  - {tensor: in, shape: [SIZE, SIZE], box: [WIDTH, HEIGHT], swizzle: SWIZZLE}
  - out
launch: {grid: [SIZE / WIDTH, SIZE / HEIGHT], block: HEIGHT}
useful: {read: SIZE * SIZE * 4, write: SIZE * SIZE * 4}
verify:
  out: >-
    [&] {
      const size_t row = i % SIZE, column = i / SIZE * 4, first = row * SIZE + column;
      return out[i].x == first % 1000003 && out[i].y == (first + 1) % 1000003 &&
             out[i].z == (first + 2) % 1000003 && out[i].w == (first + 3) % 1000003;
    }()
*/
#if __CUDA_ARCH__ < 900
#error "tma_tile needs compute capability 9.0 or newer, which have tensor maps"
#endif

#include "bulk_copies.cuh"

// Column after column of pieces: piece p of row r goes to out[p * SIZE + r].
__global__ void tma_tile(const __grid_constant__ CUtensorMap in, float4* out) {
  __shared__ __align__(1024) unsigned char tile[HEIGHT * WIDTH * 4];
  __shared__ uint64_t arrived[1];
  const uint32_t column = blockIdx.x * WIDTH;
  const uint32_t row = blockIdx.y * HEIGHT;
  if (threadIdx.x == 0) {
    make_barriers(arrived);
    expect_bytes(arrived[0], sizeof tile);
    begin_box_load(tile, in, column, row, arrived[0]);
  }
  __syncthreads();
  wait_for_phase(arrived[0], 0);
#pragma unroll
  for (uint32_t piece = 0; piece < WIDTH / 4; ++piece) {
    const uint32_t place = threadIdx.x * WIDTH * 4 + piece * 16;
    const uint32_t mask = SWIZZLE > 0 ? SWIZZLE / 16 - 1 : 0;
    const uint32_t swizzled = place ^ ((place / 128 & mask) * 16);
    out[size_t(column / 4 + piece) * SIZE + row + threadIdx.x] =
        *reinterpret_cast<const float4*>(tile + swizzled);
  }
}
