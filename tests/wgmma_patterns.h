#pragma once

#include <fmt/format.h>

#include <ostream>
#include <string>

// Patterns that multiply matrices by wgmma, and verify each sum against one that is made the plain
// way, bit for bit as tensor cores round: for the emulator and for GPUs, which so give the same.

namespace sweep {

/// Matrices of 64 by K and K by `columns`, where K is two of the instruction's. A sparse a has half
/// of K's elements.
struct WgmmaCase {
  const char* element;  ///< of a
  const char* other;    ///< of b
  const char* sum;
  int columns;
  int swizzle = 16;  ///< 16: none
  bool is_a_in_registers = false;
  bool is_a_across = false;  ///< 8 rows' elements at one place along k lie side by side
  bool is_b_across = false;
  bool is_negated = false;
  bool is_sparse = false;

  friend std::ostream& operator<<(std::ostream& out, const WgmmaCase& row) {
    return out << row.sum << '.' << row.element << '.' << row.other << " n" << row.columns
               << " swizzle " << row.swizzle << (row.is_a_in_registers ? ", a in registers" : "")
               << (row.is_a_across ? ", a across" : "") << (row.is_b_across ? ", b across" : "")
               << (row.is_negated ? ", negated" : "") << (row.is_sparse ? ", sparse" : "");
  }
};

inline const WgmmaCase wgmma_cases[] = {
    {"f16", "f16", "f32", 8},
    {"f16", "f16", "f32", 64, 32},
    {"f16", "f16", "f32", 40, 64},
    {"f16", "f16", "f32", 256, 128},
    {"f16", "f16", "f16", 96, 128},
    {"f16", "f16", "f32", 64, 16, false, true, true},
    {"f16", "f16", "f32", 64, 32, false, true, false},
    {"f16", "f16", "f32", 96, 64, false, false, true},
    {"f16", "f16", "f32", 128, 128, false, true, true, true},
    {"f16", "f16", "f16", 24, 16, true},
    {"bf16", "bf16", "f32", 32, 128, true, false, true},
    {"bf16", "bf16", "f32", 200, 64, false, true, false},
    {"tf32", "tf32", "f32", 16, 16, true},
    {"tf32", "tf32", "f32", 48, 64, false, false, false, true},
    {"tf32", "tf32", "f32", 8, 32},
    {"e4m3", "e4m3", "f32", 32, 128},
    {"e4m3", "e5m2", "f32", 16, 16, true},
    {"e5m2", "e4m3", "f16", 24, 32},
    {"e5m2", "e5m2", "f32", 136, 64},
    {"s8", "s8", "s32", 32, 128},
    {"s8", "u8", "s32", 24, 16, true},
    {"u8", "s8", "s32", 16, 32},
    {"u8", "u8", "s32", 64, 64},
    {"b1", "b1", "s32", 16, 32},
    {"f16", "f16", "f32", 8, 16, false, false, false, false, true},
    {"f16", "f16", "f32", 256, 128, false, true, true, true, true},
    {"f16", "f16", "f16", 96, 64, true, false, false, false, true},
    {"bf16", "bf16", "f32", 64, 64, false, true, true, false, true},
    {"bf16", "bf16", "f32", 40, 16, true, false, true, false, true},
    {"tf32", "tf32", "f32", 16, 16, true, false, false, true, true},
    {"tf32", "tf32", "f32", 48, 64, false, false, false, false, true},
    {"e4m3", "e4m3", "f32", 32, 128, false, false, false, false, true},
    {"e5m2", "e4m3", "f16", 24, 64, true, false, false, false, true},
    {"s8", "u8", "s32", 32, 128, false, false, false, false, true},
    {"u8", "u8", "s32", 256, 64, true, false, false, false, true},
};

namespace wgmma_text {

/// Elements of 8 bits leave no choice.
inline int selector_of(const WgmmaCase& row) {
  const bool is_wide = std::string(row.element).ends_with("16") || row.element[0] == 't';
  return is_wide ? row.columns / 8 % 2 : 0;
}

inline std::string instruction(const WgmmaCase& row) {
  const std::string element = row.element;
  const bool is_half = std::string(row.sum) == "f16";
  const bool is_16 = element == "f16" || element == "bf16";
  const bool is_integer = std::string(row.sum) == "s32";
  const int bits = element == "tf32" ? 32 : is_16 ? 16 : element == "b1" ? 1 : 8;
  const int sums = row.columns / (is_half ? 4 : 2);
  const char sum = is_half || is_integer ? 'r' : 'f';
  std::string text = fmt::format(
      "asm volatile(\"{{ .reg .pred p; setp.ne.b32 p, %{}, 0; "
      "wgmma.mma_async{}.sync.aligned.m64n{}k{}.{}.{}.{}{} {{",
      sums, row.is_sparse ? ".sp" : "", row.columns, (row.is_sparse ? 512 : 256) / bits, row.sum,
      row.element, row.other, bits == 1 ? ".and.popc" : "");
  for (int i = 0; i < sums; ++i) text += fmt::format("{}%{}", i > 0 ? ", " : "", i);
  text += "}, ";
  int next = sums + 1;
  if (row.is_a_in_registers) {
    text += fmt::format("{{%{}, %{}, %{}, %{}}}", next, next + 1, next + 2, next + 3);
    next += 4;
  } else {
    text += fmt::format("%{}", next++);
  }
  text += fmt::format(", %{}", next);
  if (row.is_sparse) text += fmt::format(", %{}, {}", next + 1, selector_of(row));
  text += ", p";
  if (!is_integer) text += row.is_negated ? ", -1, 1" : ", 1, 1";
  if (is_16 && !row.is_a_in_registers) text += row.is_a_across ? ", 1" : ", 0";
  if (is_16) text += row.is_b_across ? ", 1" : ", 0";
  text += "; }\"\n      : ";
  for (int i = 0; i < sums; ++i) text += fmt::format("{}\"+{}\"(d[{}])", i > 0 ? ", " : "", sum, i);
  text += "\n      : \"r\"(step != 0 ? 1 : 0), ";
  text += row.is_a_in_registers ? "\"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3])"
                                : "\"l\"(descriptor_a + step * step_a)";
  text += ", \"l\"(descriptor_b + step * step_b)";
  if (row.is_sparse) text += ", \"r\"(metadata_of(row, step, lane % 4))";
  return text + " : \"memory\");";
}

inline constexpr const char* body = R"cuda(
constexpr int K = 2 * KI, sums = COLUMNS / (IS_HALF ? 4 : 2);
// Of b a line has twice the elements where a is sparse.
constexpr int per_step = SPARSE ? 2 * KI : KI, line_b = SPARSE ? 128 : 64;

// The indices of two elements of four that a sparse row has: of 32 bits 0 and 1, or 2 and 3.
__device__ inline unsigned indices(int row, int step, int chunk) {
  const unsigned h = ((row * 2 + step) * 16 + chunk + 1) * 2654435761u >> 8;
  if (BITS == 32) return h % 2 == 0 ? 0b0100 : 0b1110;
  const unsigned first = h % 3, second = first + 1 + (h >> 4) % (3 - first);
  return first | second << 2;
}
// Where among an instruction's elements of b the one lies that element k of a is multiplied with.
__device__ inline int partner(int row, int step, int k) {
  if (!SPARSE) return k;
  if (BITS == 32) return 2 * k + int(indices(row, step, k) >> 1 & 1);
  return k / 2 * 4 + int(indices(row, step, k / 2) >> k % 2 * 2 & 3);
}
// The metadata that lane `lane` of four has, for row `row` and the one 8 below.
__device__ inline unsigned metadata_of(int row, int step, int lane) {
  unsigned all = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    const bool is_wide = BITS >= 16;
    const int below = is_wide ? i / 4 : lane % 2;
    const int chunk = is_wide ? (lane - 2 * SELECTOR) % 2 * 4 + i % 4 : lane / 2 * 8 + i;
    all |= indices(row + 8 * below, step, chunk) << 4 * i;
  }
  return BITS >= 16 && lane / 2 != SELECTOR ? 0 : all;
}

// A number's sign, whole significand and the exponent of its last bit; 0 has the least exponent.
struct Number { long long significand; int exponent, last; };
template <int M, int E>
__device__ inline Number decoded(unsigned code) {
  const unsigned e = code >> M & ((1u << E) - 1);
  const long long m = code & ((1u << M) - 1);
  const int exponent = int(e == 0 ? 1 : e) - ((1 << (E - 1)) - 1);
  const long long size = e == 0 ? m : m | 1ll << M;
  return {code >> (M + E) & 1 ? -size : size, exponent, exponent - M};
}

// Numbers of all sizes: now and then 0 or subnormal, mostly not far from 1.
template <int M, int E>
__device__ inline unsigned code_of(unsigned i) {
  unsigned h = (i + 1) * 2654435761u;
  h = (h ^ h >> 15) * 2246822519u;
  h ^= h >> 13;
  const int middle = (1 << (E - 1)) - 1, spread = middle < 2 ? 0 : middle < 5 ? middle - 1 : 5;
  const unsigned e = h % 16 == 0 ? 0 : middle - spread + (h >> 4) % (2 * spread + 1);
  const unsigned m = h % 64 == 0 ? 0 : (h >> 9) & ((1u << M) - 1);
  return (h >> 31) << (M + E) | e << M | m;
}
__device__ inline unsigned whole_code(unsigned i) { return (i + 3) * 2654435761u >> 3 & MASK; }
__device__ inline unsigned code_a(unsigned i) { return IS_INTEGER ? whole_code(i) : code_of<MA, EA>(i); }
__device__ inline unsigned code_b(unsigned i) { return IS_INTEGER ? whole_code(i + 777) : code_of<MB, EB>(i + 777); }

// What the products of one instruction add to c.
__device__ inline double added(double c, const unsigned* a, const unsigned* b, int kept) {
  int largest = -100000;
  if (c != 0) largest = ilogb(c);
#pragma unroll 1
  for (int k = 0; k < KI; ++k) {
    const Number x = decoded<MA, EA>(a[k]), y = decoded<MB, EB>(b[k]);
    if (x.significand * y.significand != 0) largest = max(largest, x.exponent + y.exponent);
  }
  if (largest == -100000) return 0;
  double total = trunc(ldexp(c, kept - largest));
#pragma unroll 1
  for (int k = 0; k < KI; ++k) {
    const Number x = decoded<MA, EA>(a[k]), y = decoded<MB, EB>(b[k]);
    const double product = SIGN * double(x.significand * y.significand);
    total += trunc(ldexp(product, x.last + y.last + kept - largest));
  }
  return ldexp(total, largest - kept);
}

__device__ inline RESULT expected(const CODE* a, const CODE* b, int i) {
  const int row = i / COLUMNS, column = i % COLUMNS;
  unsigned x[KI > 64 ? 1 : KI], y[KI > 64 ? 1 : KI];
  double sum = 0;
  long long whole = 0;
#pragma unroll 1
  for (int step = 0; step < 2; ++step) {
    if (IS_INTEGER) {
#pragma unroll 1
      for (int k = step * WORDS; k < (step + 1) * WORDS; ++k) {
        const int of_b = SPARSE ? step * per_step + partner(row, step, k - step * WORDS) : k;
        const unsigned p = a[row * 2 * WORDS + k], q = b[column * (SPARSE ? 4 : 2) * WORDS + of_b];
        whole += BITS == 1 ? __popc(p & q)
                           : (A_SIGNED ? int((signed char)p) : int(p)) * (B_SIGNED ? int((signed char)q) : int(q));
      }
      continue;
    }
#pragma unroll 1
    for (int k = 0; k < KI; ++k) {
      x[k] = a[row * K + step * KI + k] >> DROPPED;
      y[k] = b[column * 2 * per_step + step * per_step + partner(row, step, k)] >> DROPPED;
    }
    sum = added(sum, x, y, BITS == 8 ? 13 : 25);
    if (IS_HALF) {
      sum = __half2float(__double2half(sum));
    } else if (sum != 0) {
      const int kept = (BITS == 8 ? 13 : 23) - ilogb(sum);
      sum = ldexp(trunc(ldexp(sum, kept)), -kept);
    }
  }
  return IS_INTEGER ? RESULT(whole) : RESULT(sum);
}

// Where byte `along` of a line lies, or with `is_across` the element of the line that is so far
// along k, of `depth` that the line has, in canonical layouts whose start is a multiple of 1024.
__device__ inline int place(int lines, int depth, bool is_across, int line, int along) {
  int at;
  if (is_across) {
    const int in_row = SWIZZLE / 2;
    at = line / in_row * (depth * SWIZZLE) + along / 8 * 8 * SWIZZLE + along % 8 * SWIZZLE + line % in_row * 2;
  } else if (SWIZZLE == 16) {
    at = line / 8 * 128 + along / 16 * (lines * 16) + line % 8 * 16 + along % 16;
  } else {
    at = along / SWIZZLE * (lines * SWIZZLE) + line * SWIZZLE + along % SWIZZLE;
  }
  return at ^ (at >> 7 & (SWIZZLE / 16 - 1)) << 4;
}
__device__ inline unsigned long long descriptor(const void* matrix, int lines, int depth, bool is_across) {
  const unsigned start = unsigned(__cvta_generic_to_shared(matrix));
  unsigned leading = 16, stride = 8 * SWIZZLE;
  if (is_across) {
    leading = SWIZZLE == 16 ? 128 : depth * SWIZZLE;
    stride = SWIZZLE == 16 ? depth * 16 : 8 * SWIZZLE;
  } else if (SWIZZLE == 16) {
    leading = lines * 16;
  }
  const unsigned long long mode = SWIZZLE == 128 ? 1 : SWIZZLE == 64 ? 2 : SWIZZLE == 32 ? 3 : 0;
  return start >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 | mode << 62;
}
// From one instruction's part along k to the next, in units of a descriptor's start; a line of it
// has so many bytes.
__device__ inline int descriptor_step(int lines, int bytes, bool is_across) {
  if (is_across) return bytes / 16 * 8 * SWIZZLE >> 4;
  return (SWIZZLE <= bytes ? lines * bytes : bytes) >> 4;
}

__global__ void __launch_bounds__(128) kernel(const CODE* left, const CODE* right, RESULT* out) {
  constexpr int row_bytes = SWIZZLE == 128 ? 128 : 64, row_bytes_b = SPARSE ? 128 : row_bytes;
  __shared__ __align__(1024) unsigned char sa[64 * row_bytes], sb[(COLUMNS + 63) / 64 * 64 * row_bytes_b];
  constexpr int size = sizeof(CODE), in_line = 64 / size, in_line_b = line_b / size;
  for (int i = threadIdx.x; i < 64 * in_line; i += 128) {
    const int line = i / in_line, k = i % in_line;
    *(CODE*)(sa + place(64, K, A_ACROSS, line, A_ACROSS ? k : k * size)) = left[i];
  }
  for (int i = threadIdx.x; i < COLUMNS * in_line_b; i += 128) {
    const int line = i / in_line_b, k = i % in_line_b;
    *(CODE*)(sb + place(COLUMNS, 2 * per_step, B_ACROSS, line, B_ACROSS ? k : k * size)) = right[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  [[maybe_unused]] const unsigned long long descriptor_a = descriptor(sa, 64, K, A_ACROSS);
  const unsigned long long descriptor_b = descriptor(sb, COLUMNS, 2 * per_step, B_ACROSS);
  [[maybe_unused]] const int step_a = descriptor_step(64, 32, A_ACROSS);
  const int step_b = descriptor_step(COLUMNS, line_b / 2, B_ACROSS);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  [[maybe_unused]] const int row = 16 * warp + lane / 4;
  SUM d[sums];
  for (int i = 0; i < sums; ++i) d[i] = 7;
  unsigned fragments[2][4];
  for (int step = 0; step < 2; ++step)
    for (int r = 0; r < 4; ++r) {
      const int row = 16 * warp + lane / 4 + r % 2 * 8;
      // In words of 4 bytes, of which a line has 16.
      const unsigned word = step * 8 + lane % 4 + r / 2 * 4;
      fragments[step][r] = ((const unsigned*)left)[row * 16 + word];
    }
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int step = 0; step < 2; ++step) {
    [[maybe_unused]] const unsigned* a = fragments[step];
    INSTRUCTION
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < sums; ++i) {
    const int row = 16 * warp + lane / 4;
    if (IS_HALF) {
      const unsigned both = reinterpret_cast<const unsigned&>(d[i]);
      RESULT* to = out + (row + i % 2 * 8) * COLUMNS + i / 2 * 8 + lane % 4 * 2;
      to[0] = __half2float(__ushort_as_half(both & 0xffff));
      to[1] = __half2float(__ushort_as_half(both >> 16));
    } else {
      out[(row + i / 2 % 2 * 8) * COLUMNS + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
    }
  }
}
)cuda";

struct Format {
  int mantissa, exponent, bits;
};
inline Format format_of(const std::string& element) {
  if (element == "f16") return {10, 5, 16};
  if (element == "bf16") return {7, 8, 16};
  if (element == "tf32") return {10, 8, 32};
  if (element == "e4m3") return {3, 4, 8};
  if (element == "e5m2") return {2, 5, 8};
  return {7, 0, element == "b1" ? 1 : 8};
}

}  // namespace wgmma_text

inline std::string wgmma_pattern(const WgmmaCase& row) {
  using namespace wgmma_text;
  const Format a = format_of(row.element);
  const Format b = format_of(row.other);
  const std::string sum = row.sum;
  const bool is_integer = sum == "s32";
  const int k = 256 / a.bits;
  // An element, or a word of 32 single bits.
  const int code_bits = a.bits == 1 ? 32 : a.bits;
  const std::string code = fmt::format("uint{}_t", code_bits);
  const std::string result = is_integer ? "int" : "float";
  std::string text = fmt::format(
      "/* pattern:\nbuffers:\n"
      "  left: {{type: {0}, length: 64 * 64 / {1}, init: \"code_a(unsigned(i)){4}\"}}\n"
      "  right: {{type: {0}, length: {2} * {5} / {1}, init: \"code_b(unsigned(i)){4}\"}}\n"
      "  out: {{type: {3}, length: 64 * {2}}}\n"
      "arguments: [left, right, out]\nlaunch: {{grid: 1, block: 128}}\nuseful: {{read: 1}}\n"
      "compile: {{architecture: specific}}\n"
      "verify: {{out: \"out[i] == expected(left, right, int(i))\"}}\n*/\n#include <cuda_fp16.h>\n",
      code, code_bits / 8, row.columns, result, a.bits == 32 ? " << 13 | 0x1abc" : "",
      row.is_sparse ? 128 : 64);
  const auto define = [&](const char* name, const auto& value) {
    text += fmt::format("#define {} {}\n", name, value);
  };
  const bool is_half = sum == "f16";
  define("CODE", code);
  define("RESULT", result);
  define("SUM", is_half ? "unsigned" : is_integer ? "int" : "float");
  define("BITS", a.bits);
  define("KI", k);
  define("WORDS", 256 / code_bits);
  define("COLUMNS", row.columns);
  define("SWIZZLE", row.swizzle);
  define("IS_HALF", is_half ? 1 : 0);
  define("IS_INTEGER", is_integer ? 1 : 0);
  define("MASK", a.bits == 1 ? "0xffffffffu" : "0xffu");
  define("MA", a.mantissa);
  define("EA", a.exponent == 0 ? 1 : a.exponent);
  define("MB", b.mantissa);
  define("EB", b.exponent == 0 ? 1 : b.exponent);
  define("DROPPED", a.bits == 32 ? 13 : 0);
  define("SIGN", row.is_negated ? -1 : 1);
  define("SPARSE", row.is_sparse ? 1 : 0);
  define("SELECTOR", selector_of(row));
  define("A_SIGNED", std::string(row.element) == "s8" ? 1 : 0);
  define("B_SIGNED", std::string(row.other) == "s8" ? 1 : 0);
  define("A_ACROSS", row.is_a_across ? "true" : "false");
  define("B_ACROSS", row.is_b_across ? "true" : "false");
  text += body;
  const std::string_view mark = "INSTRUCTION\n";
  text.replace(text.find(mark), mark.size() - 1, instruction(row));
  return text;
}

}  // namespace sweep
