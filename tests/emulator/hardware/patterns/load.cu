/* pattern:
summary: Loads at a stride, an offset and in an order of the lanes, from the end when reversed
parameters:
  T:        {type: element, default: float}
  STRIDE:   {default: 1, min: 0, help: distance of neighbouring threads in elements}
  OFFSET:   {default: 0, min: 0, help: elements skipped at the beginning}
  SHUFFLE:  {default: 0, min: 0, max: 31, help: the lanes' numbers are xored with this}
  REVERSED: {type: boolean, default: false}
  BLOCK:    {default: 128, min: 1, max: 1024}
  GRID:     {default: 8, min: 1}
  SIZE:     "OFFSET + (GRID * BLOCK + 32) * max(STRIDE, 1)"
buffers:
  in:  {type: T, length: SIZE, init: "splat<T>(i * 7 % 127)"}
  out: {type: T, length: GRID * BLOCK, init: "splat<T>(1)"}
launch: {grid: GRID, block: BLOCK}
useful: {read: GRID * BLOCK * sizeof(T), write: GRID * BLOCK * sizeof(T)}
verify: {out: "true"}
*/
__global__ void load(const T* in, T* out) {
  const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
  const unsigned place = OFFSET + (i ^ SHUFFLE) * STRIDE;
  out[i] = in[REVERSED ? SIZE - 1 - place : place];
}
