/* pattern:
summary: Blur an image with a square of (2 * RADIUS + 1)^2 pixels, read through a texture or by plain loads
family: collectives
help: >-
  A texture gives what lies beyond the image by itself - with address wrap the pixel on the other
  side. Plain loads have to work that out, and compile to more instructions; their requests and
  sectors are those of any load. TEXTURE = true reads the same pixels through a texture object, which
  the host makes of the buffer. Blocks that are wide and flat read few different sectors a request.
origin: CUDA C++ Programming Guide, "Texture and Surface Memory"
parameters:
  TEXTURE: {default: true, help: whether the image is read through a texture}
  RADIUS:  {default: 2, min: 0, max: 16, help: pixels to each side}
  SIZE:    {default: 2 Ki, min: 16, help: "rows and columns of the image, a multiple of 8"}
  BLOCK_X: {default: 32, min: 1, max: 1024, help: threads of a block along a row}
  BLOCK_Y: {default: 8, min: 1, max: 1024, help: rows of a block}
require:
  - SIZE % 8 == 0
  - BLOCK_X * BLOCK_Y <= 1024
buffers:
  in:  {type: float, length: SIZE * SIZE, init: "i * 7 % 61"}
  out: {type: float, length: SIZE * SIZE}
arguments: [in, {texture: in, shape: [SIZE, SIZE], address: wrap, normalized: true}, out]
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
          const long long row = ((long long)(i / SIZE) + y + SIZE) % SIZE;
          const long long column = ((long long)(i % SIZE) + x + SIZE) % SIZE;
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
        sum += tex2D<float>(image, (column + x + 0.5f) / SIZE, (row + y + 0.5f) / SIZE);
      } else {
        sum += in[size_t((row + y + SIZE) % SIZE) * SIZE + (column + x + SIZE) % SIZE];
      }
    }
  }
  out[size_t(row) * SIZE + column] = sum / ((2 * RADIUS + 1) * (2 * RADIUS + 1));
}
