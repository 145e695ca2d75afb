// The kernels that the emulator's speed is measured with.
typedef unsigned int u32;

extern "C" __global__ void copy(const float* in, float* out) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

extern "C" __global__ void stride_1(float* data) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  data[i] += 1.0f;
}

extern "C" __global__ void tiled_transpose(const float* in, float* out, int width) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    tile[threadIdx.y + row][threadIdx.x] = in[size_t(y + row) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int row = 0; row < 32; row += 8) {
    out[size_t(y + row) * width + x] = tile[threadIdx.x][threadIdx.y + row];
  }
}

extern "C" __global__ void bank_loop(u32* out, int offset, int rounds) {
  __shared__ u32 words[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) words[i] = i;
  __syncthreads();
  u32 index = threadIdx.x * offset % 4096;
  for (int round = 0; round < rounds; ++round) {
    words[index] += index * round;
    index = (index + 32) % 4096;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

extern "C" __global__ void reduction(const float* in, float* out) {
  __shared__ float sums[32];
  float sum = in[size_t(blockIdx.x) * blockDim.x + threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  }
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(0xffffffff, sum, distance);
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void random_gather(const float* in, float* out, u32 size) {
  const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 place = i * 2654435761u;
  place ^= place >> 15;
  out[i] = in[place % size];
}
