/* pattern:
summary: Read columns of a tile that a tensor map has copied, with and without its swizzle
family: shared memory
help: >-
  From compute capability 9.0 on one thread has the Tensor Memory Accelerator copy a box of a tensor
  (cp.async.bulk.tensor): the argument is a tensor map, which the host makes of a buffer. Here a
  tile of HEIGHT rows is copied, and each thread reads its own row, an element of T at a time. A warp
  so reads a column, WIDTH * 4 bytes apart. With SWIZZLE = 0 the 16-byte pieces of 8 rows share a few
  banks, with rows of 128 bytes 4 banks, 8 wavefronts for each quarter of a warp. The swizzle changes
  the pieces' places within a row by the row's number, and the conflicts are gone; it is as wide as a
  row. Who reads has to do the same - piece p of an address lies at p ^ (address / 128). It moves
  whole pieces. A column of single floats, which all lie at the same place of their pieces, has 8
  banks for 32 rows, 4 wavefronts in place of WIDTH; one of float2 as many, twice its ideal.
origin: CUDA C++ Programming Guide, "Tensor Memory Access"; PTX ISA, "cp.async.bulk.tensor" and
  "Swizzling Modes"; cuTensorMapEncodeTiled
parameters:
  T:       {type: element, default: float4, help: "what a thread reads at a time: 4, 8 or 16 bytes"}
  SWIZZLE: {default: 128, min: 0, max: 128, help: "bytes, as wide as a row of the tile; 0 for none"}
  WIDTH:   {default: 32, min: 8, max: 32, help: elements of a row of the tile}
  HEIGHT:  {default: 128, min: 32, max: 256, help: "rows of the tile, and threads of a block"}
  SIZE:    {default: 4 Ki, min: 32, help: rows and columns of the matrix}
require:
  - sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16
  - SWIZZLE == 0 || SWIZZLE == WIDTH * 4
  - WIDTH * 4 % 32 == 0
  - HEIGHT % 32 == 0
  - SIZE % WIDTH == 0
  - SIZE % HEIGHT == 0
buffers:
  in:  {type: float, length: SIZE * SIZE, init: "i % 1000003"}
  out: {type: float, length: SIZE * SIZE}
arguments:
  - {tensor: in, shape: [SIZE, SIZE], box: [WIDTH, HEIGHT], swizzle: SWIZZLE}
  - out
launch: {grid: [SIZE / WIDTH, SIZE / HEIGHT], block: HEIGHT}
useful: {read: SIZE * SIZE * 4, write: SIZE * SIZE * 4}
verify:
  out: >-
    [&] {
      const size_t in_column = i / wide, row = in_column % SIZE;
      return out[i] == (row * SIZE + in_column / SIZE * wide + i % wide) % 1000003;
    }()
*/
#if __CUDA_ARCH__ < 900
#error "tma_tile needs compute capability 9.0 or newer, which have tensor maps"
#endif

#include "bulk_copies.cuh"

constexpr uint32_t wide = sizeof(T) / 4;  // floats that a thread reads at a time

// Column after column: what a thread reads at column c of row r goes to out[c * SIZE + r].
__global__ void tma_tile(const __grid_constant__ CUtensorMap in, float* out) {
  __shared__ __align__(1024) unsigned char tile[HEIGHT * WIDTH * 4];
  __shared__ uint64_t arrived[1];
  const uint32_t left = blockIdx.x * WIDTH;
  const uint32_t top = blockIdx.y * HEIGHT;
  if (threadIdx.x == 0) {
    make_barriers(arrived);
    expect_bytes(arrived[0], sizeof tile);
    begin_box_load(tile, in, left, top, arrived[0]);
  }
  __syncthreads();
  wait_for_phase(arrived[0], 0);
  // One by one: of several columns at once the assembler joins the floats that lie side by side.
#pragma unroll 1
  for (uint32_t column = 0; column < WIDTH / wide; ++column) {
    const uint32_t place = threadIdx.x * WIDTH * 4 + column * sizeof(T);
    const uint32_t mask = SWIZZLE > 0 ? SWIZZLE / 16 - 1 : 0;
    const uint32_t swizzled = place ^ ((place / 128 & mask) * 16);
    reinterpret_cast<T*>(out)[size_t(left / wide + column) * SIZE + top + threadIdx.x] =
        *reinterpret_cast<const T*>(tile + swizzled);
  }
}
