#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(emulator_set)

namespace {

using namespace sweep::testing;

const std::string file =
    "pattern: tile\n"
    "axes: {ROWS: [8, 16], T: [float, double]}\n"
    "zip: [{COLUMNS: [1, 2], PADDED: [true, false]}]\n";

/// The axes of a run on the emulator.
std::string emulated(const std::string& set, const std::vector<std::string>& settings = {}) {
  sweep::Sweep sweep = read_sweep(file + "emulator: {set: " + set + "}\n", settings);
  apply_emulator_set(sweep);
  return shown(sweep.axes);
}

const std::string zipped = " (COLUMNS,PADDED)=1:true,2:false";

const std::vector<TextCase> mistakes = {
    {"emulator: 4", "4:11+1 emulator must be a map of keys and values | the keys are: set"},
    {"emulator: {sets: {N: 1}}", "4:12+4 emulator has no key 'sets' | did you mean 'set'?"},
    {"emulator: {set: [N]}",
     "4:17+1 'set' must be a map of parameters and their values | emulator: {set: {N: 1 Mi}}"},
    {"emulator: {set: {M: 1}}",
     "4:18+1 there is no parameter 'M' | the parameters are: T, ROWS, COLUMNS, PADDED, N"},
    {"emulator: {set: {ROW: 1}}", "4:18+3 there is no parameter 'ROW' | did you mean 'ROWS'?"},
    {"emulator: {set: {ROWS: [4, 0]}}",
     "4:28+1 ROWS = 0 is below the min of 1 | the pattern 'tile' sets this limit"},
    {"emulator: {set: {N: float}}",
     "4:21+5 'N' of the pattern 'tile' is an integer, but float is an element type"},
    {"emulator: {set: {N: []}}",
     "4:21+1 the axis 'N' has no values | write a list, or {from: 1, to: 32}"},
    {"emulator: {set: {COLUMNS: 1}}",
     "4:18+7 'COLUMNS' moves together with PADDED in this sweep | an axis of 'zip' cannot be "
     "replaced alone"},
    {"emulator: {set: {pattern: tile}}",
     "4:18+7 'pattern' is an axis of its own | the sweep file names them: patterns: [offset, "
     "stride]"},
};

}  // namespace

BOOST_AUTO_TEST_CASE(replaces_axes_in_their_place_and_defaults_at_the_end) {
  BOOST_TEST(emulated("{ROWS: 4}") == "ROWS=4 T=float,double" + zipped);
  BOOST_TEST(emulated("{N: 1 Ki, T: [half]}") == "ROWS=8,16 T=half" + zipped + " N=1024");
  BOOST_TEST(emulated("{ROWS: {from: 1, to: 3}}") == "ROWS=1,2,3 T=float,double" + zipped);
  BOOST_TEST(emulated("{}") == "ROWS=8,16 T=float,double" + zipped);
}

BOOST_AUTO_TEST_CASE(changes_nothing_until_it_is_applied) {
  const sweep::Sweep sweep = read_sweep(file + "emulator: {set: {ROWS: 4, N: 64}}\n");
  BOOST_TEST(shown(sweep.axes) == "ROWS=8,16 T=float,double" + zipped);
  BOOST_TEST(shown(sweep.emulator_set) == "ROWS=4 N=64");
}

BOOST_AUTO_TEST_CASE(gives_way_to_the_command_line) {
  BOOST_TEST(emulated("{ROWS: 4, N: 64}", {"ROWS=32"}) ==
             "ROWS=32 T=float,double" + zipped + " N=64");
  BOOST_TEST(emulated("{N: 64}", {"N=128"}) == "ROWS=8,16 T=float,double" + zipped + " N=128");
}

BOOST_DATA_TEST_CASE(mistakes_have_their_place, data::make(mistakes)) {
  BOOST_TEST(sweep_messages(file + sample.text + "\n") == sample.expected);
}

BOOST_AUTO_TEST_SUITE_END()
