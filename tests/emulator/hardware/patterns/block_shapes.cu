/* pattern:
summary: Grids and blocks of three dimensions, with dynamic shared memory
parameters:
  X: {default: 8, min: 1}
  Y: {default: 4, min: 1}
  Z: {default: 2, min: 1}
buffers:
  in:  {type: uint32_t, length: 12 * X * Y * Z, init: "uint32_t(i) * 2654435761u"}
  out: {type: uint32_t, length: 12 * X * Y * Z, init: "1"}
launch: {grid: [2, 3, 2], block: [X, Y, Z], shared: X * Y * Z * 4}
useful: {read: 48 * X * Y * Z, write: 48 * X * Y * Z}
verify: {out: "true"}
*/
__global__ void block_shapes(const uint32_t* in, uint32_t* out) {
  extern __shared__ unsigned own[];
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.z + blockDim.z * (threadIdx.y + blockDim.y * threadIdx.x);
  own[thread] = in[block * (X * Y * Z) + thread] ^ threadIdx.x << 8 ^ blockIdx.z;
  __syncthreads();
  const unsigned flat = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * (X * Y * Z) + flat] = own[flat];
}
