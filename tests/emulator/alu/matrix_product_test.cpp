// Products of tensor cores: where the elements lie (PTX ISA, "Matrix Fragments for mma"), and what
// becomes of sums that a float cannot hold.
#include "engine/emulator/alu/matrix_product.h"

#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <ostream>
#include <random>
#include <vector>

#include "tests/emulator/alu/warp.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
namespace {
namespace matrix_product {

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

const std::vector<Case> cases = {
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
std::uint64_t bits_of_value(Element element, int value) {
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

double value_of_bits(Element element, std::uint64_t bits) {
  if (element == Element::f64) return std::bit_cast<double>(bits);
  if (element == Element::s32) return static_cast<std::int32_t>(bits);
  if (element == Element::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023) / 1024;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
  return (bits & 0x8000) != 0 ? -size : size;
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
    registers_.resize(next_ / sizeof(Block));
  }

  std::vector<std::uint32_t>& a() { return a_; }
  std::vector<std::uint32_t>& b() { return b_; }
  std::vector<std::uint32_t>& c() { return c_; }
  std::vector<std::uint32_t>& d() { return d_; }

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

  void multiply(Simd simd, bool is_and = false, bool is_saturating = false) {
    const MatrixProduct product = {form_.m,   form_.n,   form_.k,       form_.factor, form_.factor,
                                   form_.sum, form_.sum, is_saturating, is_and,       a_.data(),
                                   b_.data(), c_.data(), d_.data()};
    find_matrix_function(simd)(product, bytes());
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

}  // namespace matrix_product
}  // namespace

using namespace matrix_product;

BOOST_AUTO_TEST_SUITE(products_of_tensor_cores)

BOOST_DATA_TEST_CASE(elements_lie_where_ptx_says, data::make(cases), form) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> small(-3, 3);
  const bool is_signed =
      form.factor != Element::u8 && form.factor != Element::u4 && form.factor != Element::b1;
  const auto factor = [&] { return is_signed ? small(random) : std::abs(small(random)) & 1; };
  std::vector<std::vector<int>> a(form.m, std::vector<int>(form.k));
  std::vector<std::vector<int>> b(form.k, std::vector<int>(form.n));
  std::vector<std::vector<int>> c(form.m, std::vector<int>(form.n));
  Machine machine(form);
  for_each_of_a(form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned k) {
    a[row][k] = factor();
    machine.set(machine.a()[number], lane, form.factor, part,
                bits_of_value(form.factor, a[row][k]));
  });
  for_each_of_b(form,
                [&](unsigned number, unsigned lane, unsigned part, unsigned k, unsigned column) {
                  b[k][column] = factor();
                  machine.set(machine.b()[number], lane, form.factor, part,
                              bits_of_value(form.factor, b[k][column]));
                });
  for_each_of_c(form, [&](unsigned number, unsigned lane, unsigned part, unsigned row,
                          unsigned column) {
    c[row][column] = small(random);
    machine.set(machine.c()[number], lane, form.sum, part, bits_of_value(form.sum, c[row][column]));
  });
  for (const Simd simd : levels()) {
    for (const bool is_and : {false, true}) {
      machine.multiply(simd, is_and);
      unsigned wrong = 0;
      for_each_of_c(
          form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned column) {
            int expected = c[row][column];
            for (unsigned k = 0; k < form.k; ++k) {
              const int x = a[row][k];
              const int y = b[k][column];
              expected += form.factor != Element::b1 ? x * y : is_and ? x & y : x ^ y;
            }
            const std::uint64_t bits = machine.get(machine.d()[number], lane, form.sum, part);
            wrong += value_of_bits(form.sum, bits) == expected ? 0 : 1;
          });
      BOOST_TEST(wrong == 0U, form << " " << to_string(simd));
    }
  }
}

namespace matrix_product_sums {

/// One row of a times one column of b.
struct Sum {
  const char* what;
  std::vector<float> products;  ///< with 1
  float accumulator;
  float expected;

  friend std::ostream& operator<<(std::ostream& out, const Sum& one) { return out << one.what; }
};

constexpr float infinity = std::numeric_limits<float>::infinity();
const std::vector<Sum> sums = {
    {"of what a float holds", {1, 2, 4}, 8, 15},
    {"cut off, not rounded", {0x1p-24F, 0x1p-25F, 0x1p-25F}, 0x1p0F, 1},
    {"two bits below a float's last count", {0x1p-24F, 0x1p-24F}, 0x1p0F, 1 + 0x1p-23F},
    {"what is further below does not", {0x1p-13F, 0x1p-13F}, 0x1p13F, 0x1p13F},
    {"toward zero", {-0x1p-24F, -0x1p-25F}, -0x1p0F, -1},
    {"that cancel", {0x1p10F, -0x1p10F, 1}, 0, 1},
    {"of nothing", {}, 0, 0},
    {"of the least numbers", {0x1p-24F, 0x1p-24F}, 0, 0x1p-23F},
    {"of a small accumulator", {}, 0x1p-140F, 0x1p-140F},
    {"of a large accumulator", {1}, 0x1.8p120F, 0x1.8p120F},
    {"infinite", {infinity, 1}, 3, infinity},
};

}  // namespace matrix_product_sums

BOOST_AUTO_TEST_CASE(sums_are_those_of_hopper) {
  const auto half = [](float value) -> std::uint64_t {
    if (std::isinf(value)) return 0x7c00;
    if (value == 0) return 0;
    int exponent = 0;
    const float fraction = std::frexp(std::fabs(value), &exponent);
    const std::uint64_t sign = value < 0 ? 0x8000 : 0;
    if (exponent < -13) return sign | static_cast<std::uint64_t>(std::ldexp(std::fabs(value), 24));
    return sign | static_cast<std::uint64_t>(exponent + 14) << 10 |
           (static_cast<std::uint64_t>(fraction * 2048) & 1023);
  };
  const Case form = {16, 8, 16, Element::f16, Element::f32};
  for (const matrix_product_sums::Sum& sum : matrix_product_sums::sums) {
    for (const Simd simd : levels()) {
      Machine machine(form);
      for_each_of_a(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned k) {
        const float value = k < sum.products.size() ? sum.products[k] : 0;
        machine.set(machine.a()[number], lane, Element::f16, part, half(value));
      });
      for_each_of_b(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned) {
        machine.set(machine.b()[number], lane, Element::f16, part, half(1));
      });
      for_each_of_c(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned) {
        machine.set(machine.c()[number], lane, Element::f32, part,
                    std::bit_cast<std::uint32_t>(sum.accumulator));
      });
      machine.multiply(simd);
      unsigned wrong = 0;
      double found = 0;
      for_each_of_c(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned) {
        const double value =
            value_of_bits(Element::f32, machine.get(machine.d()[number], lane, Element::f32, part));
        if (value != sum.expected) found = value;
        wrong += value == sum.expected ? 0 : 1;
      });
      BOOST_TEST(wrong == 0U, sum << ": " << found << " with " << to_string(simd));
    }
  }
}

namespace matrix_product_sums {

/// What the tensor cores make of an accumulator and products of factors, as many of them at once.
float sum_of_hopper(float accumulator, const std::vector<double>& products, std::size_t at_once) {
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

}  // namespace matrix_product_sums

BOOST_AUTO_TEST_CASE(sums_that_are_exact_and_sums_that_are_not_are_those_of_hopper) {
  // Factors are powers of 2, so that a product's exponent is that of the factors' sum.
  const Case form = {16, 8, 16, Element::bf16, Element::f32};
  const auto bits_of = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  std::mt19937 random(1);
  for (int range = 0; range < 28; ++range) {
    std::uniform_int_distribution<int> exponents(-range / 2, range / 2);
    std::uniform_int_distribution<int> signs(-1, 1);
    const auto factor = [&] {
      return static_cast<float>(signs(random)) * std::ldexp(1.0F, exponents(random));
    };
    std::vector<std::vector<float>> a(form.m, std::vector<float>(form.k));
    std::vector<std::vector<float>> b(form.k, std::vector<float>(form.n));
    std::vector<std::vector<float>> c(form.m, std::vector<float>(form.n));
    Machine machine(form);
    for_each_of_a(
        form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned k) {
          a[row][k] = factor();
          machine.set(machine.a()[number], lane, Element::bf16, part, bits_of(a[row][k]) >> 16);
        });
    for_each_of_b(
        form, [&](unsigned number, unsigned lane, unsigned part, unsigned k, unsigned column) {
          b[k][column] = factor();
          machine.set(machine.b()[number], lane, Element::bf16, part, bits_of(b[k][column]) >> 16);
        });
    for_each_of_c(
        form, [&](unsigned number, unsigned lane, unsigned, unsigned row, unsigned column) {
          c[row][column] = range % 3 == 0 ? -0.0F : std::ldexp(factor(), range / 3);
          machine.set(machine.c()[number], lane, Element::f32, 0, bits_of(c[row][column]));
        });
    for (const Simd simd : levels()) {
      machine.multiply(simd);
      unsigned wrong = 0;
      for_each_of_c(form, [&](unsigned number, unsigned lane, unsigned, unsigned row,
                              unsigned column) {
        std::vector<double> products;
        for (unsigned k = 0; k < form.k; ++k) {
          products.push_back(double{a[row][k]} * b[k][column]);
        }
        const float expected = matrix_product_sums::sum_of_hopper(c[row][column], products, form.k);
        const auto found = machine.get(machine.d()[number], lane, Element::f32, 0);
        wrong += (found & 0xffffffff) == bits_of(expected) ? 0 : 1;
      });
      BOOST_TEST(wrong == 0U, "exponents up to " << range << ": " << to_string(simd));
    }
  }
}

BOOST_AUTO_TEST_CASE(nan_is_the_canonical_one) {
  const Case form = {16, 8, 16, Element::bf16, Element::f32};
  for (const Simd simd : levels()) {
    Machine machine(form);
    machine.set(machine.a()[0], 0, Element::bf16, 0, 0x7f80);  // infinity by 0
    machine.multiply(simd);
    BOOST_TEST(machine.get(machine.d()[0], 0, Element::f32, 0) == 0x7fffffffU);
    BOOST_TEST(machine.get(machine.d()[0], 4, Element::f32, 0) == 0U);
  }
}

BOOST_AUTO_TEST_CASE(integers_wrap_or_saturate) {
  const Case form = {16, 8, 32, Element::s8, Element::s32};
  for (const Simd simd : levels()) {
    for (const bool is_saturating : {false, true}) {
      Machine machine(form);
      machine.set(machine.a()[0], 0, Element::s8, 0, 1);
      machine.set(machine.b()[0], 0, Element::s8, 0, 1);
      machine.set(machine.c()[0], 0, Element::s32, 0, 0x7fffffff);
      machine.multiply(simd, false, is_saturating);
      const std::uint64_t result = machine.get(machine.d()[0], 0, Element::s32, 0) & 0xffffffff;
      BOOST_TEST(result == (is_saturating ? 0x7fffffffU : 0x80000000U));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
