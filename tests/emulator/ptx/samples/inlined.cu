__device__ float at(const float* p, int i) { return p[i]; }
__device__ float pair(const float* p, int i) { return at(p, i) + at(p, i + 1); }
template <int N> struct Sum { static __device__ float of(const float* p, int i) { return pair(p, i) + Sum<N - 1>::of(p, i + 2); } };
template <> struct Sum<0> { static __device__ float of(const float*, int) { return 0; } };
extern "C" __global__ void __launch_bounds__(128, 2) inlined(float* out, const float* in) {
  __shared__ float tile[128];
  tile[threadIdx.x] = Sum<3>::of(in, threadIdx.x * 6);
  __syncthreads();
  out[threadIdx.x] = pair(tile, threadIdx.x & 126);
}
