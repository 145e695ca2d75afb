#pragma once

#include <ostream>
#include <string>

// Kernels that are right, and what they would not be without. A line that ends with one of these
// marks is left out, or replaced, in a mutant of its own, of which the emulator must say that it is
// wrong:
//   //-              without the statement
//   //= STATEMENT;   with this one in its place

namespace sweep {

struct SynchronisedKernel {
  const char* name;
  const char* header;  ///< of the pattern, but for its parameters
  const char* body;

  friend std::ostream& operator<<(std::ostream& out, const SynchronisedKernel& one) {
    return out << one.name;
  }
};

/// What stands before each body.
inline constexpr const char* synchronising_functions = R"cuda(
__device__ inline unsigned at(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
template <int bytes> __device__ inline void copy(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at(to)), "l"(from), "n"(bytes)
               : "memory");
}
__device__ inline void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int most> __device__ inline void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(most) : "memory");
}
using Barrier = unsigned long long;
__device__ inline void make(Barrier& b, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(&b)), "r"(count) : "memory");
}
__device__ inline void arrive(Barrier& b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&b)) : "memory");
}
__device__ inline void arrive_with_copies(Barrier& b) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(&b)) : "memory");
}
__device__ inline void expect(Barrier& b, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&b)), "r"(bytes)
               : "memory");
}
__device__ inline void wait_for(Barrier& b, unsigned parity) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; "
               "@!p bra W; }" ::"r"(at(&b)), "r"(parity) : "memory");
}
__device__ inline void load(void* to, const void* from, unsigned bytes, Barrier& b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(&b)) : "memory");
}
__device__ inline void store(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(at(from)), "r"(bytes) : "memory");
}
__device__ inline void add(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;"
               ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
__device__ inline void load_box(void* to, const void* map, int x, int y, Barrier& b) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)), "l"(map), "r"(x), "r"(y), "r"(at(&b))
               : "memory");
}
__device__ inline void store_box(const void* map, int x, int y, const void* from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
               ::"l"(map), "r"(x), "r"(y), "r"(at(from)) : "memory");
}
__device__ inline void commit_bulk() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int most> __device__ inline void wait_bulk() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(most) : "memory");
}
template <int most> __device__ inline void wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(most) : "memory");
}
__device__ inline void fence_proxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
)cuda";

/// The kernel as a pattern; `parameters` in a line of the header, `body` in the place of its own.
inline std::string pattern_of(const SynchronisedKernel& kernel, const std::string& parameters,
                              const std::string& body) {
  return "/* pattern:" + parameters + kernel.header + "\nuseful: {read: 1}\n*/\n" +
         synchronising_functions + body;
}

}  // namespace sweep
