/* pattern:
summary: One block that reads STRIDE elements apart, from OFFSET on
parameters:
  T:      {type: element, default: float}
  STRIDE: {default: 1, min: 1}
  OFFSET: {default: 0, min: 0}
  BLOCK:  {default: 32, min: 32, max: 1024}
buffers:
  in:  {type: T, length: OFFSET + BLOCK * STRIDE, init: "T(i % 101)"}
  out: {type: T, length: BLOCK}
launch: {grid: 1, block: BLOCK}
useful: {read: BLOCK * sizeof(T), write: BLOCK * sizeof(T)}
verify: {out: "out[i] == T((OFFSET + i * STRIDE) % 101)"}
*/
__global__ void shifted(const T* in, T* out) {
  out[threadIdx.x] = in[OFFSET + threadIdx.x * STRIDE];
}
