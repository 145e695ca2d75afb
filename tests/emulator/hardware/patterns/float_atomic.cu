/* pattern:
summary: Additions of T to places of their own in global and shared memory, with their results
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 1}
buffers:
  in:   {type: T, length: 512, init: "T(float(i) * 0.37f)"}
  data: {type: T, length: 512 * STRIDE, init: "T(float(i % 101) * 1.1f)"}
  old:  {type: T, length: 512, init: "T(0.0f)"}
launch: {grid: 4, block: 128}
useful: {read: 512 * sizeof(T), write: 512 * sizeof(T)}
verify: {data: "true"}
*/
__global__ void float_atomic(const T* in, T* data, T* old) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  old[i] = atomicAdd(data + i * STRIDE, in[i]);
}
