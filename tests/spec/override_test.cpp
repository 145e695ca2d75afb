#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(override)

namespace {

using namespace sweep::testing;

// The axes are STRIDE=1,2, T=float and the pair (BLOCK,N).
const std::string text =
    "pattern: stride\n"
    "axes: {STRIDE: [1, 2], T: [float]}\n"
    "zip: [{BLOCK: [128, 256], N: [1, 2]}]\n";

std::string axes_with(const std::vector<std::string>& settings) {
  return shown(read_sweep(text, settings).axes);
}

const std::vector<TextCase> forms = {
    {"STRIDE=4", "STRIDE=4"},
    {"STRIDE=4,8,16", "STRIDE=4,8,16"},
    {"STRIDE=4, 8 ,16", "STRIDE=4,8,16"},
    {" STRIDE = 4,8 ", "STRIDE=4,8"},
    {"STRIDE=[4, 8]", "STRIDE=4,8"},
    {"STRIDE= [4,8]", "STRIDE=4,8"},
    {"STRIDE={from: 1, to: 4}", "STRIDE=1,2,3,4"},
    {"STRIDE={from: 1, to: 8, multiply: 2}", "STRIDE=1,2,4,8"},
    {"STRIDE=1 Ki,2*3,max(4, 5)", "STRIDE=1024,6,5"},
    {"STRIDE=max(1,2),(3)", "STRIDE=2,3"},
};

const std::vector<TextCase> mistakes = {
    {"STRIDE", "1:1+6 this is not NAME=VALUES | for example --set STRIDE=1,2,4"},
    {"", "1:1+1 this is not NAME=VALUES | for example --set STRIDE=1,2,4"},
    {"=4", "1:1+2 this is not NAME=VALUES | for example --set STRIDE=1,2,4"},
    {" =4", "1:1+3 this is not NAME=VALUES | for example --set STRIDE=1,2,4"},
    {"STRIDE=", "1:1+6 'STRIDE' gets no value | for example --set STRIDE=1,2,4"},
    {"STRIDE=  ", "1:1+6 'STRIDE' gets no value | for example --set STRIDE=1,2,4"},
    {"STRIDE=1,", "1:10+1 an expression is missing here"},
    {"STRIDE=1,,2", "1:10+1 an expression is missing here"},
    {"STRIDE=1 2", "1:10+1 '2' is not expected here"},
    {"STRIDE==1", "1:8+1 '=' has no meaning in an expression | write == to compare"},
    {"STRIDE=4, 8, 4", "1:14+1 the axis 'STRIDE' has the value 4 twice"},
    {"STRIDE=-1", "1:8+2 STRIDE = -1 is below the min of 0 | the pattern 'stride' sets this limit"},
    {"STRIDE=2, 1, -1",
     "1:14+2 STRIDE = -1 is below the min of 0 | the pattern 'stride' sets this limit"},
    {"STRIDE=float",
     "1:8+5 'STRIDE' of the pattern 'stride' is an integer, but float is an element type"},
    {"STRIDE=X", "1:8+1 'X' is not an integer, a boolean or an element type"},
    {"STRIDE=[1",
     "1:10+1 this is not valid YAML: end of sequence flow not found | put text that contains ':', "
     "'#', quotes, braces or a leading '*', '&' or '%' in quotes"},
    {"STRIDE=[1] 2",
     "1:12+1 this is not valid YAML: the document ends before this | indent what belongs together "
     "by the same number of spaces"},
    {"STRIDE=[]", "1:8+1 the axis 'STRIDE' has no values | write a list, or {from: 1, to: 32}"},
    {"STRIDE={from: 1}",
     "1:8+1 the axis 'STRIDE' needs the key 'to' | write {from: 1, to: 32}, with step: 4 or "
     "multiply: 2 if need be"},
    {"STRIDE={from: 4, to: 1}",
     "1:8+1 the axis 'STRIDE' has no values: from 4 to 1 | a falling range needs a negative step"},
    {"T=flaot",
     "1:3+5 'flaot' is not an integer, a boolean or an element type | did you mean 'float'?"},
    {"STRIED=1", "1:1+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"ELEPHANT=1",
     "1:1+8 there is no parameter 'ELEPHANT' | the parameters are: T, STRIDE, BLOCK, N"},
    {"stride=1", "1:1+6 there is no parameter 'stride' | did you mean 'STRIDE'?"},
    {"pattern=tile",
     "1:1+7 'pattern' is an axis of its own | the sweep file names them: patterns: [offset, "
     "stride]"},
    {"BLOCK=64",
     "1:1+5 'BLOCK' moves together with N in this sweep | an axis of 'zip' cannot be replaced "
     "alone"},
    {"N=1,2",
     "1:1+1 'N' moves together with BLOCK in this sweep | an axis of 'zip' cannot be replaced "
     "alone"},
};

}  // namespace

BOOST_DATA_TEST_CASE(has_many_forms, data::make(forms)) {
  BOOST_TEST(axes_with({sample.text}) == sample.expected + " T=float (BLOCK,N)=128:1,256:2");
}

BOOST_AUTO_TEST_CASE(replaces_an_axis_in_its_place) {
  BOOST_TEST(axes_with({"T=double,int"}) == "STRIDE=1,2 T=double,int32_t (BLOCK,N)=128:1,256:2");
  BOOST_TEST(axes_with({"T=half", "STRIDE=3"}) == "STRIDE=3 T=half (BLOCK,N)=128:1,256:2");
  BOOST_TEST(axes_with({"STRIDE=3", "STRIDE=5"}) == "STRIDE=5 T=float (BLOCK,N)=128:1,256:2");
}

BOOST_AUTO_TEST_CASE(of_a_default_is_a_further_axis) {
  const std::string file = "pattern: tile\naxes: {T: float}\n";
  BOOST_TEST(shown(read_sweep(file, {"N=64"}).axes) == "T=float N=64");
  BOOST_TEST(shown(read_sweep(file, {"PADDED=true,false", "ROWS=1,2"}).axes) ==
             "T=float PADDED=true,false ROWS=1,2");
  BOOST_TEST(shown(read_sweep("pattern: tile\n", {"N=64"}).axes) == "N=64");
}

BOOST_AUTO_TEST_CASE(of_an_axis_that_moves_alone_in_its_group_replaces_it) {
  BOOST_TEST(shown(read_sweep("pattern: tile\nzip: [{ROWS: [1]}]\n", {"ROWS=2,3"}).axes) ==
             "ROWS=2,3");
}

BOOST_DATA_TEST_CASE(mistakes_have_their_place_in_the_argument, data::make(mistakes)) {
  BOOST_TEST(sweep_messages(text, {sample.text}) == sample.expected);
}

BOOST_AUTO_TEST_CASE(is_named_in_its_messages) {
  try {
    read_sweep(text, {"STRIDE=1,X"});
    BOOST_FAIL("X is no value");
  } catch (const sweep::InputError& error) {
    BOOST_TEST(error.what() ==
               "--set:1:10: error: 'X' is not an integer, a boolean or an element type\n"
               "  STRIDE=1,X\n"
               "           ^\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()
