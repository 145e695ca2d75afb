/* pattern:
summary: An array of each thread's own that lies in local memory, since its index is not known
parameters:
  T:    {type: element, default: float}
  SIZE: {default: 16, min: 1}
buffers:
  index: {type: uint32_t, length: 512, init: "uint32_t(i) * 2654435761u >> 9"}
  out:   {type: T, length: 512, init: "splat<T>(1)"}
launch: {grid: 4, block: 128}
useful: {write: 512 * sizeof(T)}
verify: {out: "true"}
*/
__global__ void local_array(const uint32_t* index, T* out) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const unsigned value = index[i];
  T own[SIZE];
#pragma unroll 1
  for (int k = 0; k < SIZE; ++k) own[k] = splat<T>((value + k * k) % 100);
#pragma unroll 1
  for (unsigned k = 0; k < 5; ++k) own[(value >> k) % SIZE] = own[(value >> 2 * k) % SIZE];
  out[i] = own[value % SIZE];
}
