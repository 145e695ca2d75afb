// Pieces of 8 x 8 elements of 16 bits between registers and shared memory (PTX ISA, "ldmatrix" and
// "stmatrix"). Lane 8 k + r names the place of row r of piece k.
#pragma once

#if __CUDA_ARCH__ < 750
#error "ldmatrix needs compute capability 7.5 or newer"
#endif

template <bool transposed, int count>
__device__ inline void load_pieces(uint32_t* to, const void* row) {
  const auto from = uint32_t(__cvta_generic_to_shared(row));
#define LOAD_PIECES(shape, list, ...)                                                          \
  if constexpr (transposed) {                                                                  \
    asm volatile("ldmatrix.sync.aligned.m8n8." shape ".trans.shared.b16 " list : __VA_ARGS__   \
                 : "r"(from) : "memory");                                                      \
  } else {                                                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8." shape ".shared.b16 " list : __VA_ARGS__         \
                 : "r"(from) : "memory");                                                      \
  }
  if constexpr (count == 1) LOAD_PIECES("x1", "{%0}, [%1];", "=r"(to[0]))
  if constexpr (count == 2) LOAD_PIECES("x2", "{%0, %1}, [%2];", "=r"(to[0]), "=r"(to[1]))
  if constexpr (count == 4) {
    LOAD_PIECES("x4", "{%0, %1, %2, %3}, [%4];", "=r"(to[0]), "=r"(to[1]), "=r"(to[2]),
                "=r"(to[3]))
  }
#undef LOAD_PIECES
}

template <bool transposed, int count>
__device__ inline void store_pieces(void* row, const uint32_t* from) {
  const auto to = uint32_t(__cvta_generic_to_shared(row));
#define STORE_PIECES(shape, list, ...)                                                         \
  if constexpr (transposed) {                                                                  \
    asm volatile("stmatrix.sync.aligned.m8n8." shape ".trans.shared.b16 [%0], " list ::"r"(to), \
                 __VA_ARGS__ : "memory");                                                      \
  } else {                                                                                     \
    asm volatile("stmatrix.sync.aligned.m8n8." shape ".shared.b16 [%0], " list ::"r"(to),      \
                 __VA_ARGS__ : "memory");                                                      \
  }
  if constexpr (count == 1) STORE_PIECES("x1", "{%1};", "r"(from[0]))
  if constexpr (count == 2) STORE_PIECES("x2", "{%1, %2};", "r"(from[0]), "r"(from[1]))
  if constexpr (count == 4) {
    STORE_PIECES("x4", "{%1, %2, %3, %4};", "r"(from[0]), "r"(from[1]), "r"(from[2]), "r"(from[3]))
  }
#undef STORE_PIECES
}

// Between global and shared memory, or by cp.async to shared memory.
template <bool asynchronously>
__device__ inline void copy_16_bytes(void* to, const void* from) {
  if constexpr (asynchronously) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     uint32_t(__cvta_generic_to_shared(to))), "l"(from) : "memory");
  } else {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  }
}
