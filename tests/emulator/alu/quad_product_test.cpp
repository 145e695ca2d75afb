// mma.m8n8k4 of f16: each quad pair has a product of its own (PTX ISA, "Matrix Fragments for
// mma.m8n8k4 with .f16 floating point type"), added as ptxas does it for 9.0.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "tests/emulator/alu/matrix_machine.h"

namespace data = boost::unit_test::data;

namespace sweep::testing::quad_product_test {

using namespace matrix_product;

BOOST_AUTO_TEST_SUITE(products_of_quad_pairs)

namespace quad_products {

struct Sums {
  Element c;
  Element d;

  friend std::ostream& operator<<(std::ostream& out, const Sums& one) {
    return out << "c " << element_bits(one.c) << ", d " << element_bits(one.d) << " bits";
  }
};
const std::vector<Sums> sums = {
    {Element::f32, Element::f32}, {Element::f16, Element::f32}, {Element::f16, Element::f16}};

/// A half's bits whose value has few of them, now and then 0.
std::uint64_t half(std::mt19937& random, float& value) {
  const auto bits =
      random() % 16 == 0 ? 0 : (random() % 2 << 15 | (5 + random() % 20) << 10 | (random() & 1023));
  value = static_cast<float>(value_of_bits(Element::f16, bits));
  return bits;
}

/// Rounded to nearest even; within the numbers of f16 that are not subnormal.
float rounded_to_half(float value) {
  if (value == 0) return value;
  const int last = std::ilogb(value) - 10;
  return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
}

}  // namespace quad_products

BOOST_DATA_TEST_CASE(elements_lie_and_are_added_as_ptx_says,
                     data::make(quad_products::sums) * data::xrange(4), types, layouts) {
  const bool is_a_by_columns = layouts % 2 == 1;
  const bool is_b_by_rows = layouts / 2 == 1;
  std::mt19937 random(1);
  float a[4][8][4];
  float b[4][4][8];
  float c[4][8][8];
  Machine machine({32, 8, 4, Element::f16, types.d});
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned pair = lane % 16 / 4;
    const unsigned high = lane < 16 ? 0 : 4;
    for (unsigned i = 0; i < 4; ++i) {
      float& of_a = is_a_by_columns ? a[pair][i + high][lane % 4] : a[pair][lane % 4 + high][i];
      machine.set(machine.a()[i / 2], lane, Element::f16, i % 2, quad_products::half(random, of_a));
      float& of_b = is_b_by_rows ? b[pair][lane % 4][i + high] : b[pair][i][lane % 4 + high];
      machine.set(machine.b()[i / 2], lane, Element::f16, i % 2, quad_products::half(random, of_b));
    }
  }
  const auto for_each_sum = [](Element element, auto work) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned high = lane < 16 ? 0 : 4;
      for (unsigned i = 0; i < 8; ++i) {
        if (element == Element::f16) {
          work(lane, i, lane % 16 / 4, lane % 4 + high, i);
        } else {
          work(lane, i, lane % 16 / 4, (lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1));
        }
      }
    }
  };
  for_each_sum(
      types.c, [&](unsigned lane, unsigned i, unsigned pair, unsigned row, unsigned column) {
        float& value = c[pair][row][column];
        const std::uint64_t bits = quad_products::half(random, value);
        if (types.c == Element::f16) {
          machine.set(machine.c()[i / 2], lane, Element::f16, i % 2, bits);
        } else {
          machine.set(machine.c()[i], lane, Element::f32, 0, std::bit_cast<std::uint32_t>(value));
        }
      });
  MatrixProduct product = machine.product();
  product.c_type = types.c;
  machine.multiply(find_quad_function(is_a_by_columns, is_b_by_rows), product);
  unsigned wrong = 0;
  for_each_sum(
      types.d, [&](unsigned lane, unsigned i, unsigned pair, unsigned row, unsigned column) {
        const auto left = [&](unsigned k) { return a[pair][row][k]; };
        const auto right = [&](unsigned k) { return b[pair][k][column]; };
        float expected = c[pair][row][column];
        if (types.d == Element::f32) {
          float sum = left(0) * right(0);
          for (unsigned k = 1; k < 4; ++k) sum = std::fma(left(k), right(k), sum);
          expected += sum;
        } else {
          expected += std::fma(left(1), right(1), left(0) * right(0));
          expected += std::fma(left(3), right(3), left(2) * right(2));
          expected = quad_products::rounded_to_half(expected);
          if (std::fabs(expected) > 65504 || std::fabs(expected) < 0x1p-14F) return;
        }
        const bool is_half = types.d == Element::f16;
        const auto bits = is_half ? machine.get(machine.d()[i / 2], lane, Element::f16, i % 2)
                                  : machine.get(machine.d()[i], lane, Element::f32, 0) & 0xffffffff;
        wrong += value_of_bits(types.d, bits) == expected ? 0 : 1;
      });
  BOOST_TEST(wrong == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing::quad_product_test
