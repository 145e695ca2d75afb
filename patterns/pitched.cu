/* pattern:
summary: Add one to a 2D array whose rows of WIDTH elements begin every PITCH bytes
family: coalescing
help: >-
  Where PITCH is a multiple of 32 every row begins with a sector of its own, as cudaMallocPitch and
  cudaMalloc3D see to; without padding most rows begin within one, and a warp touches a sector more.
  The block's shape decides how a warp lies on the rows: BLOCK_X = 32 puts its 32 floats into 4
  sectors of one row, BLOCK_X = 8 into one of each of 4 rows, BLOCK_X = 1 into 32 sectors, a column.
  Each block goes along BLOCK_Y rows.
origin: CUDA C++ Programming Guide, "Two-Dimensional Arrays" under "Device Memory Accesses"
parameters:
  T:       {type: element, default: float}
  WIDTH:   {default: 1000, min: 1, help: elements of a row}
  ALIGN:   {default: 512, min: 1, help: bytes that the rows' beginnings are aligned to}
  PITCH:
    default: ceil_div(WIDTH * sizeof(T), ALIGN) * ALIGN
    min: 1
    help: bytes from the beginning of a row to the next; by default the fewest that ALIGN lets
  BLOCK_X: {default: 32, min: 1, max: 1024, help: threads of a block along a row}
  BLOCK_Y: {default: 8, min: 1, max: 1024, help: rows of threads in a block}
  BYTES:   {default: 1 Gi, min: 1, help: size of the array}
  N:
    default: BYTES / (PITCH * BLOCK_Y) * BLOCK_Y
    min: 1
    help: rows; by default as many as fit into BYTES
require:
  - PITCH >= WIDTH * sizeof(T)
  - PITCH % sizeof(T) == 0
  - BLOCK_X * BLOCK_Y <= 1024
  - N % BLOCK_Y == 0
buffers:
  data: {type: T, length: N * (PITCH / sizeof(T)), init: "splat<T>(i % 101)"}
launch: {grid: N / BLOCK_Y, block: [BLOCK_X, BLOCK_Y]}
useful: {read: N * WIDTH * sizeof(T), write: N * WIDTH * sizeof(T)}
verify: "data[i] == splat<T>(i % 101 + (i % (PITCH / sizeof(T)) < WIDTH))"
*/
__global__ void pitched(T* data) {
  const size_t y = size_t(blockIdx.x) * BLOCK_Y + threadIdx.y;
  T* row = data + y * (PITCH / sizeof(T));
  for (size_t left = 0; left < WIDTH; left += BLOCK_X) {
    const size_t x = left + threadIdx.x;
    if (x < WIDTH) row[x] += splat<T>(1);
  }
}
