// Products of a sparse a: where its elements belong (PTX ISA, "Sparse matrix storage" and "Matrix
// fragments for multiply-accumulate operation with sparse matrix A"), and how they are added.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <vector>

#include "tests/emulator/alu/matrix_machine.h"

namespace data = boost::unit_test::data;

namespace sweep::testing::sparse_product_test {

using namespace matrix_product;

BOOST_AUTO_TEST_SUITE(products_of_sparse_matrices)

namespace sparse_products {

struct Sparse {
  Case form;
  unsigned selectors;

  friend std::ostream& operator<<(std::ostream& out, const Sparse& one) { return out << one.form; }
};

const std::vector<Sparse> cases = {
    {{16, 8, 16, Element::f16, Element::f32}, 4},  {{16, 8, 32, Element::f16, Element::f32}, 2},
    {{16, 8, 16, Element::bf16, Element::f32}, 4}, {{16, 8, 32, Element::f16, Element::f16}, 2},
    {{16, 8, 32, Element::bf16, Element::f32}, 2}, {{16, 8, 8, Element::tf32, Element::f32}, 4},
    {{16, 8, 16, Element::tf32, Element::f32}, 2}, {{16, 8, 64, Element::e4m3, Element::f32}, 1},
    {{16, 8, 64, Element::e5m2, Element::f32}, 1}, {{16, 8, 32, Element::s8, Element::s32}, 2},
    {{16, 8, 64, Element::u8, Element::s32}, 1},   {{16, 8, 64, Element::u4, Element::s32}, 2},
    {{16, 8, 128, Element::s4, Element::s32}, 1},
};

/// A sparse matrix: what its elements are, and where along k.
struct Elements {
  std::vector<std::vector<int>> values;
  std::vector<std::vector<unsigned>> places;
};

/// Sets the metadata of 4 bits that belong to a row's columns from `column` on.
void set_metadata(Machine& machine, const Case& form, unsigned selector, unsigned row,
                  unsigned column, unsigned bits) {
  const unsigned width = element_bits(form.factor);
  const unsigned columns = width == 32 ? 2 : width == 4 ? 8 : 4;  // that 4 bits are about
  const unsigned number = column / columns;
  unsigned lane = row % 8 * 4;
  unsigned bit = 0;
  if (width >= 16) {
    // A thread, or one of a pair, has 16 bits of a row and behind them 16 of the one 8 below.
    const unsigned threads = form.k / columns / 4;
    lane += selector * threads + number / 4;
    bit = number % 4 * 4 + row / 8 * 16;
  } else {
    // T0 has the row, T1 the one 8 below, T2 and T3 the columns behind.
    lane += selector * 2 + number / 8 * 2 + row / 8;
    bit = number % 8 * 4;
  }
  const std::uint32_t old =
      static_cast<std::uint32_t>(machine.get(machine.metadata(), lane, Element::s32, 0));
  const std::uint32_t cleared = old & ~(15U << bit);
  machine.set(machine.metadata(), lane, Element::s32, 0, cleared | bits << bit);
}

/// Elements at random places, the same ones in every row on request.
template <class Value>
Elements random_elements(Machine& machine, const Case& form, unsigned selector,
                         std::mt19937& random, bool are_rows_alike, Value value) {
  const unsigned width = element_bits(form.factor);
  Elements elements;
  elements.values.assign(form.m, std::vector<int>(form.k / 2));
  elements.places.assign(form.m, std::vector<unsigned>(form.k / 2));
  for (unsigned lane = 0; lane < 32; ++lane) {
    machine.set(machine.metadata(), lane, Element::s32, 0, random());
  }
  for (unsigned row = 0; row < form.m; ++row) {
    std::vector<unsigned>& places = elements.places[row];
    const unsigned columns = width == 32 ? 2 : width == 4 ? 8 : 4;
    for (unsigned column = 0, at = 0; column < form.k; column += columns) {
      unsigned first = random() % 4;
      unsigned second = (first + 1 + random() % 3) % 4;
      if (width == 32) first = random() % 2 * 2, second = first + 1;
      if (are_rows_alike) {
        first = column / columns % 2 * 2;
        second = width == 32 ? first + 1 : 3 - first;
      }
      set_metadata(machine, form, selector, row, column, first | second << 2);
      if (width == 32) {
        places[at++] = column + first / 2;
      } else if (width == 4) {
        for (const unsigned pair : {first, second}) {
          places[at++] = column + pair * 2;
          places[at++] = column + pair * 2 + 1;
        }
      } else {
        places[at++] = column + first;
        places[at++] = column + second;
      }
    }
  }
  const Case own = {form.m, form.n, form.k / 2, form.factor, form.sum};
  for_each_of_a(own, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned at) {
    elements.values[row][at] = value();
    machine.set(machine.a()[number], lane, form.factor, part,
                bits_of_value(form.factor, elements.values[row][at]));
  });
  return elements;
}

MatrixProduct sparse_product(const Machine& machine, unsigned selector) {
  MatrixProduct product = machine.product();
  product.is_sparse = true;
  product.metadata = machine.metadata();
  product.selector = selector;
  return product;
}

bool is_byte_float(Element element) {
  return element == Element::e4m3 || element == Element::e5m2;
}

}  // namespace sparse_products

using namespace sparse_products;

BOOST_DATA_TEST_CASE(elements_belong_where_metadata_say, data::make(sparse_products::cases), one) {
  const Case& form = one.form;
  std::mt19937 random(1);
  const bool is_signed = form.factor != Element::u8 && form.factor != Element::u4;
  const auto small = [&] { return static_cast<int>(random() % 4) - (is_signed ? 2 : 0); };
  for (unsigned selector = 0; selector < one.selectors; ++selector) {
    Machine machine(form);
    const Elements a = random_elements(machine, form, selector, random, false, small);
    std::vector<std::vector<int>> b(form.k, std::vector<int>(form.n));
    std::vector<std::vector<int>> c(form.m, std::vector<int>(form.n));
    for_each_of_b(form,
                  [&](unsigned number, unsigned lane, unsigned part, unsigned k, unsigned column) {
                    b[k][column] = small();
                    machine.set(machine.b()[number], lane, form.factor, part,
                                bits_of_value(form.factor, b[k][column]));
                  });
    for_each_of_c(
        form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned column) {
          c[row][column] = small();
          machine.set(machine.c()[number], lane, form.sum, part,
                      bits_of_value(form.sum, c[row][column]));
        });
    for (const Simd simd : levels()) {
      MatrixProduct product = sparse_product(machine, selector);
      product.is_by_halves = is_byte_float(form.factor);
      machine.multiply(find_matrix_function(simd), product);
      unsigned wrong = 0;
      for_each_of_c(
          form, [&](unsigned number, unsigned lane, unsigned part, unsigned row, unsigned column) {
            int expected = c[row][column];
            for (unsigned at = 0; at < form.k / 2; ++at) {
              expected += a.values[row][at] * b[a.places[row][at]][column];
            }
            const std::uint64_t bits = machine.get(machine.d()[number], lane, form.sum, part);
            wrong += value_of_bits(form.sum, bits) == expected ? 0 : 1;
          });
      BOOST_TEST(wrong == 0U, form << ", selector " << selector << ": " << to_string(simd));
    }
  }
}

BOOST_DATA_TEST_CASE(what_no_element_is_multiplied_with_does_not_count,
                     data::make(sparse_products::cases), one) {
  const Case& form = one.form;
  const std::map<Element, std::uint64_t> nans = {{Element::f16, 0xfc00},
                                                 {Element::bf16, 0x7fc0},
                                                 {Element::tf32, 0x7fc00000},
                                                 {Element::e4m3, 0x7f},
                                                 {Element::e5m2, 0x7c}};
  if (!nans.contains(form.factor)) return;
  std::mt19937 random(1);
  for (const bool is_met : {false, true}) {
    Machine machine(form);
    const Elements a =
        random_elements(machine, form, 0, random, true, [&] { return is_met ? 0 : 1; });
    std::vector<bool> is_chosen(form.k);
    for (const unsigned place : a.places[0]) is_chosen[place] = true;
    // A zero by what is not finite is not a number.
    for_each_of_b(form,
                  [&](unsigned number, unsigned lane, unsigned part, unsigned k, unsigned column) {
                    const bool is_special = is_chosen[k] == is_met && column % 2 == 0;
                    machine.set(machine.b()[number], lane, form.factor, part,
                                is_special ? nans.at(form.factor) : bits_of_value(form.factor, 1));
                  });
    for (const Simd simd : levels()) {
      MatrixProduct product = sparse_product(machine, 0);
      product.is_by_halves = is_byte_float(form.factor);
      machine.multiply(find_matrix_function(simd), product);
      unsigned wrong = 0;
      for_each_of_c(
          form, [&](unsigned number, unsigned lane, unsigned part, unsigned, unsigned column) {
            const std::uint64_t bits = machine.get(machine.d()[number], lane, form.sum, part);
            const std::uint64_t nan = form.sum == Element::f16 ? 0x7fff : 0x7fffffff;
            const bool is_right =
                is_met && column % 2 == 0
                    ? bits == nan
                    : value_of_bits(form.sum, bits) == (is_met ? 0 : static_cast<int>(form.k / 2));
            wrong += is_right ? 0 : 1;
          });
      BOOST_TEST(wrong == 0U, form << (is_met ? " met: " : ": ") << to_string(simd));
    }
  }
}

/// Those of elements are added at once; of 8-bit floats those of the first two of each four, then
/// of the others, then c.
BOOST_DATA_TEST_CASE(sums_are_those_of_as_many_products_as_there_are_elements,
                     data::make(sparse_products::cases), one) {
  const Case& form = one.form;
  if (form.sum != Element::f32) return;
  std::mt19937 random(1);
  const std::map<Element, std::pair<int, int>> formats = {{Element::f16, {10, 15}},
                                                          {Element::bf16, {7, 127}},
                                                          {Element::tf32, {23, 127}},
                                                          {Element::e4m3, {3, 7}},
                                                          {Element::e5m2, {2, 15}}};
  const auto [mantissa_bits, bias] = formats.at(form.factor);
  const unsigned sign_bit = element_bits(form.factor) - 1;
  const int most = std::min(bias - 1, 13);
  // Powers of 2, so that a product's exponent is that of the factors' sum.
  const auto power = [&](double& value) -> std::uint64_t {
    const int exponent = static_cast<int>(random() % (2 * static_cast<unsigned>(most))) - most;
    const bool is_negative = random() % 2 == 0;
    value = std::ldexp(is_negative ? -1.0 : 1.0, exponent);
    return static_cast<std::uint64_t>(exponent + bias) << mantissa_bits |
           static_cast<std::uint64_t>(is_negative) << sign_bit;
  };
  for (int repetition = 0; repetition < 10; ++repetition) {
    Machine machine(form);
    const Elements places = random_elements(machine, form, 0, random, false, [] { return 0; });
    std::vector<std::vector<double>> a(form.m, std::vector<double>(form.k / 2));
    std::vector<std::vector<double>> b(form.k, std::vector<double>(form.n));
    std::vector<std::vector<float>> c(form.m, std::vector<float>(form.n));
    const Case own = {form.m, form.n, form.k / 2, form.factor, form.sum};
    for_each_of_a(own, [&](unsigned i, unsigned lane, unsigned part, unsigned row, unsigned at) {
      machine.set(machine.a()[i], lane, form.factor, part, power(a[row][at]));
    });
    for_each_of_b(form, [&](unsigned i, unsigned lane, unsigned part, unsigned k, unsigned column) {
      machine.set(machine.b()[i], lane, form.factor, part, power(b[k][column]));
    });
    for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
      const float value = std::ldexp(static_cast<float>(random() % 65536) - 32768, -10);
      c[row][column] = value;
      machine.set(machine.c()[i], lane, Element::f32, 0, std::bit_cast<std::uint32_t>(value));
    });
    for (const Simd simd : levels()) {
      MatrixProduct product = sparse_product(machine, 0);
      product.is_by_halves = is_byte_float(form.factor);
      machine.multiply(find_matrix_function(simd), product);
      unsigned wrong = 0;
      for_each_of_c(form, [&](unsigned i, unsigned lane, unsigned, unsigned row, unsigned column) {
        std::vector<double> products[2];
        for (unsigned at = 0; at < form.k / 2; ++at) {
          const unsigned part = product.is_by_halves ? at / 2 % 2 : 0;
          products[part].push_back(a[row][at] * b[places.places[row][at]][column]);
        }
        const std::size_t at_once = products[0].size();
        float expected = 0;
        if (product.is_by_halves) {
          expected = sum_of_hopper(sum_of_hopper(0, products[0], at_once), products[1], at_once);
          expected += c[row][column];
        } else {
          expected = sum_of_hopper(c[row][column], products[0], at_once);
        }
        const auto found = machine.get(machine.d()[i], lane, Element::f32, 0) & 0xffffffff;
        wrong += found == std::bit_cast<std::uint32_t>(expected) ? 0 : 1;
      });
      BOOST_TEST(wrong == 0U, form << ": " << to_string(simd));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing::sparse_product_test
