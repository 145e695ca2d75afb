/* pattern:
summary: A matrix transposed naively (0), through a tile (1) or through a padded tile (2)
parameters:
  T:       {type: element, default: float}
  VARIANT: {default: 0, min: 0, max: 2}
buffers:
  in:  {type: T, length: 128 * 128, init: "splat<T>(i * 7 % 127)"}
  out: {type: T, length: 128 * 128, init: "splat<T>(1)"}
launch: {grid: [4, 4], block: [32, 8]}
useful: {read: 128 * 128 * sizeof(T), write: 128 * 128 * sizeof(T)}
verify: {out: "out[i] == in[i % 128 * 128 + i / 128]"}
*/
__global__ void transpose(const T* in, T* out) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  if constexpr (VARIANT == 0) {
#pragma unroll 1
    for (int row = 0; row < 32; row += 8) out[(y + row) * 128 + x] = in[x * 128 + y + row];
  } else {
    __shared__ T tile[32][VARIANT == 1 ? 32 : 33];
#pragma unroll 1
    for (int row = 0; row < 32; row += 8)
      tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * 128 + x];
    __syncthreads();
    const int to_x = blockIdx.y * 32 + threadIdx.x;
    const int to_y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll 1
    for (int row = 0; row < 32; row += 8)
      out[(to_y + row) * 128 + to_x] = tile[threadIdx.x][threadIdx.y + row];
  }
}
