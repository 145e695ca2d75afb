/* pattern:
summary: Read a range beside a stream of other data; the range may persist in L2 from launch to launch
family: hierarchy
help: >-
  Every launch reads RANGE bytes once, and STREAM other bytes between them, which exceed the L2. The
  range is read again by the next launch. With PERSIST = 1 it has an access policy window, and
  SET_ASIDE bytes of L2 keep its lines. With PERSIST = 2 its loads have an L2 policy of evict_last,
  without a set-aside. What the range then saves shows with a warm cache. Before a cold sample the
  persisting lines are reset, so that all three read everything from memory. On an NVIDIA H100 the
  window on 24 MiB raises 2696 GB/s to 3211 GB/s with a warm cache, evict_last does not (2706), and
  with a cold cache and a STREAM of 48 MiB a launch takes 28.9 us with the window and 29.0 us without.
origin: CUDA C++ Programming Guide, "L2 Cache Control"; PTX ISA, "createpolicy"
parameters:
  PERSIST:
    default: 1
    min: 0
    max: 2
    help: 0 nothing persists, 1 an access policy window, 2 loads with evict_last; 1 and 2 need 8.0
  RANGE:       {default: 16 Mi, min: 1, help: bytes of the range}
  STREAM:      {default: 96 Mi, min: 1, help: bytes of the stream}
  L2:          {default: 50 Mi, min: 1, device: l2_bytes, help: bytes of L2}
  SET_ASIDE:   {default: L2 / 2, min: 0, help: bytes of L2 that are set aside for PERSIST = 1}
  HIT_PERCENT:
    default: 100
    min: 0
    max: 100
    help: share of the window's accesses that persist; the others are streaming
  ITEMS:       {default: 4, min: 1, help: loads of a thread from the range}
  BLOCK:       {default: 256, min: 32, max: 1024, help: threads per block}
require:
  - RANGE % (ITEMS * BLOCK * sizeof(uint4)) == 0
  - STREAM % RANGE == 0
  - BLOCK % 32 == 0
buffers:
  range:  {type: uint4, length: RANGE / sizeof(uint4), init: "splat<uint4>(uint32_t(i))"}
  stream: {type: uint4, length: STREAM / sizeof(uint4), init: "splat<uint4>(uint32_t(i))"}
  sum:    {type: uint32_t, length: RANGE / sizeof(uint4) / ITEMS}
launch:
  grid: RANGE / sizeof(uint4) / ITEMS / BLOCK
  block: BLOCK
  access_policy_window:
    buffer: range
    bytes: "PERSIST == 1 ? RANGE : 0"
    hit_ratio: HIT_PERCENT / 100
    set_aside: SET_ASIDE
useful: {read: RANGE + STREAM}
verify: {sum: "sum[i] == 4 * (sum_of_places(i, ITEMS) + sum_of_places(i, ITEMS * RATIO))"}
*/
constexpr uint32_t THREADS = RANGE / sizeof(uint4) / ITEMS;
constexpr uint32_t RATIO = STREAM / RANGE;

__device__ uint4 load_from_range(const uint4* from) {
  if constexpr (PERSIST == 2) {
    uint4 value;
    asm volatile(
        "{ .reg .b64 policy; createpolicy.fractional.L2::evict_last.b64 policy, 1.0; "
        "ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], policy; }"
        : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(from));
    return value;
  } else {
    return *from;
  }
}

__global__ void persisting_l2(const uint4* range, const uint4* stream, uint32_t* sum) {
  const uint32_t thread = blockIdx.x * uint32_t(BLOCK) + threadIdx.x;
  uint4 total = splat<uint4>(0);
#pragma unroll
  for (int item = 0; item < ITEMS; ++item) {
    total += load_from_range(range + thread + size_t(item) * THREADS);
#pragma unroll 8
    for (uint32_t k = item * RATIO; k < (item + 1) * RATIO; ++k) {
      total += stream[thread + size_t(k) * THREADS];
    }
  }
  sum[thread] = total.x + total.y + total.z + total.w;
}

// What a thread finds in so many elements, each THREADS after the one before.
__device__ uint32_t sum_of_places(uint32_t thread, uint32_t count) {
  return count * thread + uint32_t(uint64_t(count) * (count - 1) / 2 * THREADS);
}
