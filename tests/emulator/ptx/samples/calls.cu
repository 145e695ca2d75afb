struct Big { int a[6]; };
extern "C" __device__ int vprintf(const char*, const void*);
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
__constant__ float weights[4] = {1.0f, 0.5f, -2.0f, 0.25f};
__device__ int counter = 3;
__device__ int* counter_address = &counter;
__device__ const char* names[2] = {"first", "second"};
__noinline__ __device__ Big rotate(Big big, float f) {
  Big result;
  for (int i = 0; i < 6; ++i) result.a[i] = big.a[(i + 1) % 6] + int(f);
  return result;
}
__noinline__ __device__ int twice(int x) { return 2 * x + counter; }
__noinline__ __device__ int thrice(int x) { return 3 * x - *counter_address; }
__device__ int (*const table[2])(int) = {twice, thrice};
extern "C" __global__ void calls(Big* data, int which) {
  Big big = data[threadIdx.x];
  big = rotate(big, weights[which & 3]);
  big.a[0] = table[which & 1](big.a[0]);
  if (big.a[1] == 7) { struct { const char* n; int v; } args = {names[which & 1], big.a[1]}; vprintf("%s is %d\n", &args); }
  if (big.a[2] < 0) __assertfail("big.a[2] >= 0", "calls.cu", 27, "calls", 1);
  data[threadIdx.x] = big;
}
