#include "engine/jit/prelude.h"

namespace sweep {
namespace {

constexpr const char* integer_limits = R"(
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-9223372036854775807L - 1)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
)";

// The macros as CUDA's <cuda/std/cstdint> has them, so that both can be read.
constexpr const char* integer_widths = R"(
#include <limits.h>
#define INT8_MIN SCHAR_MIN
#define INT16_MIN SHRT_MIN
#define INT32_MIN INT_MIN
#define INT64_MIN LLONG_MIN
#define INT8_MAX SCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT32_MAX INT_MAX
#define INT64_MAX LLONG_MAX
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define INTPTR_MIN INT64_MIN
#define INTPTR_MAX INT64_MAX
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MIN INT64_MIN
#define INTMAX_MAX INT64_MAX
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define PTRDIFF_MAX INT64_MAX
#define SIZE_MAX UINT64_MAX
#define INT8_C(X) ((::int_least8_t)(X))
#define INT16_C(X) ((::int_least16_t)(X))
#define INT32_C(X) ((::int_least32_t)(X))
#define INT64_C(X) ((::int_least64_t)(X))
#define UINT8_C(X) ((::uint_least8_t)(X))
#define UINT16_C(X) ((::uint_least16_t)(X))
#define UINT32_C(X) ((::uint_least32_t)(X))
#define UINT64_C(X) ((::uint_least64_t)(X))
#define INTMAX_C(X) ((::intmax_t)(X))
#define UINTMAX_C(X) ((::uintmax_t)(X))
using int_least8_t = signed char;
using int_least16_t = signed short;
using int_least32_t = signed int;
using int_least64_t = signed long long;
using uint_least8_t = unsigned char;
using uint_least16_t = unsigned short;
using uint_least32_t = unsigned int;
using uint_least64_t = unsigned long long;
using int_fast8_t = signed char;
using int_fast16_t = signed short;
using int_fast32_t = signed int;
using int_fast64_t = signed long long;
using uint_fast8_t = unsigned char;
using uint_fast16_t = unsigned short;
using uint_fast32_t = unsigned int;
using uint_fast64_t = unsigned long long;
using intmax_t = signed long long;
using uintmax_t = unsigned long long;
)";

// Of the host's compiler and C library, <cuda.h> and <cufft.h>, what kernels name; and namespaces,
// which files may use without a word of what is in them.
constexpr const char* nvcc = R"(
#define __NVCC__ 1
#define __linux__ 1
#define __unix__ 1
#define __const__ const
#ifndef CUDA_VERSION
#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)
#endif
#define CLOCKS_PER_SEC 1000000L
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
using ssize_t = long;
using u_char = unsigned char;
using u_short = unsigned short;
using u_int = unsigned int;
using u_long = unsigned long;
using u_int8_t = unsigned char;
using u_int16_t = unsigned short;
using u_int32_t = unsigned int;
using u_int64_t = unsigned long;
using CUdeviceptr = unsigned long long;
using CUtexObject = unsigned long long;
using CUsurfObject = unsigned long long;
using cufftReal = float;
using cufftDoubleReal = double;
using cufftComplex = float2;
using cufftDoubleComplex = double2;
namespace cooperative_groups {}
namespace cub {}
namespace cuda {}
namespace nvcuda {
namespace wmma {}
}
namespace thrust {}
)";

constexpr const char* floating_limits = R"(
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN 1.17549435e-38F
#define FLT_MAX 3.40282347e+38F
#define FLT_EPSILON 1.19209290e-7F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#define DBL_EPSILON 2.2204460492503131e-16
)";

constexpr const char* floating_specials = R"(
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#define HUGE_VALF INFINITY
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LOG10E 0.434294481903251827651
#define M_LN2 0.693147180559945309417
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.785398163397448309616
#define M_1_PI 0.318309886183790671538
#define M_2_PI 0.636619772367581343076
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.707106781186547524401
)";

}  // namespace

const std::vector<Header>& provided_headers() {
  static const std::vector<Header> headers = {{"sweep/nvcc", nvcc},
                                              {"cstdint", integer_widths},
                                              {"stdint.h", integer_widths},
                                              {"cstddef", ""},
                                              {"stddef.h", ""},
                                              {"cstdio", ""},
                                              {"stdio.h", ""},
                                              {"cassert", ""},
                                              {"assert.h", ""},
                                              {"climits", integer_limits},
                                              {"limits.h", integer_limits},
                                              {"cfloat", floating_limits},
                                              {"float.h", floating_limits},
                                              {"cmath", floating_specials},
                                              {"math.h", floating_specials}};
  return headers;
}

}  // namespace sweep
