#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>
#include <string>

#include "engine/explain/explanation.h"

namespace declared_names {
namespace {

namespace data = boost::unit_test::data;
using Names = std::vector<std::string>;

struct Row {
  std::string code;
  Names names;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.code;
}

const std::vector<Row> pointers = {
    {"float* half = out;", {"half"}},
    {"const float *const __restrict__ in, T* out)", {"in", "out"}},
    {"auto row = data + 1; auto row = 2;", {"row"}},
    {"for (auto  x{1}; autox = 2;)", {"x"}},
    {"int * p;", {"p"}},
    {"x = a * b + 1", {}},
    {"x = a * b;", {"b"}},
    {"x = *3;", {}},
    {"*", {}},
    {"auto", {}},
};

const std::vector<Row> arrays = {
    {"extern __shared__ float tile[];", {"tile"}},
    {"extern __shared__ float4\n tile [ ] ;", {"tile"}},
    {"int x; extern __shared__ T a[]; extern __shared__ T b[];", {"a", "b"}},
    {"__shared__ float tile[];", {}},
    {"extern __shared__ float tile[4];", {}},
    {"external float tile[];", {}},
    {"extern \"C\" int f()", {}},
};

const std::vector<Row> macros = {
    {"#define AT(i) data[i]\n#define N 4\n#define P(x) (*(x))\n", {"AT", "P"}},
    {"#define F(p) p->x\n#undef A\n# define 3 [\n", {"F"}},
};

}  // namespace
}  // namespace declared_names

BOOST_AUTO_TEST_SUITE(declared_names)

BOOST_DATA_TEST_CASE(of_pointers, data::make(pointers), row) {
  BOOST_TEST(sweep::pointer_names(row.code) == row.names, boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(of_dynamic_arrays, data::make(arrays), row) {
  BOOST_TEST(sweep::dynamic_array_names(row.code) == row.names, boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(of_macros_that_touch_memory, data::make(macros), row) {
  BOOST_TEST(sweep::memory_macros(row.code) == row.names, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(texts_of_any_length_are_read) {
  const std::string blanks(1'000'000, ' ');
  const std::string word(1'000'000, 'x');
  BOOST_TEST(sweep::pointer_names("*" + blanks + word + blanks + ";").size() == 1u);
  BOOST_TEST(sweep::dynamic_array_names("extern" + blanks + word + blanks + "[];").size() == 1u);
  BOOST_TEST(sweep::memory_macros("#define " + word + " [").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
