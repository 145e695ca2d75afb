#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "engine/spec/cuda_scanner.h"
#include "tests/spec/copy_pattern.h"
#include "tests/spec/spec_case.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(pattern_directives)

namespace {

using namespace sweep::testing;
using sweep::Directive;

// "name[the part after the name]" of each, joined by blanks.
const std::vector<TextCase> directives = {
    {"", ""},
    {"a # b", ""},
    {"#", "[]"},
    {"#include <a.h>\nb", "include[ <a.h>]"},
    {"  # /* a */ include \"a.h\" // b\nc", "include[ \"a.h\" // b]"},
    {"#if A\n#else\n#endif", "if[ A] else[] endif[]"},
    {"#define A \\\n  b\nc", "define[ A \\\n  b]"},
    {"#\\\n define A", "define[ A]"},
    {"#include_next <a.h>", "include_next[ <a.h>]"},
    {"// #if A\n/*\n#if B\n*/", ""},
    {"R\"(\n#if A\n)\"", ""},
    {"\"a\" #if A", ""},
    {"/* a */ #if A", "if[ A]"},
};

const std::vector<EditCase> conditions = {
    {"  out[i] =", "#if BLOCK > 1\n  out[i] =",
     "18:5+5 'BLOCK' is a constant, which #if does not see | use if constexpr (BLOCK > 1)"},
    {"  out[i] =", "#if 0\n#elif 2 < \\\n  N // N\n  out[i] =",
     "20:3+1 'N' is a constant, which #elif does not see | use if constexpr (2 < N)"},
    {"  out[i] =", "# ifdef N\n  out[i] =",
     "18:9+1 'N' is a constant, which #ifdef does not see | a parameter always has a value: leave "
     "the condition out, or use if constexpr"},
    {"  out[i] =", "#if defined(N)\n  out[i] =",
     "18:13+1 'N' is a constant, which #if does not see | a parameter always has a value: leave "
     "the condition out, or use if constexpr"},
    {"  out[i] =", "#ifndef MY_N\n#define MY_N N\n#endif  // N\n#if MY_N > 1 /* N */\n  out[i] =",
     ""},
    {"  out[i] =", "// #if N\n  out[i] =", ""},
};

}  // namespace

BOOST_DATA_TEST_CASE(directives_are_found, data::make(directives)) {
  std::string found;
  for (const Directive& directive : sweep::find_directives(sample.text)) {
    found += (found.empty() ? "" : " ") + directive.name + '[' + directive.text + ']';
    const std::string whole = sample.text.substr(directive.offset, directive.length);
    BOOST_TEST(whole.starts_with('#'));
    BOOST_TEST(whole.ends_with(directive.text));
  }
  BOOST_TEST(found == sample.expected);
}

BOOST_DATA_TEST_CASE(the_preprocessor_does_not_see_parameters, data::make(conditions)) {
  BOOST_TEST(pattern_messages(edited(copy_pattern, sample.from, sample.to)) == sample.expected);
}

BOOST_AUTO_TEST_SUITE_END()
