// Bulk copies between global and shared memory, which threads only begin (PTX ISA, "cp.async.bulk"
// and "mbarrier"). The hint 5 is an L2 policy of evict_first, as in cache_operators.cuh, 0 is none.
#pragma once

__device__ inline uint32_t in_shared(const void* pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

__device__ inline uint64_t evict_first_policy() {
  uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// Barriers of one arriving thread each.
template <int count>
__device__ inline void make_barriers(uint64_t (&barriers)[count]) {
  for (int i = 0; i < count; ++i) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(in_shared(&barriers[i]))
                 : "memory");
  }
  // The unit that copies sees the barriers as they are now.
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// The barrier's phase ends when as many bytes have arrived.
__device__ inline void expect_bytes(uint64_t& barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(in_shared(&barrier)),
               "r"(bytes) : "memory");
}

template <int hint>
__device__ inline void begin_load(void* to, const void* from, uint32_t bytes, uint64_t& barrier) {
  if constexpr (hint == 5) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(in_shared(to)), "l"(from),
                 "r"(bytes), "r"(in_shared(&barrier)), "l"(evict_first_policy()) : "memory");
  } else {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(in_shared(to)), "l"(from), "r"(bytes),
                 "r"(in_shared(&barrier)) : "memory");
  }
}

// A box of two dimensions, by a tensor map, whose first element has these coordinates.
__device__ inline void begin_box_load(void* to, const CUtensorMap& from, uint32_t column,
                                      uint32_t row, uint64_t& barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(in_shared(to)), "l"(&from), "r"(column),
               "r"(row), "r"(in_shared(&barrier)) : "memory");
}

__device__ inline void wait_for_phase(uint64_t& barrier, uint32_t parity) {
  uint32_t is_done = 0;
  do {
    asm volatile("{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; "
                 "selp.u32 %0, 1, 0, done; }" : "=r"(is_done)
                 : "r"(in_shared(&barrier)), "r"(parity) : "memory");
  } while (is_done == 0);
}

// What threads have written to shared memory is there for the stores of a thread that they meet
// after this.
__device__ inline void show_to_bulk_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Each store is a group of its own.
template <int hint>
__device__ inline void begin_store(void* to, const void* from, uint32_t bytes) {
  if constexpr (hint == 5) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::
                     "l"(to), "r"(in_shared(from)), "r"(bytes), "l"(evict_first_policy())
                 : "memory");
  } else {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(in_shared(from)), "r"(bytes) : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Until all but the last `most` stores have read their shared memory.
template <int most>
__device__ inline void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(most) : "memory");
}

// Until all stores are done; the shared memory has to stay until then.
__device__ inline void wait_until_stored() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
