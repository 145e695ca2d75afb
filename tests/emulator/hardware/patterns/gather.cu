/* pattern:
summary: Loads from places that a hash of the thread's number gives
parameters:
  T:     {type: element, default: float}
  SIZE:  {default: 4096, min: 1}
  BLOCK: {default: 256, min: 1, max: 1024}
buffers:
  in:    {type: T, length: SIZE, init: "splat<T>(i * 7 % 127)"}
  index: {type: uint32_t, length: 16 * BLOCK, init: "uint32_t(i) * 2654435761u % SIZE"}
  out:   {type: T, length: 16 * BLOCK, init: "splat<T>(1)"}
launch: {grid: 16, block: BLOCK}
useful: {read: 16 * BLOCK * sizeof(T), write: 16 * BLOCK * sizeof(T)}
verify: {out: "true"}
*/
__global__ void gather(const T* in, const uint32_t* index, T* out) {
  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  out[i] = in[index[i]];
}
