/* pattern:
summary: Multiply two matrices of floats by tiles in shared memory and in registers
family: collectives
help: >-
  c = a * b, all stored row by row. A block computes TILE_M x TILE_N elements of c from TILE_K
  columns of a and rows of b at a time, which it loads as float4 and keeps in shared memory, those
  of a transposed. A thread computes THREAD_M x THREAD_N elements in registers, so that it uses each
  value from shared memory THREAD_N or THREAD_M times. The next tiles are loaded while the present
  ones are multiplied; with two BUFFERS they are stored without waiting for the other threads.
origin: Volkov and Demmel, "Benchmarking GPUs to Tune Dense Linear Algebra", SC 2008; CUTLASS,
  "Efficient GEMM in CUDA"
parameters:
  TILE_M:   {default: 128, min: 16, max: 256, help: rows of c that a block computes}
  TILE_N:   {default: 128, min: 16, max: 256, help: columns of c that a block computes}
  TILE_K:   {default: 8, min: 4, max: 32, help: columns of a and rows of b in shared memory}
  THREAD_M: {default: 8, min: 4, max: 16, help: rows of c that a thread computes}
  THREAD_N: {default: 8, min: 4, max: 16, help: columns of c that a thread computes}
  WARP_N:   {default: 8, min: 1, max: 16, help: threads of a warp along a row of c}
  BUFFERS:  {default: 2, min: 1, max: 2, help: tiles of a and of b that shared memory has room for}
  PAD:      {default: 4, min: 0, max: 32, help: floats behind each column of the tile of a}
  STRIP:
    default: 1
    min: 1
    help: rows of tiles that neighbouring blocks go down before they go on to the right
  REGISTERS:
    default: 0
    min: 0
    max: 255
    help: the most registers of a thread; 0 for as many as the compiler likes
  SIZE:     {default: 4 Ki, min: 64, help: "what M, N and K are unless they say otherwise"}
  M:        {default: SIZE, min: 16, help: rows of a and c}
  N:        {default: SIZE, min: 16, help: columns of b and c}
  K:        {default: SIZE, min: 64, max: 32 Ki, help: columns of a and rows of b}
  FMA_UNITS:
    default: 128
    min: 1
    help: multiply-adds of a multiprocessor in a clock; 128 from 8.6 on, 64 in 7.x and 8.0
  MULTIPROCESSORS: {default: 132, min: 1, device: multiprocessors, help: whose peak is the limit}
require:
  - M % TILE_M == 0
  - N % TILE_N == 0
  - K % TILE_K == 0
  # What verify relies on. All sums are integers below 1 << 24, so that no float is rounded.
  - K % 64 == 0
  - THREAD_M % 4 == 0
  - THREAD_N % 4 == 0
  - TILE_K % 4 == 0
  - PAD % 4 == 0
  - is_pow2(WARP_N)
  - TILE_N % (THREAD_N * WARP_N) == 0
  - TILE_M % (THREAD_M * (32 / WARP_N)) == 0
  - TILE_M / THREAD_M * (TILE_N / THREAD_N) <= 1024
  - TILE_M * TILE_K % (4 * (TILE_M / THREAD_M) * (TILE_N / THREAD_N)) == 0
  - TILE_N * TILE_K % (4 * (TILE_M / THREAD_M) * (TILE_N / THREAD_N)) == 0
  - BUFFERS * TILE_K * (TILE_M + PAD + TILE_N) * sizeof(float) <= 48 Ki
buffers:
  a: {type: float, length: M * K, init: "factor(5 * (i / K) + i % K)"}
  b: {type: float, length: K * N, init: "factor(3 * (i % N) + i / N)"}
  c: {type: float, length: M * N}
compile: {max_registers: REGISTERS}
launch: {grid: [N / TILE_N, M / TILE_M], block: TILE_M / THREAD_M * (TILE_N / THREAD_N)}
useful: {read: (M + N) * K * sizeof(float), write: M * N * sizeof(float)}
metrics:
  gflops: {value: 2 * M * N * K / time / 1e9, unit: GFLOP/s, better: higher, help: "2 M N K / time"}
  percent_of_fma_peak:
    value: 100 * M * N * K / time / (FMA_UNITS * MULTIPROCESSORS * sm_clock)
    unit: "%"
    better: higher
    help: multiply-adds as a share of what the multiprocessors can do at the clock measured
verify: {c: "c[i] == product(i / N, i % N)"}
*/
constexpr int threads_down = TILE_M / THREAD_M;
constexpr int threads_across = TILE_N / THREAD_N;
constexpr int threads = threads_down * threads_across;

struct alignas(16) Tiles {
  float a[TILE_K][TILE_M + PAD];
  float b[TILE_K][TILE_N];
};

// What a thread loads of the next tiles, on its way to shared memory.
struct Loaded {
  float4 a[TILE_M * TILE_K / 4 / threads];
  float4 b[TILE_N * TILE_K / 4 / threads];
};

// `a` is where the tile's first row begins, `b` its first column.
__device__ void load(Loaded& loaded, const float* a, const float* b, int first_k) {
  int at = threadIdx.x;
#pragma unroll
  for (float4& four : loaded.a) {
    const int row = at / (TILE_K / 4);
    const int k = at % (TILE_K / 4) * 4;
    four = *reinterpret_cast<const float4*>(a + size_t(row) * K + first_k + k);
    at += threads;
  }
  at = threadIdx.x;
#pragma unroll
  for (float4& four : loaded.b) {
    const int k = at / (TILE_N / 4);
    const int column = at % (TILE_N / 4) * 4;
    four = *reinterpret_cast<const float4*>(b + size_t(first_k + k) * N + column);
    at += threads;
  }
}

__device__ void store(Tiles& tiles, const Loaded& loaded) {
  int at = threadIdx.x;
#pragma unroll
  for (const float4& four : loaded.a) {
    const int row = at / (TILE_K / 4);
    const int k = at % (TILE_K / 4) * 4;
    tiles.a[k][row] = four.x;
    tiles.a[k + 1][row] = four.y;
    tiles.a[k + 2][row] = four.z;
    tiles.a[k + 3][row] = four.w;
    at += threads;
  }
  at = threadIdx.x;
#pragma unroll
  for (const float4& four : loaded.b) {
    const int k = at / (TILE_N / 4);
    const int column = at % (TILE_N / 4) * 4;
    *reinterpret_cast<float4*>(&tiles.b[k][column]) = four;
    at += threads;
  }
}

// A thread's elements lie in fours, so that neighbouring threads read neighbouring float4.
template <int count, int apart>
__device__ void read(float (&values)[count], const float* from) {
#pragma unroll
  for (int i = 0; i < count; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i * apart);
    values[i] = four.x;
    values[i + 1] = four.y;
    values[i + 2] = four.z;
    values[i + 3] = four.w;
  }
}

__device__ void multiply(float (&sums)[THREAD_M][THREAD_N], const Tiles& tiles, int y, int x) {
#pragma unroll
  for (int k = 0; k < TILE_K; ++k) {
    float a[THREAD_M];
    float b[THREAD_N];
    read<THREAD_M, threads_down>(a, &tiles.a[k][4 * y]);
    read<THREAD_N, threads_across>(b, &tiles.b[k][4 * x]);
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sums[i][j] += a[i] * b[j];
    }
  }
}

__global__ void __launch_bounds__(threads)
    matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ Tiles tiles[BUFFERS];
  constexpr uint32_t tiles_down = M / TILE_M;
  constexpr uint32_t tiles_across = N / TILE_N;
  const uint32_t number = blockIdx.y * tiles_across + blockIdx.x;
  const uint32_t top = number / (STRIP * tiles_across) * STRIP;
  const uint32_t strip = min(uint32_t(STRIP), tiles_down - top);
  const uint32_t row = top + number % (STRIP * tiles_across) % strip;
  const uint32_t column = number % (STRIP * tiles_across) / strip;
  // A warp's threads form a rectangle, so that it reads few different words of both tiles. Lanes
  // 2n and 2n + 1 read the same words of b, so that half a warp's float4 are served at once.
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int x = warp % (threads_across / WARP_N) * WARP_N + lane / 2 % WARP_N;
  const int y =
      warp / (threads_across / WARP_N) * (32 / WARP_N) + lane / (2 * WARP_N) * 2 + lane % 2;
  a += size_t(row) * TILE_M * K;
  b += size_t(column) * TILE_N;
  c += size_t(row) * TILE_M * N + size_t(column) * TILE_N;

  Loaded loaded;
  load(loaded, a, b, 0);
  store(tiles[0], loaded);
  __syncthreads();
  float sums[THREAD_M][THREAD_N] = {};
#pragma unroll 1
  for (int tile = 0; tile < K / TILE_K; ++tile) {
    const bool is_last = tile + 1 == K / TILE_K;
    if (!is_last) load(loaded, a, b, (tile + 1) * TILE_K);
    multiply(sums, tiles[tile % BUFFERS], y, x);
    if (BUFFERS == 1) __syncthreads();
    if (!is_last) store(tiles[(tile + 1) % BUFFERS], loaded);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    float* to = c + size_t(i / 4 * 4 * threads_down + 4 * y + i % 4) * N + 4 * x;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      // Plain assignment lets the compiler take the first of these apart.
      __stwb(reinterpret_cast<float4*>(to + j * threads_across),
             make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]));
    }
  }
}

// Along k the elements of a and b are the numbers from -32 to 31, over and over, in a row of a
// shifted by 5 * row and in a column of b by 3 * column.
__device__ float factor(uint64_t n) {
  return float(int(n % 64) - 32);
}

// The sum over a period of t * ((t + d) % 64), with d how far the two are shifted, is that of
// t * (t + d) less 64 times the d largest t. Taking 32 from both factors makes it smaller by the
// same number for every d.
__device__ float product(uint64_t row, uint64_t column) {
  const int d = (3 * column + 64 - 5 * row % 64) % 64;
  const int of_squares = 63 * 64 * 127 / 6;
  const int of_numbers = 63 * 64 / 2;
  const int of_largest = d * (127 - d) / 2;
  const int period = of_squares + d * of_numbers - 64 * of_largest - 64 * of_numbers + 64 * 1024;
  return float(int(K / 64) * period);
}
