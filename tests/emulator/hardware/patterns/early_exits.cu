/* pattern:
summary: Threads that end inside of branches and loops while others go on and meet at a barrier
buffers:
  in:  {type: int32_t, length: 1024, init: "int(uint32_t(i) * 2654435761u >> 10) % 512"}
  out: {type: int32_t, length: 1024, init: "-1"}
launch: {grid: 32, block: 32}
useful: {read: 1024 * 4, write: 1024 * 4}
verify: {out: "true"}
*/
__global__ void early_exits(const int32_t* in, int32_t* out) {
  __shared__ int sums[32];
  const unsigned i = blockIdx.x * 32 + threadIdx.x;
  int value = in[i];
  if (value % 11 == 3) return;
  for (int step = 0; step < value % 6; ++step) {
    value += in[value % 1024];
    if (value % 17 == 4) {
      out[i] = value;
      return;
    }
  }
  sums[threadIdx.x] = value;
  __syncwarp(__activemask());
  if (value % 3 == 0) {
    out[i] = sums[threadIdx.x] + 1;
    if (value % 9 == 0) return;
  }
  out[i] = in[i] - sums[threadIdx.x];
}
