#pragma once

/// Kernels of the families that patterns are made of, for the run-time compiler. Each takes an
/// output array; those whose results are looked at say what they leave in `out[i]`.
namespace sweep::testing {

inline constexpr const char* compiled_kernels = R"cuda(
typedef unsigned int u32;
extern "C" __global__ void offset(u32* out, const u32* in, u32 n) {  // in[i + 1] or 0
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i + 1 < n ? in[i + 1] : 0;
}
extern "C" __global__ void stride(float* out, const float* in, u32 n, u32 step) {
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) * step; i < n; i += gridDim.x * blockDim.x * step)
    out[i] = in[i] * 2.0f + 1.0f;
}
template <int PAD>
__device__ void transpose_tile(u32* out, const u32* in, u32 n) {
  __shared__ u32 tile[32][32 + PAD];
  u32 x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (u32 r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (u32 r = 0; r < 32; r += 8) out[(y + r) * n + x] = tile[threadIdx.x][threadIdx.y + r];
}
extern "C" __global__ void transpose(u32* out, const u32* in, u32 n) { transpose_tile<1>(out, in, n); }
extern "C" __global__ void transpose_conflicts(u32* out, const u32* in, u32 n) {
  transpose_tile<0>(out, in, n);
}
extern "C" __global__ void gather(u32* out, const u32* in, u32 n) {  // in[in[i] % n]
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __ldg(in + in[i] % n);
}
extern "C" __global__ void reduce(u32* out, const u32* in, u32 n) {  // out[0]: the sum
  __shared__ u32 parts[32];
  u32 sum = 0;
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
extern "C" __global__ void histogram(u32* out, const u32* in, u32 n) {  // how many in[j] % 16 are i
  __shared__ u32 bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void chase(u32* out, const u32* in, u32 n) {
  u32 at = threadIdx.x % n;
  long long begin = clock64();
  for (int i = 0; i < 64; ++i) at = in[at] % n;
  out[blockIdx.x * blockDim.x + threadIdx.x] = at + (clock64() < begin ? 1 : 0);
}
struct Particle { float x, y, z, w; double m; };
extern "C" __global__ void structures(Particle* p, float4* v, double2* d, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 a = v[i]; Particle q = p[i];
  q.x += a.x; q.w *= a.w; q.m = sqrt(q.m) + d[i].x / (d[i].y + 1.0);
  p[i] = q; v[i] = make_float4(a.w, a.z, a.y, a.x);
}
__device__ __noinline__ u32 mixed(u32 a, int rounds) {
  for (int i = 0; i < rounds; ++i) a = a * 1664525u + 1013904223u;
  return a;
}
extern "C" __global__ void calls(u32* out, const u32* in, u32 n) {  // mixed(in[i], i % 5)
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = mixed(in[i], i % 5);
}
extern "C" __global__ void local_array(u32* out, const u32* in, u32 n) {  // in[i ^ 3]
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 own[16];
  for (int j = 0; j < 16; ++j) own[(j * 7 + in[0]) % 16] = in[(i / 16 * 16 + j) % n];
  if (i < n) out[i] = own[((i % 16 ^ 3) * 7 + in[0]) % 16];
}
extern "C" __global__ void collatz(u32* out, const u32* in, u32 n) {  // steps of i + 1
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 v = i + 1, steps = 0;
  while (v > 1) { v = v & 1 ? 3 * v + 1 : v / 2; ++steps; }
  out[i] = steps;
}
extern "C" __global__ void votes(u32* out, const u32* in, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? in[i] : 0;
  u32 peers = __match_any_sync(0xffffffff, v % 4);
  u32 odd = __ballot_sync(0xffffffff, v & 1);
  if (__all_sync(0xffffffff, v < 1u << 31)) peers += __popc(odd);
  __syncwarp();
  if (__syncthreads_or(v == 0)) peers ^= __activemask();
  if (i < n) out[i] = peers + __syncthreads_count(v & 2);
}
extern "C" __global__ void hints(u32* out, const u32* in, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 a = __ldcg(in + i) + __ldcs(in + i) + __ldlu(in + i) + __ldcv(in + i);
  asm volatile("prefetch.global.L2 [%0];" :: "l"(in + i));
  asm volatile("{ .reg .u32 t; ld.global.nc.L1::no_allocate.L2::128B.u32 t, [%1]; add.u32 %0, %0, t; }"
               : "+r"(a) : "l"(in + i));
  __stwt(out + i, a); __threadfence();
}
extern "C" __global__ void atomics(u32* out, unsigned long long* wide, float* f, double* d) {
  u32 t = threadIdx.x;
  atomicMax(out, t); atomicMin(out + 1, t); atomicXor(out + 2, t); atomicCAS(out + 3, t, t + 1);
  atomicInc(out + 4, 100); atomicExch(out + 5, t); atomicAdd(wide, 1ull << t % 40);
  atomicAdd(f, 1.0f); atomicAdd(d, 1.0); atomicMax((int*)out + 6, -(int)t);
}
extern "C" __global__ void numbers(float* out, const float* in, u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[i] = sinf(x) + expf(x) * logf(x + 2) + rsqrtf(x + 1) + fmodf(x, 3) + powf(x, 1.5f) + tanhf(x);
}
#if __CUDA_ARCH__ >= 800
extern "C" __global__ void async_copy(u32* out, const u32* in, u32 n) {  // in[i ^ 1]
  __shared__ u32 s[256];
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 to = (u32)__cvta_generic_to_shared(s + threadIdx.x);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + i));
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;");
  __syncthreads();
  if (i < n) out[i] = s[threadIdx.x ^ 1];
}
#endif
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void bulk_copy(u32* out, const u32* in, u32 n) {  // in[i]
  __shared__ alignas(16) u32 s[256];
  __shared__ unsigned long long bar;
  u32 i = blockIdx.x * blockDim.x + threadIdx.x, b = (u32)__cvta_generic_to_shared(&bar);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(b), "r"(blockDim.x * 4));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"((u32)__cvta_generic_to_shared(s)), "l"(in + blockIdx.x * blockDim.x),
                    "r"(blockDim.x * 4), "r"(b));
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
               :: "r"(b) : "memory");
  if (i < n) out[i] = s[threadIdx.x];
}
#endif
extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void prints(u32* out, u32 n) {
  if (threadIdx.x < n) printf("thread %d of %u: %f %s\n", threadIdx.x, n, threadIdx.x * 0.5, "done");
  if (n > 1000) __trap();
}
)cuda";

}  // namespace sweep::testing
