/* pattern:
summary: Pointers of which only the value says whether they lead to shared or to global memory
parameters:
  DIVIDE: {default: 32, min: 1, max: 32, help: lanes in a row that have the same kind of memory}
buffers:
  in:  {type: float, length: 1024, init: "float(i % 127)"}
  out: {type: float, length: 1024, init: "1"}
launch: {grid: 8, block: 128}
useful: {read: 4096, write: 4096}
verify: {out: "true"}
*/
__global__ void generic_pointers(const float* in, float* out) {
  __shared__ float own[128];
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  own[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  const bool is_shared = threadIdx.x / DIVIDE % 2 == 0;
  const float* from = is_shared ? own + threadIdx.x : in + i;
  float value = 0;
  asm volatile("ld.f32 %0, [%1];" : "=f"(value) : "l"(from));
  out[i] = value;
}
