#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(sweep_mistakes)

namespace {

using namespace sweep::testing;

const std::vector<TextCase> files = {
    {"", "0:0+1 this sweep is empty | a sweep names at least a pattern: pattern: stride"},
    {"# nothing\n",
     "0:0+1 this sweep is empty | a sweep names at least a pattern: pattern: stride"},
    {"- stride\n",
     "1:1+1 a sweep must be a map of keys and values | the keys are: summary, pattern, patterns, "
     "axes, zip, where, compile, measure, metrics, tune, emulator, expect, report"},
    {"stride\n",
     "1:1+6 a sweep must be a map of keys and values | the keys are: summary, pattern, patterns, "
     "axes, zip, where, compile, measure, metrics, tune, emulator, expect, report"},
    {"axes: {STRIDE: 1}\n",
     "1:1+1 a sweep needs the key 'pattern' | write pattern: stride, or patterns: [offset, "
     "stride]"},
    {"pattern:\naxes: {STRIDE: 1}\n",
     "1:1+1 a sweep needs the key 'pattern' | write pattern: stride, or patterns: [offset, "
     "stride]"},
    {"pattern: stride\npatterns: [tile]\n",
     "2:11+1 'pattern' and 'patterns' exclude each other | write pattern: stride, or patterns: "
     "[offset, stride]"},
    {"patterns: []\n",
     "1:11+1 no pattern is named | write pattern: stride, or patterns: [offset, stride]"},
    {"pattern: {a: 1}\n", "1:10+1 'pattern' must be a single value"},
    {"pattern: strid\naxes: {STRIED: 1}\nwhere: X\n",
     "1:10+5 there is no pattern 'strid' | did you mean 'stride'?"},
    {"patterns: [tile, elephant]\n", "1:18+8 there is no pattern 'elephant'"},
    {"patterns: [tile, stride, tile]\n", "1:26+4 the pattern 'tile' is named twice"},
    {"pattern: stride\naxis: {STRIDE: 1}\n",
     "2:1+4 a sweep has no key 'axis' | did you mean 'axes'?"},
    {"pattern: stride\ncolor: red\n",
     "2:1+5 a sweep has no key 'color' | the keys are: summary, pattern, patterns, axes, zip, "
     "where, compile, measure, metrics, tune, emulator, expect, report"},
    {"pattern: stride\npattern: tile\n",
     "2:1+7 the key 'pattern' is given twice | it stands first in line 1"},
    {"pattern: stride\nsummary: [a]\n", "2:10+1 'summary' must be a single value"},
    {"pattern: stride\naxes: {STRIDE: [1, 2}\n",
     "2:21+1 this is not valid YAML: illegal flow end | put text that contains ':', '#', quotes, "
     "braces or a leading '*', '&' or '%' in quotes"},
};

// Line 3 is the axis.
const std::vector<TextCase> axes = {
    {"  STRIED: [1]", "3:3+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?"},
    {"  ELEPHANT: [1]",
     "3:3+8 there is no parameter 'ELEPHANT' | the parameters are: T, STRIDE, BLOCK, N"},
    {"  pattern: [1]",
     "3:3+7 'pattern' is an axis of its own | the sweep file names them: patterns: [offset, "
     "stride]"},
    {"  STRIDE:", "3:3+6 the axis 'STRIDE' has no values | write a list, or {from: 1, to: 32}"},
    {"  STRIDE: []", "3:11+1 the axis 'STRIDE' has no values | write a list, or {from: 1, to: 32}"},
    {"  STRIDE: [1, float]",
     "3:15+5 'STRIDE' of the pattern 'stride' is an integer, but float is an element type"},
    {"  STRIDE: true",
     "3:11+4 'STRIDE' of the pattern 'stride' is an integer, but true is a boolean"},
    {"  T: [float, 4]",
     "3:14+1 'T' of the pattern 'stride' is an element type, but 4 is an integer"},
    {"  T: [flaot]",
     "3:7+5 'flaot' is not an integer, a boolean or an element type | did you mean 'float'?"},
    {"  STRIDE: [4, -1, -2]",
     "3:15+2 STRIDE = -1 is below the min of 0 | the pattern 'stride' sets this limit"},
    {"  STRIDE: {from: -4, to: 4}",
     "3:11+1 STRIDE = -4 is below the min of 0 | the pattern 'stride' sets this limit"},
    {"  BLOCK: [32, 1024, 1025]",
     "3:21+4 BLOCK = 1025 is above the max of 1024 | the pattern 'stride' sets this limit"},
    {"  BLOCK: [16]",
     "3:11+2 BLOCK = 16 is below the min of 32 | the pattern 'stride' sets this limit"},
    {"  STRIDE: [1, 2, 1]", "3:18+1 the axis 'STRIDE' has the value 1 twice"},
    {"  STRIDE: {from: 1, to: 4, step: 0}", "3:34+1 'step' must not be 0"},
    {"  STRIDE: {from: 4, to: 1}",
     "3:11+1 the axis 'STRIDE' has no values: from 4 to 1 | a falling range needs a negative step"},
    {"  STRIDE: {from: 1, to: 1 Gi}",
     "3:11+1 the axis 'STRIDE' has 1,073,741,824 values; an axis can have 1,000,000 | take larger "
     "steps, multiply, or list fewer values"},
    {"  STRIDE: [1]\n  STRIDE: [2]",
     "4:3+6 the key 'STRIDE' is given twice | it stands first in line 3"},
    {"  STRIDE: 1, 2", "3:11+4 a list of values stands in brackets | [1, 2]"},
    {"  - STRIDE", "3:3+1 'axes' must be a map of parameters and their values | STRIDE: [1, 2, 4]"},
};

// Line 2 is the group.
const std::vector<TextCase> zips = {
    {"zip: {ROWS: [1], COLUMNS: [2]}",
     "2:6+1 'zip' must be a list of maps | zip: [{ROWS: [8, 16], TILE: [32, 64]}]"},
    {"zip: [ROWS]",
     "2:7+4 a group of 'zip' must be a map of parameters | zip: [{ROWS: [8, 16], TILE: [32, 64]}]"},
    {"zip: [{}]",
     "2:7+1 a group of 'zip' must be a map of parameters | zip: [{ROWS: [8, 16], TILE: [32, 64]}]"},
    {"zip: [{ROWS: [1, 2], COLUMNS: [2]}]",
     "2:22+7 'COLUMNS' has 1 value where 'ROWS' has 2 | axes that move together have equally many "
     "values"},
    {"zip: [{ROWS: [1, 2], COLUMNS: [2], T: float}]",
     "2:22+7 'COLUMNS' has 1 value where 'ROWS' has 2 | axes that move together have equally many "
     "values\n"
     "2:36+1 'T' has 1 value where 'ROWS' has 2 | axes that move together have equally many "
     "values"},
    {"zip: [{ROWS: [], COLUMNS: []}]",
     "2:14+1 the axis 'ROWS' has no values | write a list, or {from: 1, to: 32}\n"
     "2:27+1 the axis 'COLUMNS' has no values | write a list, or {from: 1, to: 32}"},
    {"zip: [{ROWS: , COLUMNS: [2]}]",
     "2:8+4 the axis 'ROWS' has no values | write a list, or {from: 1, to: 32}"},
    {"zip: [{ROWS: [[1, 2]], COLUMNS: [2]}]",
     "2:15+1 a value of 'ROWS' must be an integer, a boolean or an element type"},
    {"zip: [{ROWS: [{from: 1, to: 2}], COLUMNS: [2]}]",
     "2:15+1 a value of 'ROWS' must be an integer, a boolean or an element type"},
    {"zip: [{ROWS: [1, X], COLUMNS: [2, 3]}]",
     "2:18+1 'X' is not an integer, a boolean or an element type"},
    {"zip: [{ROWS: [1, 0], COLUMNS: [2, 3]}]",
     "2:18+1 ROWS = 0 is below the min of 1 | the pattern 'tile' sets this limit"},
    {"zip: [{ROWS: [1, 2, 1], COLUMNS: [3, 3, 3]}]",
     "2:8+4 places 1 and 3 of this group have the same values"},
    {"zip: [{ROWS: [1], COLUMN: [2]}]",
     "2:19+6 there is no parameter 'COLUMN' | did you mean 'COLUMNS'?"},
    {"zip: [{ROWS: [1], pattern: [2]}]",
     "2:19+7 'pattern' is an axis of its own | the sweep file names them: patterns: [offset, "
     "stride]"},
    {"axes: {COLUMNS: [1]}\nzip: [{ROWS: [1], COLUMNS: [2]}]", "3:19+7 'COLUMNS' is an axis twice"},
    {"zip: [{ROWS: [1]}, {T: [float], ROWS: [2]}]", "2:33+4 'ROWS' is an axis twice"},
};

// Line 2 is the condition.
const std::vector<TextCase> conditions = {
    {"where: STRIDE",
     "2:8+6 a condition of 'where' must be a boolean, but this is an integer | write a comparison"},
    {"where: [N > 1, N + 1]",
     "2:16+5 a condition of 'where' must be a boolean, but this is an integer | write a "
     "comparison"},
    {"where: X > 1",
     "2:8+1 there is no parameter 'X' | the names known here are: T, STRIDE, BLOCK, N, pattern, "
     "sizeof(Pair)"},
    {"where: N >", "2:11+1 the expression ends where a value is expected"},
    {"where: T > 1",
     "2:8+1 '>' takes integers, but this is an element type | sizeof(...) gives a type's size in "
     "bytes"},
    {"where: pattern == stride",
     "2:8+17 the pattern 'stride' stands without quotes | pattern == 'stride'"},
    {"where: sizeof(Pear) > 1",
     "2:8+12 there is no type 'Pear' | a pattern says the size of a type of its "
     "files by structs: {NAME: BYTES}"},
    {"where: {a: N > 1}", "2:8+1 'where' must be a single value"},
};

const std::vector<TextCase> rules = {
    {"measure: cold",
     "2:10+4 measure must be a map of keys and values | the keys are: cache, noise, samples, "
     "seconds, caches, energy, counters"},
    {"measure: {caches: maybe}", "2:19+5 'caches' must be true or false"},
    {"measure: {caches: [true]}", "2:19+1 'caches' must be a single value"},
    {"measure: {counter: true}", "2:11+7 measure has no key 'counter' | did you mean 'counters'?"},
    {"measure: {cash: cold}",
     "2:11+4 measure has no key 'cash' | the keys are: cache, noise, samples, seconds, caches, "
     "energy, "
     "counters"},
    {"measure: {cache: hot}",
     "2:18+3 'hot' is not a state of the cache | the states are: cold, warm"},
    {"measure: {cache: warn}", "2:18+4 'warn' is not a state of the cache | did you mean 'warm'?"},
    {"measure: {cache: [cold]}", "2:18+1 'cache' must be a single value"},
    {"measure: {noise: -1 %}",
     "2:18+4 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005"},
    {"measure: {noise: 101 %}",
     "2:18+5 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005"},
    {"measure: {noise: 2}",
     "2:18+1 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005"},
    {"measure: {noise: low}",
     "2:18+3 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005"},
    {"measure: {noise: nan}",
     "2:18+3 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005"},
    {"measure: {noise: [1 %]}", "2:18+1 'noise' must be a single value"},
    {"measure: {seconds: 0}",
     "2:20+1 'seconds' must be a number above 0 and up to 86400 | for example 0.5"},
    {"measure: {seconds: -1}",
     "2:20+2 'seconds' must be a number above 0 and up to 86400 | for example 0.5"},
    {"measure: {seconds: 86401}",
     "2:20+5 'seconds' must be a number above 0 and up to 86400 | for example 0.5"},
    {"measure: {seconds: 50 %}",
     "2:20+4 'seconds' must be a number above 0 and up to 86400 | for example 0.5"},
    {"measure: {seconds: 1 h}",
     "2:20+3 'seconds' must be a number above 0 and up to 86400 | for example 0.5"},
    {"measure: {samples: 10}",
     "2:20+2 samples must be a map of keys and values | the keys are: min, max"},
    {"measure: {samples: {mean: 10}}", "2:21+4 samples has no key 'mean' | the keys are: min, max"},
    {"measure: {samples: {min: 0}}", "2:26+1 'min' must be an integer from 1 to 1000000"},
    {"measure: {samples: {max: 1000001}}", "2:26+7 'max' must be an integer from 1 to 1000000"},
    {"measure: {samples: {min: float}}", "2:26+5 'min' must be an integer from 1 to 1000000"},
    {"measure: {samples: {min: N}}", "2:26+1 'N' is not an integer, a boolean or an element type"},
    {"measure: {samples: {min: 1 / 0, max: 0}, cache: hot}",
     "2:28+1 '/' divides by zero | guard it, for example with max(X, 1) or X > 0 && ...\n"
     "2:38+1 'max' must be an integer from 1 to 1000000\n"
     "2:49+3 'hot' is not a state of the cache | the states are: cold, warm"},
    {"measure: {samples: {min: 20, max: 10}}",
     "2:20+1 the fewest samples (20) are more than the most (10)"},
    {"measure: {samples: {min: 2000}}",
     "2:20+1 the fewest samples (2000) are more than the most (1000) | give both min and max"},
};

const std::vector<TextCase> reports = {
    {"report: [1]", "2:9+1 report must be a map of keys and values | the keys are: tables, charts"},
    {"report: {table: []}", "2:10+5 report has no key 'table' | did you mean 'tables'?"},
    {"report: {tables: {rows: T}}",
     "2:18+1 'tables' must be a list | tables: [{rows: STRIDE, columns: [T], value: bandwidth}]"},
    {"report: {tables: [bandwidth]}",
     "2:19+9 a table must be a map of keys and values | the keys are: rows, columns, value, where, "
     "title"},
    {"report: {tables: [{rows: T}]}",
     "2:19+1 a table needs the key 'value' | a metric, for example bandwidth"},
    {"report: {tables: [{value: time}]}",
     "2:19+1 a table needs the key 'rows' | the parameters whose values are the table's lines"},
    {"report: {tables: [{rows: , value: time}]}",
     "2:20+4 'rows' has no value | the parameters whose values are the table's lines"},
    {"report: {tables: [{rows: [], value: []}]}",
     "2:26+1 'rows' names no parameter | the parameters whose values are the table's lines\n"
     "2:37+1 'value' names no metric | a metric, for example bandwidth"},
    {"report: {tables: [{row: T, value: time}]}",
     "2:20+3 a table has no key 'row' | did you mean 'rows'?"},
    {"report: {tables: [{rows: STRID, value: time}]}",
     "2:26+5 there is no parameter 'STRID' | did you mean 'STRIDE'?"},
    {"report: {tables: [{rows: [T, STRIDE, X], columns: [N, Y], value: time}]}",
     "2:38+1 there is no parameter 'X' | the names known here are: T, STRIDE, BLOCK, N, pattern\n"
     "2:55+1 there is no parameter 'Y' | the names known here are: T, STRIDE, BLOCK, N, pattern"},
    {"report: {tables: [{rows: T, value: bandwith}]}",
     "2:36+8 there is no metric 'bandwith' | did you mean 'bandwidth'?"},
    {"report: {tables: [{rows: T, value: time, where: N}]}",
     "2:49+1 'where' must be a boolean, but this is an integer | write a comparison"},
    {"report: {tables: [{rows: T, value: time, where: M == 1}]}",
     "2:49+1 there is no parameter 'M' | the names known here are: T, STRIDE, BLOCK, N, pattern"},
    {"report: {tables: [{rows: {a: T}, value: time}]}", "2:26+1 'rows' must be a single value"},
};

/// The messages of a sweep of which `lines` are all after the first.
std::string after_pattern(const std::string& first, const std::string& lines) {
  return sweep_messages(first + '\n' + lines + '\n');
}

}  // namespace

BOOST_DATA_TEST_CASE(of_the_file_and_its_patterns, data::make(files)) {
  BOOST_TEST(sweep_messages(sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(of_axes, data::make(axes)) {
  BOOST_TEST(after_pattern("pattern: stride\naxes:", sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(of_axes_that_move_together, data::make(zips)) {
  BOOST_TEST(after_pattern("pattern: tile", sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(of_conditions, data::make(conditions)) {
  BOOST_TEST(after_pattern("pattern: stride", sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(of_measuring_rules, data::make(rules)) {
  BOOST_TEST(after_pattern("pattern: stride", sample.text) == sample.expected);
}

BOOST_DATA_TEST_CASE(of_reports, data::make(reports)) {
  BOOST_TEST(after_pattern("pattern: stride", sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(of_a_metric_suggest_one) {
  BOOST_TEST(
      sweep_messages("pattern: stride\n"
                     "report: {tables: [{rows: T, value: [time, speed]}]}\n") ==
      "2:43+5 there is no metric 'speed' | 'sweep list metrics' shows the metrics there are");
  BOOST_TEST(sweep_messages("pattern: stride\n"
                            "report: {tables: [{rows: T, value: gld_eficiency}]}\n") ==
             "2:36+13 there is no metric 'gld_eficiency' | did you mean 'gld_efficiency'?");
}

BOOST_AUTO_TEST_CASE(of_several_patterns) {
  // Each pattern sets limits of its own; a condition needs one pattern that has all its names.
  BOOST_TEST(sweep_messages("patterns: [stride, tile]\naxes: {N: [float]}\n") ==
             "2:12+5 'N' of the pattern 'stride' is an integer, but float is an element type\n"
             "2:12+5 'N' of the pattern 'tile' is an integer, but float is an element type");
  BOOST_TEST(sweep_messages("patterns: [stride, tile]\nwhere: STRIDE < ROWS\n") ==
             "2:8+13 no pattern has all the parameters of this condition");
}

BOOST_AUTO_TEST_CASE(all_are_shown_at_once_from_top_to_bottom) {
  BOOST_TEST(sweep_messages("summry: Everything is wrong\n"
                            "pattern: stride\n"
                            "report: {tables: [{rows: STRID, value: time}]}\n"
                            "measure: {cache: hot, noise: 5}\n"
                            "where: [N > , X]\n"
                            "axes: {STRIED: [1], BLOCK: [1], T: [float, float]}\n",
                            {"N=", "M=4"}) ==
             "1:1+6 a sweep has no key 'summry' | did you mean 'summary'?\n"
             "3:26+5 there is no parameter 'STRID' | did you mean 'STRIDE'?\n"
             "4:18+3 'hot' is not a state of the cache | the states are: cold, warm\n"
             "4:30+1 'noise' must be a share from 0 to 1 | for example 0.5 %, which is 0.005\n"
             "5:12+1 the expression ends where a value is expected\n"
             "5:15+1 there is no parameter 'X' | the names known here are: T, STRIDE, BLOCK, N, "
             "pattern, sizeof(Pair)\n"
             "6:8+6 there is no parameter 'STRIED' | did you mean 'STRIDE'?\n"
             "6:29+1 BLOCK = 1 is below the min of 32 | the pattern 'stride' sets this limit\n"
             "6:44+5 the axis 'T' has the value float twice\n"
             "1:1+1 'N' gets no value | for example --set STRIDE=1,2,4\n"
             "1:1+1 there is no parameter 'M' | the parameters are: T, STRIDE, BLOCK, N");
}

BOOST_AUTO_TEST_SUITE_END()
