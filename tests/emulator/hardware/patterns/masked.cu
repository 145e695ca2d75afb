/* pattern:
summary: Loads and stores by some lanes of each warp; LIMIT threads of the grid take part at all
parameters:
  T:          {type: element, default: float}
  LOAD_MASK:  {default: 4294967295, min: 0, max: 4294967295, help: the lanes that load}
  STORE_MASK: {default: 4294967295, min: 0, max: 4294967295, help: the lanes that store}
  STRIDE:     {default: 1, min: 1}
  BLOCK:      {default: 128, min: 1, max: 1024}
  LIMIT:      {default: 8 * BLOCK, min: 1}
buffers:
  in:  {type: T, length: 8 * BLOCK * STRIDE, init: "splat<T>(i * 7 % 127)"}
  out: {type: T, length: 8 * BLOCK * STRIDE, init: "splat<T>(1)"}
launch: {grid: 8, block: BLOCK}
useful: {read: 0}
verify: {out: "true"}
*/
__global__ void masked(const T* in, T* out) {
  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  if (i >= LIMIT) return;
  T value = splat<T>(3);
  if (unsigned(LOAD_MASK) >> lane & 1) value = in[i * STRIDE];
  if (unsigned(STORE_MASK) >> lane & 1) out[i * STRIDE] = value;
}
