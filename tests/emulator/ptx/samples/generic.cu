__device__ int grid[3][5] = {{1, 2}, {3}};
__device__ float scale = 1.5f; __device__ double third = 1.0 / 3;
__device__ long long offsets[] = {-1, 0, 1ll << 40};
__device__ int* middle = &grid[1][2];
__device__ void add(int* to, int value) { *to += value; }
extern "C" __global__ void generic(int* out, int choice) {
  __shared__ int here[16];
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = i * choice;
  int* target = choice == 0 ? out : choice == 1 ? here : mine;
  add(target + (threadIdx.x & 7), grid[choice % 3][1] + *middle + int(offsets[0]));
  __syncthreads();
  out[threadIdx.x] = target[threadIdx.x & 7] + int(scale * third);
}
