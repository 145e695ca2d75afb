// Products of tensor cores: where the elements lie (PTX ISA, "Matrix Fragments for mma").
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

#include "tests/emulator/alu/matrix_machine.h"

namespace data = boost::unit_test::data;

namespace sweep::testing::matrix_product_test {

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

BOOST_AUTO_TEST_CASE(registers_of_c_may_be_others_of_d) {
  const Case form = {16, 16, 16, Element::f16, Element::f32};
  for (const Simd simd : levels()) {
    Machine machine(form);
    for_each_of_c(
        form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned column) {
          machine.set(machine.c()[number], lane, form.sum, part,
                      bits_of_value(form.sum, static_cast<int>(row * form.n + column)));
        });
    machine.d().assign(machine.c().rbegin() + 8, machine.c().rend());
    machine.multiply(simd);
    unsigned wrong = 0;
    for_each_of_c(
        form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned column) {
          const std::uint64_t bits = machine.get(machine.d()[number], lane, form.sum, part);
          wrong += value_of_bits(form.sum, bits) == row * form.n + column ? 0 : 1;
        });
    BOOST_TEST(wrong == 0U, to_string(simd));
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

}  // namespace sweep::testing::matrix_product_test
