// The source of sample_sm_90.hex: nvcc -cubin -arch=sm_90 -lineinfo sample.cu && xxd -p -c 50 sample.cubin
// Four neighbouring words of shared memory are read and summed, which ptxas does in one access.
extern "C" __global__ void sample(int* a, int j) {
  __shared__ int words[512];
  int local[4];
  for (int i = 0; i < 4; ++i) local[(i + j) & 3] = a[i];
  words[threadIdx.x] = local[j];
  __syncthreads();
  const int* four = words + 4 * threadIdx.x;
  a[threadIdx.x] = four[0] + four[1] + four[2] + four[3];
}
