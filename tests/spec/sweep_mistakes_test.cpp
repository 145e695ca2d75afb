#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

namespace {

using namespace sweep::testing;

const std::vector<TextCase> files = {
    {"", "?"},
    {"# nothing\n", "?"},
    {"- stride\n", "?"},
    {"stride\n", "?"},
    {"axes: {STRIDE: 1}\n", "?"},
    {"pattern:\naxes: {STRIDE: 1}\n", "?"},
    {"pattern: stride\npatterns: [tile]\n", "?"},
    {"patterns: []\n", "?"},
    {"pattern: {a: 1}\n", "?"},
    {"pattern: strid\naxes: {STRIED: 1}\nwhere: X\n", "?"},
    {"patterns: [tile, elephant]\n", "?"},
    {"patterns: [tile, stride, tile]\n", "?"},
    {"pattern: stride\naxis: {STRIDE: 1}\n", "?"},
    {"pattern: stride\ncolor: red\n", "?"},
    {"pattern: stride\npattern: tile\n", "?"},
    {"pattern: stride\nsummary: [a]\n", "?"},
    {"pattern: stride\naxes: {STRIDE: [1, 2}\n", "?"},
};

// Line 3 is the axis.
const std::vector<TextCase> axes = {
    {"  STRIED: [1]", "?"},
    {"  ELEPHANT: [1]", "?"},
    {"  pattern: [1]", "?"},
    {"  STRIDE:", "?"},
    {"  STRIDE: []", "?"},
    {"  STRIDE: [1, float]", "?"},
    {"  STRIDE: true", "?"},
    {"  T: [float, 4]", "?"},
    {"  T: [flaot]", "?"},
    {"  STRIDE: [4, -1, -2]", "?"},
    {"  STRIDE: {from: -4, to: 4}", "?"},
    {"  BLOCK: [32, 1024, 1025]", "?"},
    {"  BLOCK: [16]", "?"},
    {"  STRIDE: [1, 2, 1]", "?"},
    {"  STRIDE: {from: 1, to: 4, step: 0}", "?"},
    {"  STRIDE: {from: 4, to: 1}", "?"},
    {"  STRIDE: {from: 1, to: 1 Gi}", "?"},
    {"  STRIDE: [1]\n  STRIDE: [2]", "?"},
    {"  STRIDE: 1, 2", "?"},
    {"  - STRIDE", "?"},
};

// Line 2 is the group.
const std::vector<TextCase> zips = {
    {"zip: {ROWS: [1], COLUMNS: [2]}", "?"},
    {"zip: [ROWS]", "?"},
    {"zip: [{}]", "?"},
    {"zip: [{ROWS: [1, 2], COLUMNS: [2]}]", "?"},
    {"zip: [{ROWS: [1, 2], COLUMNS: [2], T: float}]", "?"},
    {"zip: [{ROWS: [], COLUMNS: []}]", "?"},
    {"zip: [{ROWS: , COLUMNS: [2]}]", "?"},
    {"zip: [{ROWS: [[1, 2]], COLUMNS: [2]}]", "?"},
    {"zip: [{ROWS: [{from: 1, to: 2}], COLUMNS: [2]}]", "?"},
    {"zip: [{ROWS: [1, X], COLUMNS: [2, 3]}]", "?"},
    {"zip: [{ROWS: [1, 0], COLUMNS: [2, 3]}]", "?"},
    {"zip: [{ROWS: [1, 2, 1], COLUMNS: [3, 3, 3]}]", "?"},
    {"zip: [{ROWS: [1], COLUMN: [2]}]", "?"},
    {"zip: [{ROWS: [1], pattern: [2]}]", "?"},
    {"axes: {COLUMNS: [1]}\nzip: [{ROWS: [1], COLUMNS: [2]}]", "?"},
    {"zip: [{ROWS: [1]}, {T: [float], ROWS: [2]}]", "?"},
};

// Line 2 is the condition.
const std::vector<TextCase> conditions = {
    {"where: STRIDE", "?"},
    {"where: [N > 1, N + 1]", "?"},
    {"where: X > 1", "?"},
    {"where: N >", "?"},
    {"where: T > 1", "?"},
    {"where: pattern == stride", "?"},
    {"where: sizeof(Pear) > 1", "?"},
    {"where: {a: N > 1}", "?"},
};

const std::vector<TextCase> rules = {
    {"measure: cold", "?"},
    {"measure: {cash: cold}", "?"},
    {"measure: {cache: hot}", "?"},
    {"measure: {cache: warn}", "?"},
    {"measure: {cache: [cold]}", "?"},
    {"measure: {noise: -1 %}", "?"},
    {"measure: {noise: 101 %}", "?"},
    {"measure: {noise: 2}", "?"},
    {"measure: {noise: low}", "?"},
    {"measure: {noise: nan}", "?"},
    {"measure: {noise: [1 %]}", "?"},
    {"measure: {seconds: 0}", "?"},
    {"measure: {seconds: -1}", "?"},
    {"measure: {seconds: 86401}", "?"},
    {"measure: {seconds: 50 %}", "?"},
    {"measure: {seconds: 1 h}", "?"},
    {"measure: {samples: 10}", "?"},
    {"measure: {samples: {mean: 10}}", "?"},
    {"measure: {samples: {min: 0}}", "?"},
    {"measure: {samples: {max: 1000001}}", "?"},
    {"measure: {samples: {min: float}}", "?"},
    {"measure: {samples: {min: N}}", "?"},
    {"measure: {samples: {min: 1 / 0, max: 0}, cache: hot}", "?"},
    {"measure: {samples: {min: 20, max: 10}}", "?"},
    {"measure: {samples: {min: 2000}}", "?"},
};

const std::vector<TextCase> reports = {
    {"report: [1]", "?"},
    {"report: {table: []}", "?"},
    {"report: {tables: {rows: T}}", "?"},
    {"report: {tables: [bandwidth]}", "?"},
    {"report: {tables: [{rows: T}]}", "?"},
    {"report: {tables: [{value: time}]}", "?"},
    {"report: {tables: [{rows: , value: time}]}", "?"},
    {"report: {tables: [{rows: [], value: []}]}", "?"},
    {"report: {tables: [{row: T, value: time}]}", "?"},
    {"report: {tables: [{rows: STRID, value: time}]}", "?"},
    {"report: {tables: [{rows: [T, STRIDE, X], columns: [N, Y], value: time}]}", "?"},
    {"report: {tables: [{rows: T, value: bandwith}]}", "?"},
    {"report: {tables: [{rows: T, value: [time, speed]}]}", "?"},
    {"report: {tables: [{rows: T, value: time, where: N}]}", "?"},
    {"report: {tables: [{rows: T, value: time, where: M == 1}]}", "?"},
    {"report: {tables: [{rows: {a: T}, value: time}]}", "?"},
};

/// The messages of a sweep of which `lines` are all after the first.
std::string after_pattern(const std::string& first, const std::string& lines) {
  return sweep_messages(first + '\n' + lines + '\n');
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sweep_mistakes)

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

BOOST_AUTO_TEST_CASE(of_several_patterns) {
  // Each pattern sets limits of its own; a condition needs one pattern that has all its names.
  BOOST_TEST(sweep_messages("patterns: [stride, tile]\naxes: {N: [float]}\n") == "?");
  BOOST_TEST(sweep_messages("patterns: [stride, tile]\nwhere: STRIDE < ROWS\n") == "?");
}

BOOST_AUTO_TEST_CASE(all_are_shown_at_once_from_top_to_bottom) {
  BOOST_TEST(sweep_messages("summry: Everything is wrong\n"
                            "pattern: stride\n"
                            "report: {tables: [{rows: STRID, value: time}]}\n"
                            "measure: {cache: hot, noise: 5}\n"
                            "where: [N > , X]\n"
                            "axes: {STRIED: [1], BLOCK: [1], T: [float, float]}\n",
                            {"N=", "M=4"}) == "?");
}

BOOST_AUTO_TEST_SUITE_END()
