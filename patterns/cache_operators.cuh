// Loads and stores by a cache operator or a hint that a number chooses (PTX ISA, "Cache Operators",
// and the qualifiers of ld and st). Operator 0 moves any type, 1 to 3 move 1, 2, 4, 8 or 16 bytes,
// the hints from 4 on move 4, 8 or 16.
#pragma once

// The unsigned integer, or vector of them, that has so many bytes.
template <size_t bytes> struct WordOf;
template <> struct WordOf<1> { using type = uint8_t; };
template <> struct WordOf<2> { using type = uint16_t; };
template <> struct WordOf<4> { using type = uint32_t; };
template <> struct WordOf<8> { using type = uint2; };
template <> struct WordOf<16> { using type = uint4; };
template <class T> using Word = typename WordOf<sizeof(T)>::type;

// BEFORE can fill the register `policy`, which AFTER hands over.
#define HINTED_LOAD(NAME, BEFORE, QUALIFIER, AFTER)                                              \
  __device__ inline uint32_t NAME(const uint32_t* from) {                                        \
    uint32_t value;                                                                              \
    asm volatile("{ .reg .b64 policy; " BEFORE "ld.global" QUALIFIER ".u32 %0, [%1]" AFTER "; }" \
                 : "=r"(value) : "l"(from));                                                     \
    return value;                                                                                \
  }                                                                                              \
  __device__ inline uint2 NAME(const uint2* from) {                                              \
    uint2 value;                                                                                 \
    asm volatile("{ .reg .b64 policy; " BEFORE "ld.global" QUALIFIER                             \
                 ".v2.u32 {%0, %1}, [%2]" AFTER "; }"                                            \
                 : "=r"(value.x), "=r"(value.y) : "l"(from));                                    \
    return value;                                                                                \
  }                                                                                              \
  __device__ inline uint4 NAME(const uint4* from) {                                              \
    uint4 value;                                                                                 \
    asm volatile("{ .reg .b64 policy; " BEFORE "ld.global" QUALIFIER                             \
                 ".v4.u32 {%0, %1, %2, %3}, [%4]" AFTER "; }"                                    \
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "l"(from));      \
    return value;                                                                                \
  }
#define HINTED_STORE(NAME, BEFORE, QUALIFIER, AFTER)                                             \
  __device__ inline void NAME(uint32_t* to, uint32_t value) {                                    \
    asm volatile("{ .reg .b64 policy; " BEFORE "st.global" QUALIFIER ".u32 [%0], %1" AFTER "; }" \
                 :: "l"(to), "r"(value) : "memory");                                             \
  }                                                                                              \
  __device__ inline void NAME(uint2* to, uint2 value) {                                          \
    asm volatile("{ .reg .b64 policy; " BEFORE "st.global" QUALIFIER                             \
                 ".v2.u32 [%0], {%1, %2}" AFTER "; }"                                            \
                 :: "l"(to), "r"(value.x), "r"(value.y) : "memory");                             \
  }                                                                                              \
  __device__ inline void NAME(uint4* to, uint4 value) {                                          \
    asm volatile("{ .reg .b64 policy; " BEFORE "st.global" QUALIFIER                             \
                 ".v4.u32 [%0], {%1, %2, %3, %4}" AFTER "; }"                                    \
                 :: "l"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w) : "memory"); \
  }
#define EVICT_FIRST "createpolicy.fractional.L2::evict_first.b64 policy, 1.0; "
HINTED_LOAD(load_past_l1, "", ".L1::no_allocate", "")
HINTED_LOAD(load_evicted_first, EVICT_FIRST, ".L2::cache_hint", ", policy")
HINTED_LOAD(load_prefetching, "", ".L2::128B", "")
HINTED_LOAD(load_prefetching_twice, "", ".L2::256B", "")
HINTED_LOAD(load_constant_prefetching, "", ".nc.L1::no_allocate.L2::256B", "")
HINTED_STORE(store_past_l1, "", ".L1::no_allocate", "")
HINTED_STORE(store_evicted_first, EVICT_FIRST, ".L2::cache_hint", ", policy")
#undef HINTED_LOAD
#undef HINTED_STORE
#undef EVICT_FIRST

template <int operation, class T>
__device__ inline T load_by(const T* from) {
  static_assert(operation != 5 && operation < 7 || __CUDA_ARCH__ >= 800,
                "LOAD = 5, 7 and 8 need compute capability 8.0");
  if constexpr (operation == 0) {
    return *from;
  } else {
    const Word<T>* word = reinterpret_cast<const Word<T>*>(from);
    Word<T> value;
    if constexpr (operation == 1) value = __ldg(word);
    if constexpr (operation == 2) value = __ldcs(word);
    if constexpr (operation == 3) value = __ldcg(word);
    if constexpr (operation == 4) value = load_past_l1(word);
    if constexpr (operation == 5) value = load_evicted_first(word);
    if constexpr (operation == 6) value = load_prefetching(word);
    if constexpr (operation == 7) value = load_prefetching_twice(word);
    if constexpr (operation == 8) value = load_constant_prefetching(word);
    return __builtin_bit_cast(T, value);
  }
}

template <int operation, class T>
__device__ inline void store_by(T* to, T value) {
  static_assert(operation != 5 || __CUDA_ARCH__ >= 800, "STORE = 5 needs compute capability 8.0");
  if constexpr (operation == 0) {
    *to = value;
  } else {
    Word<T>* word = reinterpret_cast<Word<T>*>(to);
    const Word<T> bits = __builtin_bit_cast(Word<T>, value);
    if constexpr (operation == 1) __stwt(word, bits);
    if constexpr (operation == 2) __stcs(word, bits);
    if constexpr (operation == 3) __stcg(word, bits);
    if constexpr (operation == 4) store_past_l1(word, bits);
    if constexpr (operation == 5) store_evicted_first(word, bits);
  }
}
