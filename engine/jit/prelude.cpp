#include "engine/jit/prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/spec/cuda_slice.h"

namespace sweep {
namespace {

/// What the C library's headers declare, and <cuda.h>: what makes the parameters' places goes by
/// the alignment that this gives a tensor map.
constexpr std::string_view in_host_headers = R"(
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
using intptr_t = long long;
using uintptr_t = unsigned long long;

#if __CUDACC_VER_MAJOR__ >= 13
struct alignas(128) CUtensorMap_st { unsigned long long opaque[16]; };
#else
struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; };
#endif
typedef struct CUtensorMap_st CUtensorMap;
)";

constexpr std::string_view for_kernels = R"(
namespace std {}
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;

template <class T, class Scalar>
__device__ constexpr T splat(Scalar value) {
  if constexpr (requires(T t) { t.x; }) {
    T result{};
    using Component = decltype(result.x);
    result.x = Component(value);
    if constexpr (requires(T t) { t.y; }) result.y = Component(value);
    if constexpr (requires(T t) { t.z; }) result.z = Component(value);
    if constexpr (requires(T t) { t.w; }) result.w = Component(value);
    return result;
  } else {
    return T(value);
  }
}

// CUDA 13 has vectors of 32 bytes that say their alignment; an editor may have no headers of it.
#if __CUDACC_VER_MAJOR__ < 13 || defined(SWEEP_DEFINES_ALIGNED_VECTORS)
#define SWEEP_VECTOR(vector, component, bytes)                               \
  struct alignas(bytes) vector { component x, y, z, w; };                    \
  __device__ constexpr vector make_##vector(component x, component y,        \
                                            component z, component w) {      \
    return {x, y, z, w};                                                     \
  }
SWEEP_VECTOR(longlong4_16a, long long, 16)
SWEEP_VECTOR(longlong4_32a, long long, 32)
SWEEP_VECTOR(ulonglong4_16a, unsigned long long, 16)
SWEEP_VECTOR(ulonglong4_32a, unsigned long long, 32)
SWEEP_VECTOR(double4_16a, double, 16)
SWEEP_VECTOR(double4_32a, double, 32)
#undef SWEEP_VECTOR
#endif

using sweep_size = size_t;
using sweep_u64 = unsigned long long;

__device__ inline sweep_size sweep_thread() {
  return sweep_size(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline sweep_size sweep_threads() { return sweep_size(gridDim.x) * blockDim.x; }

// An integer as a half: between a half's own assignments C++ cannot choose.
template <class T>
__device__ constexpr T sweep_value(T value) { return value; }

// What has a type's size in its name.
template <sweep_u64 bytes>
struct sweep_bytes {};
template <sweep_u64 bytes>
__global__ void sweep_size_of() {}

struct sweep_shown {
  int kind;  // 0 unknown, 1 signed, 2 unsigned, 3 floating, 4 boolean
  int components;
  sweep_u64 bits[4];
};

struct sweep_failure {
  sweep_u64 count;
  sweep_u64 first;
  sweep_u64 worst;
  sweep_shown actual;
  sweep_shown expected;
  double difference;
  double allowed;
  sweep_u64 ulps;
};

__device__ inline int sweep_show_one(bool v, sweep_u64& bits) { bits = v; return 4; }
__device__ inline int sweep_show_one(double v, sweep_u64& bits) {
  bits = __double_as_longlong(v);
  return 3;
}
template <class V>
__device__ int sweep_show_one(const V& v, sweep_u64& bits) {
  if constexpr (requires { v % V(1); }) {
    bits = static_cast<sweep_u64>(static_cast<long long>(v));
    return V(-1) < V(0) ? 1 : 2;
  } else if constexpr (requires { static_cast<float>(v); }) {
    return sweep_show_one(static_cast<double>(static_cast<float>(v)), bits);
  } else {
    return 0;
  }
}

template <class V>
__device__ void sweep_show(const V& v, sweep_shown& shown) {
  shown.components = 1;
  if constexpr (requires { v.x; }) {
    shown.kind = sweep_show_one(v.x, shown.bits[0]);
    if constexpr (requires { v.y; }) { shown.components = 2; sweep_show_one(v.y, shown.bits[1]); }
    if constexpr (requires { v.z; }) { shown.components = 3; sweep_show_one(v.z, shown.bits[2]); }
    if constexpr (requires { v.w; }) { shown.components = 4; sweep_show_one(v.w, shown.bits[3]); }
  } else {
    shown.kind = sweep_show_one(v, shown.bits[0]);
  }
}

template <class Actual, class Expected>
__device__ void sweep_show_both(sweep_failure* failure, const Actual& actual,
                                const Expected& expected) {
  sweep_show(actual, failure->actual);
  sweep_show(expected, failure->expected);
}

__device__ inline void sweep_fail(sweep_failure* failure, sweep_u64 i) {
  ::atomicAdd(&failure->count, 1ull);
  // Most elements fail behind the first one, which need not wait for each other.
  if (i < *const_cast<volatile sweep_u64*>(&failure->first)) ::atomicMin(&failure->first, i);
}

template <class T>
inline constexpr bool sweep_is_vector = false;

template <class T> requires sweep_is_vector<T>
__device__ constexpr bool operator==(T a, T b) {
  bool same = a.x == b.x;
  if constexpr (requires { a.y; }) same = same && a.y == b.y;
  if constexpr (requires { a.z; }) same = same && a.z == b.z;
  if constexpr (requires { a.w; }) same = same && a.w == b.w;
  return same;
}
)";

/// `a op= b` and `a op b`. Templates, so that a pattern's own operator for a vector type goes
/// first.
std::string vector_operators(char op) {
  return fmt::format(R"(
template <class T> requires sweep_is_vector<T>
__device__ constexpr T& operator{0}=(T& a, T b) {{
  a.x {0}= b.x;
  if constexpr (requires {{ a.y; }}) a.y {0}= b.y;
  if constexpr (requires {{ a.z; }}) a.z {0}= b.z;
  if constexpr (requires {{ a.w; }}) a.w {0}= b.w;
  return a;
}}
template <class T> requires sweep_is_vector<T>
__device__ constexpr T operator{0}(T a, T b) {{
  a {0}= b;
  return a;
}}
)",
                     op);
}

std::string vector_arithmetic(const std::set<ElementType>& types) {
  std::string text;
  for (const char op : {'+', '-', '*'}) text += vector_operators(op);
  for (const ElementType type : types) {
    // The half headers bring operators of their own.
    if (!type.is_vector() || type.header() != nullptr) continue;
    text += fmt::format("template <>\ninline constexpr bool sweep_is_vector<{}> = true;\n",
                        type.cuda());
  }
  return text;
}

}  // namespace

std::string element_type_headers(const std::set<ElementType>& types) {
  std::string text;
  for (const ElementHeader& header : element_headers()) {
    if (std::ranges::find(types, &header, &ElementType::header) == types.end()) continue;
    text.append(header.include).append(header.names);
  }
  return text;
}

std::string prelude(const std::set<ElementType>& types) {
  return element_type_headers(types).append(in_host_headers).append(for_kernels) +
         vector_arithmetic(types);
}

namespace {

// splitmix64 is Steele, Lea and Flood's, "Fast Splittable Pseudorandom Number Generators", 2014,
// with the constants of Vigna's reference implementation.
//
// The permutation is a Feistel network over the bits that n - 1 takes, of six rounds: each changes
// one half of the number by a mix of the other, so that all can be undone whatever the mix is. What
// lands beyond n goes through again until it does not, twice on average at the most. With halves of
// one or two bits the rounds alone prefer some places: turning the result by a random amount makes
// each place equally likely. 32-bit mixes are enough for halves of at most 32 bits, and cheap.
constexpr std::string_view functions = R"(
__device__ constexpr uint64_t random_bits(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

__device__ inline uint64_t random_below(uint64_t n, uint64_t seed, uint64_t i) {
  return __umul64hi(random_bits(seed, i), n);
}

__device__ constexpr uint32_t sweep_mix(uint32_t half, uint32_t key) {
  uint32_t x = half * 0x9e3779b1u + key;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

__device__ inline uint64_t permuted(uint64_t i, uint64_t n, uint64_t seed) {
  if (i >= n || n < 2) return i;
  const int bits = 64 - __clzll(static_cast<long long>(n - 1));
  const int low_bits = (bits + 1) / 2;
  const uint32_t low_mask = static_cast<uint32_t>((1ull << low_bits) - 1);
  const uint32_t high_mask = static_cast<uint32_t>((1ull << (bits - low_bits)) - 1);
  uint64_t place = i;
  do {
    uint32_t low = static_cast<uint32_t>(place) & low_mask;
    uint32_t high = static_cast<uint32_t>(place >> low_bits);
#pragma unroll
    for (int pair = 0; pair < 3; ++pair) {
      const uint64_t keys = random_bits(seed, pair);
      high ^= sweep_mix(low, static_cast<uint32_t>(keys)) & high_mask;
      low ^= sweep_mix(high, static_cast<uint32_t>(keys >> 32)) & low_mask;
    }
    place = static_cast<uint64_t>(high) << low_bits | low;
  } while (place >= n);
  const uint64_t turn = random_below(n, seed, 3);
  return place < n - turn ? place + turn : place - (n - turn);
}
)";

// A parameter lies behind the one before it, at the next multiple of its alignment. Names are such
// that no macro of a user's has them.
//
// C++ tells `long` from `long long`, and `char` from `signed char`, which buffers' types do not: a
// pointer to one of them is given for a pointer to another. What has one byte may be a bool, too.
constexpr std::string_view packing = R"(
template <class...>
struct sweep_parameters {
  static constexpr int sweep_count = 0;
};
template <class First, class... Rest>
struct sweep_parameters<First, Rest...> {
  static constexpr int sweep_count = 1 + sizeof...(Rest);
  using sweep_first = First;
  using sweep_rest = sweep_parameters<Rest...>;
};
template <class... P>
sweep_parameters<P...> sweep_parameters_of(void (*)(P...));
template <class List, int index>
struct sweep_parameter : sweep_parameter<typename List::sweep_rest, index - 1> {};
template <class List>
struct sweep_parameter<List, 0> {
  using sweep_type = typename List::sweep_first;
};

template <class P>
struct sweep_given {
  __device__ static P sweep_to(P value) { return value; }
};
template <class P>
  requires requires { P(1) % P(1); }
struct sweep_given<P*> {
  __device__ static P* sweep_to(P* value) { return value; }
  template <class Q>
    requires(sizeof(Q) == sizeof(P) && (sizeof(P) == 1 || (Q(-1) < Q(0)) == (P(-1) < P(0))) &&
             requires(Q* q) { Q(1) % Q(1); reinterpret_cast<P*>(q); })
  __device__ static P* sweep_to(Q* value) { return reinterpret_cast<P*>(value); }
};
template <class P>
struct sweep_given<P&> : sweep_given<P> {};  // an array's element

// A kernel takes a tensor map by value, as a type of its own of that size, or by address.
struct sweep_tensor_map {
  sweep_u64 address;
  template <class T>
  __device__ operator T() const {
    if constexpr (requires(T t) { *t; }) {
      return reinterpret_cast<T>(address);
    } else {
      static_assert(sizeof(T) == sizeof(CUtensorMap), "the kernel takes no tensor map here");
      return *reinterpret_cast<const T*>(address);
    }
  }
};

// Beside the parameter its place is noted (PackedParameters).
template <class P>
__device__ sweep_u64 sweep_pack(unsigned char* to, sweep_u64 at, unsigned number, const P& value) {
  at = (at + alignof(P) - 1) / alignof(P) * alignof(P);
  unsigned* const count = reinterpret_cast<unsigned*>(to + sizeof(sweep_u64) + 32768);
  *count = number + 1;
  if (number < 255) count[1 + number] = unsigned(at);
  for (sweep_u64 i = 0; i < sizeof(P); ++i) {
    to[sizeof(sweep_u64) + at + i] = reinterpret_cast<const unsigned char*>(&value)[i];
  }
  return at + sizeof(P);
}
)";

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> functions_of_expressions = {
    {{"ceil_div", R"(
template <class A, class B>
__device__ constexpr auto ceil_div(A a, B b) { return a / b + (a % b > 0); }
)"},
     {"is_pow2", R"(
template <class A>
__device__ constexpr bool is_pow2(A a) { return a > 0 && (a & (a - 1)) == 0; }
)"}}};

}  // namespace

std::string expression_functions(const Pattern& pattern) {
  std::string text;
  const std::vector<CudaExpression> expressions = expressions_of(pattern);
  for (const auto& row : functions_of_expressions) {
    const auto has_name = [&](std::string_view cuda) { return words_in(cuda).contains(row.first); };
    const bool is_own = has_name(pattern.body) || has_name(pattern.included_text);
    if (!is_own && std::ranges::any_of(expressions, has_name, &CudaExpression::text)) {
      text += row.second;
    }
  }
  return text;
}

std::string_view random_functions() {
  return functions;
}

std::string editor_prelude() {
  std::set<ElementType> types;
  for (const std::string& name : ElementType::names()) types.insert(*ElementType::find(name));
  return std::string(for_kernels).append(vector_arithmetic(types)).append(functions);
}

std::string_view packing_functions() {
  return packing;
}

std::string_view element_types_of_arrays() {
  return "template <class T> struct sweep_element { using type = T; };\n"
         "template <class T> struct sweep_element<const T> {\n"
         "  static_assert(sizeof(T) == 0, \"the variable is const: the compiler has its "
         "values\");\n"
         "};\n"
         "template <class T, sweep_size n> struct sweep_element<T[n]> : sweep_element<T> {};\n"
         "template <class T, sweep_size n> struct sweep_element<const T[n]> : "
         "sweep_element<const T> {};\n";
}

bool names_random_function(const Pattern& pattern) {
  std::vector<std::string_view> texts = {pattern.body, pattern.included_text};
  const std::vector<CudaExpression> expressions = expressions_of(pattern);
  for (const CudaExpression& each : expressions) texts.push_back(each.text);
  return std::ranges::any_of(texts, [](std::string_view text) {
    return std::ranges::any_of(random_function_names, [&](std::string_view name) {
      return text.find(name) != std::string_view::npos;
    });
  });
}

}  // namespace sweep
