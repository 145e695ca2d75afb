#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ostream>
#include <vector>

#include "engine/emulator/alu/matrix_product.h"
#include "tests/emulator/alu/warp.h"

/// One warp's registers for products of tensor cores, and where the elements lie in them (PTX ISA,
/// "Matrix Fragments for mma").
namespace sweep::testing::matrix_product {

using Element = MatrixElement;

struct Case {
  unsigned m;
  unsigned n;
  unsigned k;
  Element factor;
  Element sum;

  friend std::ostream& operator<<(std::ostream& out, const Case& one) {
    return out << 'm' << one.m << 'n' << one.n << 'k' << one.k << " of type "
               << static_cast<int>(one.factor) << " and " << static_cast<int>(one.sum);
  }
};

inline const std::vector<Case> cases = {
    {16, 8, 16, Element::f16, Element::f32},  {16, 8, 8, Element::f16, Element::f32},
    {16, 8, 16, Element::f16, Element::f16},  {16, 8, 16, Element::bf16, Element::f32},
    {16, 8, 8, Element::bf16, Element::f32},  {16, 8, 4, Element::tf32, Element::f32},
    {16, 8, 8, Element::tf32, Element::f32},  {16, 8, 32, Element::e4m3, Element::f32},
    {16, 8, 32, Element::e5m2, Element::f32}, {8, 8, 4, Element::f64, Element::f64},
    {16, 8, 4, Element::f64, Element::f64},   {16, 8, 8, Element::f64, Element::f64},
    {16, 8, 16, Element::f64, Element::f64},  {8, 8, 16, Element::s8, Element::s32},
    {16, 8, 16, Element::u8, Element::s32},   {16, 8, 32, Element::s8, Element::s32},
    {8, 8, 32, Element::s4, Element::s32},    {16, 8, 32, Element::u4, Element::s32},
    {16, 8, 64, Element::s4, Element::s32},   {8, 8, 128, Element::b1, Element::s32},
    {16, 8, 128, Element::b1, Element::s32},  {16, 8, 256, Element::b1, Element::s32},
    {16, 16, 16, Element::f16, Element::f32}, {32, 8, 16, Element::bf16, Element::f32},
    {8, 32, 16, Element::f16, Element::f16},  {16, 16, 8, Element::tf32, Element::f32},
    {32, 8, 16, Element::s8, Element::s32},   {8, 32, 16, Element::u8, Element::s32},
};

/// Small whole numbers, which every type has, as their bits.
inline std::uint64_t bits_of_value(Element element, int value) {
  const auto of = [&](int mantissa_bits, int bias, int sign_bit) -> std::uint64_t {
    if (value == 0) return 0;
    const auto size = static_cast<unsigned>(std::abs(value));
    const int exponent = std::bit_width(size) - 1;
    const auto fraction = static_cast<std::uint64_t>(size - (1U << exponent))
                          << (mantissa_bits - exponent);
    return fraction | static_cast<std::uint64_t>(exponent + bias) << mantissa_bits |
           static_cast<std::uint64_t>(value < 0) << sign_bit;
  };
  switch (element) {
    case Element::f16:
      return of(10, 15, 15);
    case Element::bf16:
      return of(7, 127, 15);
    case Element::e4m3:
      return of(3, 7, 7);
    case Element::e5m2:
      return of(2, 15, 7);
    case Element::f64:
      return of(52, 1023, 63);
    case Element::tf32:  // the bits that it does not have are not looked at
      return of(23, 127, 31) | 0x1abc;
    case Element::f32:
      return of(23, 127, 31);
    default: {
      const unsigned bits = element_bits(element);
      return static_cast<std::uint64_t>(value) & (bits == 32 ? 0xffffffff : (1U << bits) - 1);
    }
  }
}

inline double value_of_bits(Element element, std::uint64_t bits) {
  if (element == Element::f64) return std::bit_cast<double>(bits);
  if (element == Element::s32) return static_cast<std::int32_t>(bits);
  if (element == Element::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023) / 1024;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return (bits & 0x8000) != 0 ? -size : size;
}

/// What the tensor cores make of an accumulator and products of factors, as many of them at once.
inline float sum_of_hopper(float accumulator, const std::vector<double>& products,
                           std::size_t at_once) {
  float sum = accumulator;
  for (std::size_t first = 0; first < products.size(); first += at_once) {
    const auto begin = products.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(at_once);
    double largest = std::fabs(sum);
    for (auto each = begin; each != end; ++each) largest = std::max(largest, std::fabs(*each));
    if (largest == 0) {
      sum = 0;
      continue;
    }
    const int shift = 25 - std::ilogb(largest);
    double total = std::trunc(std::ldexp(double{sum}, shift));
    for (auto each = begin; each != end; ++each) {
      total += std::trunc(std::ldexp(*each, shift));
    }
    const double exact = std::ldexp(total, -shift);
    sum = static_cast<float>(exact);
    if (std::fabs(double{sum}) > std::fabs(exact)) sum = std::nextafter(sum, 0.0F);
  }
  return sum;
}

/// One warp's registers for a product.
class Machine {
 public:
  explicit Machine(const Case& form) : form_(form) {
    for (auto* list : {&a_, &b_, &c_, &d_}) {
      for (int i = 0; i < 16; ++i) {
        list->push_back(static_cast<std::uint32_t>(next_));
        next_ += 256;
      }
    }
    registers_.resize((next_ + 256) / sizeof(Block));
  }

  std::vector<std::uint32_t>& a() { return a_; }
  std::vector<std::uint32_t>& b() { return b_; }
  std::vector<std::uint32_t>& c() { return c_; }
  std::vector<std::uint32_t>& d() { return d_; }
  std::uint32_t metadata() const { return static_cast<std::uint32_t>(next_); }

  /// Element `part` of a lane's register.
  void set(std::uint32_t slot, unsigned lane, Element element, unsigned part, std::uint64_t bits) {
    const unsigned width = element_bits(element);
    if (width == 64) {
      std::memcpy(bytes() + slot + lane * 8, &bits, 8);
      return;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, bytes() + slot + lane * 4, 4);
    const std::uint32_t mask = width == 32 ? 0xffffffff : ((1U << width) - 1) << part * width;
    word = (word & ~mask) | (static_cast<std::uint32_t>(bits) << part * width & mask);
    std::memcpy(bytes() + slot + lane * 4, &word, 4);
  }
  std::uint64_t get(std::uint32_t slot, unsigned lane, Element element, unsigned part) {
    const unsigned width = element_bits(element);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes() + slot + lane * (width == 64 ? 8 : 4), width == 64 ? 8 : 4);
    return width >= 32 ? word : word >> part * width & ((1U << width) - 1);
  }

  MatrixProduct product() const {
    return {form_.m, form_.n, form_.k,   form_.factor, form_.factor, form_.sum, form_.sum,
            false,   false,   a_.data(), b_.data(),    c_.data(),    d_.data()};
  }
  void multiply(Simd simd, bool is_and = false, bool is_saturating = false) {
    MatrixProduct product = this->product();
    product.is_and = is_and;
    product.is_saturating = is_saturating;
    multiply(find_matrix_function(simd), product);
  }
  void multiply(MatrixFunction function, const MatrixProduct& product) {
    function(product, bytes());
  }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  std::byte* bytes() { return registers_.front().bytes; }

  Case form_;
  std::size_t next_ = 0;
  std::vector<std::uint32_t> a_, b_, c_, d_;
  std::vector<Block> registers_;
};

/// Calls work(register, lane, part, row, column) as the PTX ISA lists the elements of a: of larger
/// matrices tile after tile.
template <class Work>
void for_each_of_a(const Case& form, Work work) {
  const unsigned width = element_bits(form.factor);
  const unsigned parts = width >= 32 ? 1 : 32 / width;
  const unsigned rows = form.m == 8 ? 8 : 16;
  unsigned number = 0;
  for (unsigned tile = 0; tile < form.m / rows; ++tile) {
    for (unsigned along = 0; along < form.k; along += 4 * parts) {
      for (unsigned below = 0; below < rows; below += 8, ++number) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          for (unsigned part = 0; part < parts; ++part) {
            work(number, lane, part, tile * rows + below + lane / 4,
                 along + lane % 4 * parts + part);
          }
        }
      }
    }
  }
}
template <class Work>
void for_each_of_b(const Case& form, Work work) {
  const Case columns = {8, 8, form.k, form.factor, form.sum};
  unsigned of_tile = 0;
  for_each_of_a(columns, [&](unsigned number, auto...) { of_tile = number + 1; });
  for (unsigned tile = 0; tile < form.n / 8; ++tile) {
    for_each_of_a(
        columns, [&](unsigned number, unsigned lane, unsigned part, unsigned column, unsigned row) {
          work(tile * of_tile + number, lane, part, row, tile * 8 + column);
        });
  }
}
template <class Work>
void for_each_of_c(const Case& form, Work work) {
  const bool is_packed = form.sum == Element::f16;
  const unsigned rows = form.m == 8 ? 8 : 16;
  unsigned number = 0;
  for (unsigned top = 0; top < form.m; top += rows) {
    for (unsigned left = 0; left < form.n; left += 8) {
      for (unsigned below = 0; below < rows; below += 8) {
        for (unsigned odd = 0; odd < 2; ++odd) {
          for (unsigned lane = 0; lane < 32; ++lane) {
            work(number, lane, is_packed ? odd : 0, top + below + lane / 4,
                 left + lane % 4 * 2 + odd);
          }
          if (!is_packed || odd == 1) ++number;
        }
      }
    }
  }
}

}  // namespace sweep::testing::matrix_product
