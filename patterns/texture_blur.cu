/* pattern:
summary: Blur an image with a square of (2 * RADIUS + 1)^2 pixels, read through a texture or by plain loads
family: collectives
help: >-
  A texture gives what lies beside the image by itself: with address clamp the pixel at its border.
  Plain loads have to clamp the coordinates, and compile to more instructions; their requests and
  sectors are those of any load. TEXTURE = true reads the same pixels through a texture object, which
  the host makes of the buffer. Blocks that are wide and flat read few different sectors a request.
reference: CUDA C++ Programming Guide, "Texture and Surface Memory"
parameters:
  TEXTURE: {default: true, help: whether the image is read through a texture}
  RADIUS:  {default: 2, min: 0, max: 16, help: pixels to each side}
  SIZE:    {default: 2 Ki, min: 8, help: "rows and columns of the image, a multiple of 8"}
  BLOCK_X: {default: 32, min: 1, max: 1024, help: threads of a block along a row}
  BLOCK_Y: {default: 8, min: 1, max: 1024, help: rows of a block}
require:
  - SIZE % 8 == 0
  - BLOCK_X * BLOCK_Y <= 1024
buffers:
  in:  {type: float, length: SIZE * SIZE, init: "i * 7 % 61"}
  out: {type: float, length: SIZE * SIZE}
arguments: [in, {texture: in, shape: [SIZE, SIZE], address: clamp, filter: point}, out]
launch:
  grid: [ceil_div(SIZE, BLOCK_X), ceil_div(SIZE, BLOCK_Y)]
  block: [BLOCK_X, BLOCK_Y]
useful: {read: SIZE * SIZE * 4, write: SIZE * SIZE * 4}
# Sums of small integers are exact.
verify:
  out: >-
    out[i] == [&] {
      float sum = 0;
      for (int y = -RADIUS; y <= RADIUS; ++y)
        for (int x = -RADIUS; x <= RADIUS; ++x) {
          const long long row = min(max((long long)(i / SIZE) + y, 0LL), SIZE - 1LL);
          const long long column = min(max((long long)(i % SIZE) + x, 0LL), SIZE - 1LL);
          sum += in[row * SIZE + column];
        }
      return sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
    }()
*/

__global__ void texture_blur(const float* in, cudaTextureObject_t image, float* out) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= SIZE || row >= SIZE) return;
  float sum = 0;
#pragma unroll
  for (int y = -RADIUS; y <= RADIUS; ++y) {
#pragma unroll
    for (int x = -RADIUS; x <= RADIUS; ++x) {
      if constexpr (TEXTURE) {
        // Pixels have their centres between whole coordinates.
        sum += tex2D<float>(image, column + x + 0.5f, row + y + 0.5f);
      } else {
        const int inside_row = min(max(row + y, 0), SIZE - 1);
        const int inside_column = min(max(column + x, 0), SIZE - 1);
        sum += in[size_t(inside_row) * SIZE + inside_column];
      }
    }
  }
  out[size_t(row) * SIZE + column] = sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
}
