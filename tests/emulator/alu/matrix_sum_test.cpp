// Sums of tensor cores: what becomes of those that a float cannot hold.
#include <algorithm>
#include <bit>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cfenv>
#include <cmath>
#include <limits>
#include <map>
#include <ostream>
#include <random>
#include <vector>

#include "tests/emulator/alu/matrix_machine.h"

namespace data = boost::unit_test::data;

namespace sweep::testing::matrix_sum_test {

using namespace matrix_product;

BOOST_AUTO_TEST_SUITE(sums_of_tensor_cores)

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
      for_each_of_c(form,
                    [&](unsigned number, unsigned lane, unsigned, unsigned row, unsigned column) {
                      std::vector<double> products;
                      for (unsigned k = 0; k < form.k; ++k) {
                        products.push_back(double{a[row][k]} * b[k][column]);
                      }
                      const float expected = sum_of_hopper(c[row][column], products, form.k);
                      const auto found = machine.get(machine.d()[number], lane, Element::f32, 0);
                      wrong += (found & 0xffffffff) == bits_of(expected) ? 0 : 1;
                    });
      BOOST_TEST(wrong == 0U, "exponents up to " << range << ": " << to_string(simd));
    }
  }
}

namespace matrix_product_sums {

/// Exponents within `range` of 1, and few of a mantissa's bits: from sums that are exact to such as
/// are far from it.
std::uint64_t random_bits(Element element, std::mt19937& random, int range) {
  struct Format {
    int mantissa_bits;
    int bias;
    int sign_bit;
  };
  const Format format = element == Element::f16    ? Format{10, 15, 15}
                        : element == Element::bf16 ? Format{7, 127, 15}
                        : element == Element::e4m3 ? Format{3, 7, 7}
                        : element == Element::e5m2 ? Format{2, 15, 7}
                                                   : Format{23, 127, 31};
  const auto bits = static_cast<std::uint64_t>(random());
  const std::uint64_t all = (std::uint64_t{2} << format.sign_bit) - 1;
  if (range > 30) return bits & all;
  const auto pick = [&](int most) {
    return std::uniform_int_distribution<int>(-most, most)(random);
  };
  if (pick(3) == 0) return bits & std::uint64_t{1} << format.sign_bit;
  const int largest = std::min(range, format.bias - 1);
  const std::uint64_t fraction = bits & ((1U << format.mantissa_bits) - 1);
  const int kept = std::min(format.mantissa_bits, 1 + range / 3);
  return (bits & std::uint64_t{1} << format.sign_bit) |
         static_cast<std::uint64_t>(format.bias + pick(largest)) << format.mantissa_bits |
         (fraction >> (format.mantissa_bits - kept) << (format.mantissa_bits - kept));
}

}  // namespace matrix_product_sums

/// What is added in any order is what is added as tensor cores do it: a row that is not a number
/// keeps a product from the short way, and has nothing to do with the others.
BOOST_DATA_TEST_CASE(sums_do_not_depend_on_other_rows, data::make(cases), form) {
  const std::map<Element, std::uint64_t> nans = {{Element::f16, 0x7e00},
                                                 {Element::bf16, 0x7fc0},
                                                 {Element::tf32, 0x7fc00000},
                                                 {Element::e4m3, 0x7f},
                                                 {Element::e5m2, 0x7e}};
  if (!nans.contains(form.factor)) return;
  std::mt19937 random(1);
  for (int range = 0; range < 33; ++range) {
    Machine machine(form);
    for_each_of_a(form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned) {
      const auto bits = matrix_product_sums::random_bits(form.factor, random, range);
      if (row != 0) machine.set(machine.a()[number], lane, form.factor, part, bits);
    });
    for_each_of_b(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned) {
      machine.set(machine.b()[number], lane, form.factor, part,
                  matrix_product_sums::random_bits(form.factor, random, range));
    });
    for_each_of_c(form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned) {
      machine.set(machine.c()[number], lane, form.sum, part,
                  matrix_product_sums::random_bits(form.sum, random, range));
    });
    std::vector<std::uint64_t> expected;
    for (const bool has_nan : {true, false}) {
      machine.set(machine.a()[0], 0, form.factor, 0, has_nan ? nans.at(form.factor) : 0);
      for (const Simd simd : levels()) {
        machine.multiply(simd);
        std::vector<std::uint64_t> found;
        for_each_of_c(form,
                      [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned) {
                        const std::uint64_t bits =
                            machine.get(machine.d()[number], lane, form.sum, part) & 0xffffffff;
                        if (row != 0) found.push_back(bits);
                      });
        if (expected.empty()) expected = found;
        BOOST_TEST((found == expected), form << " within " << range << ": " << to_string(simd));
      }
    }
  }
}

BOOST_DATA_TEST_CASE(doubles_are_a_chain_of_fused_operations, data::make(cases), form) {
  if (form.factor != Element::f64) return;
  std::mt19937_64 random(1);
  const auto number = [&] {
    return std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 60));
  };
  std::vector<std::vector<double>> a(form.m, std::vector<double>(form.k));
  std::vector<std::vector<double>> b(form.k, std::vector<double>(form.n));
  std::vector<std::vector<double>> c(form.m, std::vector<double>(form.n));
  Machine machine(form);
  const auto set = [&](std::uint32_t slot, unsigned lane, double& element) {
    element = number();
    machine.set(slot, lane, Element::f64, 0, std::bit_cast<std::uint64_t>(element));
  };
  for_each_of_a(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned k) {
    set(machine.a()[i], lane, a[row][k]);
  });
  for_each_of_b(form, [&](unsigned i, unsigned lane, unsigned, unsigned k, unsigned column) {
    set(machine.b()[i], lane, b[k][column]);
  });
  for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    set(machine.c()[i], lane, c[row][column]);
  });
  // Not moved out of the rounding mode's reach.
  double (*volatile fused)(double, double, double) = std::fma;
  for (const int rounding : {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}) {
    for (const Simd simd : levels()) {
      MatrixProduct product = machine.product();
      product.rounding = rounding;
      machine.multiply(find_matrix_function(simd), product);
      BOOST_TEST(std::fegetround() == FE_TONEAREST);
      unsigned wrong = 0;
      for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
        double sum = c[row][column];
        std::fesetround(rounding);
        for (unsigned k = 0; k < form.k; ++k) sum = fused(a[row][k], b[k][column], sum);
        std::fesetround(FE_TONEAREST);
        const std::uint64_t bits = machine.get(machine.d()[i], lane, Element::f64, 0);
        wrong += bits == std::bit_cast<std::uint64_t>(sum) ? 0 : 1;
      });
      BOOST_TEST(wrong == 0U, form << ": " << to_string(simd) << ", rounding " << rounding);
    }
  }
}

BOOST_AUTO_TEST_CASE(floats_of_8_bits_are_added_by_halves) {
  const Case form = {16, 8, 32, Element::e4m3, Element::f32};
  std::mt19937 random(1);
  const auto power = [&](double& value) -> std::uint64_t {
    const int exponent = static_cast<int>(random() % 14) - 6;
    value = std::ldexp(1.0, exponent);
    return static_cast<std::uint64_t>(exponent + 7) << 3;
  };
  std::vector<std::vector<double>> a(form.m, std::vector<double>(form.k));
  std::vector<std::vector<double>> b(form.k, std::vector<double>(form.n));
  std::vector<std::vector<float>> c(form.m, std::vector<float>(form.n));
  Machine machine(form);
  for_each_of_a(form, [&](unsigned i, unsigned lane, unsigned part, unsigned row, unsigned k) {
    machine.set(machine.a()[i], lane, Element::e4m3, part, power(a[row][k]));
  });
  for_each_of_b(form, [&](unsigned i, unsigned lane, unsigned part, unsigned k, unsigned column) {
    machine.set(machine.b()[i], lane, Element::e4m3, part, power(b[k][column]));
  });
  for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
    c[row][column] = std::ldexp(static_cast<float>(random() % 65536), -20);
    machine.set(machine.c()[i], lane, Element::f32, 0,
                std::bit_cast<std::uint32_t>(c[row][column]));
  });
  for (const Simd simd : levels()) {
    MatrixProduct product = machine.product();
    product.is_by_halves = true;
    machine.multiply(find_matrix_function(simd), product);
    unsigned wrong = 0;
    for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
      float sum = 0;
      for (const unsigned half : {0U, 1U}) {
        std::vector<double> products;
        for (unsigned k = 0; k < form.k; ++k) {
          if (k / 2 % 2 == half) products.push_back(a[row][k] * b[k][column]);
        }
        sum = sum_of_hopper(sum, products, products.size());
      }
      const auto found = machine.get(machine.d()[i], lane, Element::f32, 0) & 0xffffffff;
      wrong += found == std::bit_cast<std::uint32_t>(c[row][column] + sum) ? 0 : 1;
    });
    BOOST_TEST(wrong == 0U, to_string(simd));
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing::matrix_sum_test
