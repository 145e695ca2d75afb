#include "engine/jit/prelude.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweep {
namespace {

constexpr const char* always = R"(
using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = long long;
using uint64_t = unsigned long long;
using uint = unsigned int;

template <class T, class Scalar>
__device__ constexpr T splat(Scalar value) {
  if constexpr (requires(T t) { t.x; }) {
    T result{};
    using Lane = decltype(result.x);
    result.x = Lane(value);
    if constexpr (requires(T t) { t.y; }) result.y = Lane(value);
    if constexpr (requires(T t) { t.z; }) result.z = Lane(value);
    if constexpr (requires(T t) { t.w; }) result.w = Lane(value);
    return result;
  } else {
    return T(value);
  }
}

struct sweep_shown {
  int kind;  // 0 unknown, 1 signed, 2 unsigned, 3 floating, 4 boolean
  int lanes;
  unsigned long long bits[4];
};

struct sweep_failure {
  unsigned long long count;
  unsigned long long first;
  sweep_shown actual;
  sweep_shown expected;
};

__device__ inline int sweep_show_lane(bool v, unsigned long long& bits) { bits = v; return 4; }
__device__ inline int sweep_show_lane(double v, unsigned long long& bits) {
  bits = __double_as_longlong(v);
  return 3;
}
template <class V>
__device__ int sweep_show_lane(const V& v, unsigned long long& bits) {
  if constexpr (requires { v % V(1); }) {
    bits = static_cast<unsigned long long>(static_cast<long long>(v));
    return V(-1) < V(0) ? 1 : 2;
  } else if constexpr (requires { static_cast<float>(v); }) {
    return sweep_show_lane(static_cast<double>(static_cast<float>(v)), bits);
  } else {
    return 0;
  }
}

template <class V>
__device__ void sweep_show(const V& v, sweep_shown& shown) {
  shown.lanes = 1;
  if constexpr (requires { v.x; }) {
    shown.kind = sweep_show_lane(v.x, shown.bits[0]);
    if constexpr (requires { v.y; }) { shown.lanes = 2; sweep_show_lane(v.y, shown.bits[1]); }
    if constexpr (requires { v.z; }) { shown.lanes = 3; sweep_show_lane(v.z, shown.bits[2]); }
    if constexpr (requires { v.w; }) { shown.lanes = 4; sweep_show_lane(v.w, shown.bits[3]); }
  } else {
    shown.kind = sweep_show_lane(v, shown.bits[0]);
  }
}
)";

std::string vector_operators(ElementType type) {
  constexpr std::string_view components = "xyzw";
  const std::string& name = type.cuda();
  const auto each = [&](std::string_view form, std::string_view separator) {
    std::string result;
    for (unsigned lane = 0; lane < type.lanes(); ++lane) {
      if (lane > 0) result += separator;
      result += fmt::format(fmt::runtime(form), components[lane]);
    }
    return result;
  };
  std::string text = fmt::format(
      "__device__ inline bool operator==({0} a, {0} b) {{ return {1}; }}\n"
      "__device__ inline bool operator!=({0} a, {0} b) {{ return !(a == b); }}\n",
      name, each("a.{0} == b.{0}", " && "));
  for (const char op : {'+', '-', '*'}) {
    const std::string form = fmt::format("a.{{0}} {}= b.{{0}};", op);
    text += fmt::format(
        "__device__ inline {0}& operator{1}=({0}& a, {0} b) {{ {2} return a; }}\n"
        "__device__ inline {0} operator{1}({0} a, {0} b) {{ a {1}= b; return a; }}\n",
        name, op, each(form, " "));
  }
  return text;
}

}  // namespace

const std::vector<Header>& provided_headers() {
  static const std::vector<Header> headers = {
      {"cstdint", ""}, {"stdint.h", ""}, {"cstddef", ""}, {"stddef.h", ""}};
  return headers;
}

std::string prelude(std::span<const ElementType> types) {
  std::vector<ElementType> used(types.begin(), types.end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::string text;
  const auto needs = [&](ElementHeader header) {
    return std::ranges::find(used, header, &ElementType::header) != used.end();
  };
  if (needs(ElementHeader::fp16)) text += "#include <cuda_fp16.h>\n";
  if (needs(ElementHeader::bf16)) {
    text +=
        "#include <cuda_bf16.h>\nusing bfloat16 = __nv_bfloat16;\n"
        "using bfloat162 = __nv_bfloat162;\n";
  }
  text += always;
  for (const ElementType type : used) {
    // The half headers bring operators of their own.
    const bool is_vector = std::isdigit(static_cast<unsigned char>(type.name().back())) != 0;
    if (is_vector && type.header() == ElementHeader::none) text += vector_operators(type);
  }
  return text;
}

}  // namespace sweep
