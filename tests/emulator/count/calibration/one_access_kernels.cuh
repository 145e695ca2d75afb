#pragma once

#include <cstdint>

/// One warp's access: lane t, if `mask` names it, uses the bytes from offset[t] on.
struct Access {
  std::uint32_t offset[32];
  std::uint32_t mask;
};

enum class Op { ld, st, red_add, red_one, red_max, atom_add, atom_one, atom_max, atom_cas };

namespace detail {

#define SWEEP_ACCESSES(SPACE)                                                                    \
  template <int width>                                                                           \
  __device__ std::uint32_t load_##SPACE(std::uint64_t a) {                                       \
    std::uint32_t x = 0, y = 0, z = 0, w = 0;                                                    \
    std::uint64_t l = 0;                                                                         \
    if constexpr (width == 1) asm volatile("ld." #SPACE ".u8 %0, [%1];" : "=r"(x) : "l"(a));     \
    if constexpr (width == 2) asm volatile("ld." #SPACE ".u16 %0, [%1];" : "=r"(x) : "l"(a));    \
    if constexpr (width == 4) asm volatile("ld." #SPACE ".u32 %0, [%1];" : "=r"(x) : "l"(a));    \
    if constexpr (width == 8) asm volatile("ld." #SPACE ".u64 %0, [%1];" : "=l"(l) : "l"(a));    \
    if constexpr (width == 16)                                                                   \
      asm volatile("ld." #SPACE ".v4.u32 {%0,%1,%2,%3}, [%4];"                                   \
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                                          \
                   : "l"(a));                                                                    \
    return x ^ y ^ z ^ w ^ static_cast<std::uint32_t>(l) ^ static_cast<std::uint32_t>(l >> 32);  \
  }                                                                                              \
  template <int width>                                                                           \
  __device__ void store_##SPACE(std::uint64_t a, std::uint32_t v) {                              \
    const std::uint64_t l = v * 0x100000001ull;                                                  \
    if constexpr (width == 1) asm volatile("st." #SPACE ".u8 [%0], %1;" ::"l"(a), "r"(v));       \
    if constexpr (width == 2) asm volatile("st." #SPACE ".u16 [%0], %1;" ::"l"(a), "r"(v));      \
    if constexpr (width == 4) asm volatile("st." #SPACE ".u32 [%0], %1;" ::"l"(a), "r"(v));      \
    if constexpr (width == 8) asm volatile("st." #SPACE ".u64 [%0], %1;" ::"l"(a), "l"(l));      \
    if constexpr (width == 16)                                                                   \
      asm volatile("st." #SPACE ".v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(a), "r"(v));                \
  }                                                                                              \
  template <Op op, int width>                                                                    \
  __device__ std::uint32_t atomic_##SPACE(std::uint64_t a, std::uint32_t v) {                    \
    static_assert(width == 4 || width == 8);                                                     \
    std::uint32_t r = 0;                                                                         \
    std::uint64_t l = v, q = 0;                                                                  \
    if constexpr (width == 4) {                                                                  \
      if constexpr (op == Op::red_add)                                                           \
        asm volatile("red." #SPACE ".add.u32 [%0], %1;" ::"l"(a), "r"(v));                       \
      if constexpr (op == Op::red_one) asm volatile("red." #SPACE ".add.u32 [%0], 1;" ::"l"(a)); \
      if constexpr (op == Op::red_max)                                                           \
        asm volatile("red." #SPACE ".max.u32 [%0], %1;" ::"l"(a), "r"(v));                       \
      if constexpr (op == Op::atom_add)                                                          \
        asm volatile("atom." #SPACE ".add.u32 %0, [%1], %2;" : "=r"(r) : "l"(a), "r"(v));        \
      if constexpr (op == Op::atom_one)                                                          \
        asm volatile("atom." #SPACE ".add.u32 %0, [%1], 1;" : "=r"(r) : "l"(a));                 \
      if constexpr (op == Op::atom_max)                                                          \
        asm volatile("atom." #SPACE ".max.u32 %0, [%1], %2;" : "=r"(r) : "l"(a), "r"(v));        \
      if constexpr (op == Op::atom_cas)                                                          \
        asm volatile("atom." #SPACE ".cas.b32 %0, [%1], %2, 7;" : "=r"(r) : "l"(a), "r"(v));     \
    } else {                                                                                     \
      if constexpr (op == Op::red_add)                                                           \
        asm volatile("red." #SPACE ".add.u64 [%0], %1;" ::"l"(a), "l"(l));                       \
      if constexpr (op == Op::red_one) asm volatile("red." #SPACE ".add.u64 [%0], 1;" ::"l"(a)); \
      if constexpr (op == Op::red_max)                                                           \
        asm volatile("red." #SPACE ".max.u64 [%0], %1;" ::"l"(a), "l"(l));                       \
      if constexpr (op == Op::atom_add)                                                          \
        asm volatile("atom." #SPACE ".add.u64 %0, [%1], %2;" : "=l"(q) : "l"(a), "l"(l));        \
      if constexpr (op == Op::atom_one)                                                          \
        asm volatile("atom." #SPACE ".add.u64 %0, [%1], 1;" : "=l"(q) : "l"(a));                 \
      if constexpr (op == Op::atom_max)                                                          \
        asm volatile("atom." #SPACE ".max.u64 %0, [%1], %2;" : "=l"(q) : "l"(a), "l"(l));        \
      if constexpr (op == Op::atom_cas)                                                          \
        asm volatile("atom." #SPACE ".cas.b64 %0, [%1], %2, 7;" : "=l"(q) : "l"(a), "l"(l));     \
    }                                                                                            \
    return r ^ static_cast<std::uint32_t>(q);                                                    \
  }
SWEEP_ACCESSES(shared)
SWEEP_ACCESSES(global)
#undef SWEEP_ACCESSES

}  // namespace detail

/// Executes exactly one memory instruction of `op` and `width` in one warp. The comparison, which
/// no value in memory passes, keeps the compiler from moving a load whose result is not used.
template <bool in_shared, Op op, int width>
__global__ void one_access(const __grid_constant__ Access access, char* global,
                           std::uint32_t* sink) {
  extern __shared__ char shared[];
  const unsigned lane = threadIdx.x;
  if ((access.mask >> lane & 1) == 0) return;
  std::uint64_t base = reinterpret_cast<std::uint64_t>(global);
  if constexpr (in_shared) base = __cvta_generic_to_shared(shared);
  const std::uint64_t a = base + access.offset[lane];
  const std::uint32_t v = lane ^ access.offset[0];
  std::uint32_t result = 0;
  if constexpr (op == Op::ld) {
    if constexpr (in_shared)
      result = detail::load_shared<width>(a);
    else
      result = detail::load_global<width>(a);
  } else if constexpr (op == Op::st) {
    if constexpr (in_shared)
      detail::store_shared<width>(a, v);
    else
      detail::store_global<width>(a, v);
  } else {
    if constexpr (in_shared)
      result = detail::atomic_shared<op, width>(a, v);
    else
      result = detail::atomic_global<op, width>(a, v);
  }
  if (result == ~access.offset[lane]) *sink = result;
}
