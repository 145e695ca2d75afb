#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/spec/example_patterns.h"

namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(sweep_parser)

namespace {

using namespace sweep::testing;
using sweep::CacheState;
using sweep::MeasureRules;
using sweep::Sweep;

/// The axes of a sweep over the pattern `tile` with these lines.
std::string axes_of(const std::string& lines) {
  return shown(read_sweep("pattern: tile\n" + lines).axes);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_default_that_names_parameters_is_computed_unless_an_axis_gives_it) {
  const auto derived = [](const std::string& axes, const std::vector<std::string>& set = {}) {
    const Sweep sweep = read_sweep("pattern: tile\naxes: {" + axes + "}\n", set);
    return derived_parameters(*sweep.patterns.front(), sweep.axes);
  };
  BOOST_TEST(derived("ROWS: [1, 2]") == std::vector<std::string>{"COLUMNS"},
             boost::test_tools::per_element());
  BOOST_TEST(derived("COLUMNS: 4").empty());
  BOOST_TEST(derived("ROWS: 1", {"COLUMNS=1,2"}).empty());
}

BOOST_AUTO_TEST_CASE(a_sweep_is_read_whole) {
  const Sweep sweep = read_sweep(R"(# A comment
summary: Bandwidth against stride
pattern: stride
axes:
  STRIDE: {from: 1, to: 4}
  T: [float, double]
zip:
  - {BLOCK: [128, 256], N: [1 Ki, 2 Ki]}
where: ["N * STRIDE * sizeof(T) <= 16 Gi"]
measure: {cache: warm, noise: 1 %, samples: {min: 5, max: 50}, seconds: 2}
emulator: {set: {STRIDE: [1, 2]}}
expect: load_sectors <= 4
report:
  tables: [{rows: STRIDE, columns: [T], value: bandwidth, where: BLOCK == 256, title: Strides}]
)");
  BOOST_TEST(sweep.name == "example");
  BOOST_TEST(sweep.path == "sweeps/example.yaml");
  BOOST_TEST(sweep.summary == "Bandwidth against stride");
  BOOST_TEST_REQUIRE(sweep.patterns.size() == 1u);
  BOOST_TEST(sweep.patterns.front()->name == "stride");
  BOOST_TEST(shown(sweep.axes) == "STRIDE=1,2,3,4 T=float,double (BLOCK,N)=128:1024,256:2048");
  BOOST_TEST(sweep.axes[0].where.line == 5u);
  BOOST_TEST_REQUIRE(sweep.where.size() == 1u);
  BOOST_TEST(sweep.where[0].text() == "N * STRIDE * sizeof(T) <= 16 Gi");
  BOOST_TEST((sweep.measure == MeasureRules{CacheState::warm, 0.01, 5, 50, 2}));
  BOOST_TEST(shown(sweep.emulator_set) == "STRIDE=1,2");
  BOOST_TEST_REQUIRE(sweep.expect.size() == 1u);
  BOOST_TEST(sweep.expect[0].text == "load_sectors <= 4");
  BOOST_TEST_REQUIRE(sweep.report.tables.size() == 1u);
  const sweep::TableLayout& table = sweep.report.tables.front();
  BOOST_TEST(table.title == "Strides");
  BOOST_TEST(table.rows == std::vector<std::string>{"STRIDE"}, boost::test_tools::per_element());
  BOOST_TEST(table.columns == std::vector<std::string>{"T"}, boost::test_tools::per_element());
  BOOST_TEST(table.values == std::vector<std::string>{"bandwidth"},
             boost::test_tools::per_element());
  BOOST_TEST(table.where.value().text() == "BLOCK == 256");
}

BOOST_AUTO_TEST_CASE(only_the_pattern_is_needed) {
  const Sweep sweep = read_sweep("pattern: stride\n");
  BOOST_TEST(sweep.summary.empty());
  BOOST_TEST(sweep.axes.empty());
  BOOST_TEST(sweep.where.empty());
  BOOST_TEST(sweep.report.tables.empty());
  BOOST_TEST((sweep.measure == MeasureRules{CacheState::cold, 0.005, 10, 1000, 0.5}));
  BOOST_TEST(sweep_messages("pattern: stride\naxes:\nzip:\nwhere:\nmeasure:\nreport:\n"
                            "emulator:\nexpect:\n") == "");
  BOOST_TEST(sweep_messages("pattern: stride\naxes: {}\nmeasure: {}\nreport: {tables: }\n") == "");
}

BOOST_AUTO_TEST_CASE(several_patterns_keep_their_order) {
  const Sweep sweep = read_sweep("patterns: [tile, stride]\n");
  BOOST_TEST_REQUIRE(sweep.patterns.size() == 2u);
  BOOST_TEST(sweep.patterns[0]->name == "tile");
  BOOST_TEST(sweep.patterns[1]->name == "stride");
  BOOST_TEST(read_sweep("patterns: tile\n").patterns.size() == 1u);
  BOOST_TEST(read_sweep("pattern: [tile]\n").patterns.size() == 1u);
}

BOOST_AUTO_TEST_CASE(an_axis_needs_only_one_of_the_patterns) {
  const std::string text = "patterns: [stride, tile]\naxes: {STRIDE: [1, 2], ROWS: [8], N: 4}\n";
  BOOST_TEST(shown(read_sweep(text).axes) == "STRIDE=1,2 ROWS=8 N=4");
  BOOST_TEST(sweep_messages("patterns: [stride, tile]\n"
                            "where: [STRIDE < 3, ROWS > 1, pattern == 'tile' || N > 1]\n"
                            "report: {tables: [{rows: [pattern, STRIDE], columns: ROWS,\n"
                            "                   value: time}]}\n") == "");
}

BOOST_AUTO_TEST_CASE(axes_come_in_the_files_order) {
  BOOST_TEST(axes_of("axes:\n  T: float\n  ROWS: [2, 1]\n  PADDED: [true, false]\n") ==
             "T=float ROWS=2,1 PADDED=true,false");
  BOOST_TEST(axes_of("zip: [{T: [float]}]\naxes: {ROWS: 1}\n") == "ROWS=1 T=float");
}

const std::vector<TextCase> zips = {
    {"zip: [{ROWS: [8, 16], COLUMNS: [32, 64]}]", "(ROWS,COLUMNS)=8:32,16:64"},
    {"zip:\n  - ROWS: [8, 16]\n    COLUMNS: [32, 64]\n    T: [float, double]\n",
     "(ROWS,COLUMNS,T)=8:32:float,16:64:double"},
    {"zip: [{ROWS: [8, 16]}, {T: [float, double]}]", "ROWS=8,16 T=float,double"},
    // A value may stand there twice: the places differ in another name.
    {"zip: [{ROWS: [8, 8, 16], COLUMNS: [1, 2, 2]}]", "(ROWS,COLUMNS)=8:1,8:2,16:2"},
    {"zip: [{ROWS: {from: 1, to: 3}, COLUMNS: {from: 2, to: 8, multiply: 2}}]",
     "(ROWS,COLUMNS)=1:2,2:4,3:8"},
    {"zip: [{ROWS: 8, COLUMNS: 32}]", "(ROWS,COLUMNS)=8:32"},
};

BOOST_DATA_TEST_CASE(zipped_axes_move_together, data::make(zips)) {
  BOOST_TEST(axes_of(sample.text) == sample.expected);
}

BOOST_AUTO_TEST_CASE(conditions_are_one_or_a_list) {
  BOOST_TEST(read_sweep("pattern: stride\nwhere: N > 1\n").where.size() == 1u);
  BOOST_TEST(read_sweep("pattern: stride\nwhere: [N > 1, \"max(N, 2) > 1\"]\n").where.size() == 2u);
  BOOST_TEST(read_sweep("pattern: stride\nwhere: []\n").where.empty());
}

BOOST_AUTO_TEST_CASE(conditions_know_the_patterns_structs) {
  const Sweep sweep = read_sweep("patterns: [stride, tile]\nwhere: N * sizeof(Pair) < 1 Gi\n");
  BOOST_TEST(applies_to(sweep.where[0], *sweep.patterns[0]));
  BOOST_TEST(!applies_to(sweep.where[0], *sweep.patterns[1]));
}

const std::vector<TextCase> rules = {
    {"{}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5"},
    {"{cache: cold}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5"},
    {"{cache: warm}", "cache: warm, noise: 0.5 %, samples: 10..1000, seconds: 0.5"},
    {"{noise: 0.5 %}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5"},
    {"{noise: 2%}", "cache: cold, noise: 2 %, samples: 10..1000, seconds: 0.5"},
    {"{noise: 0.01}", "cache: cold, noise: 1 %, samples: 10..1000, seconds: 0.5"},
    {"{noise: 0}", "cache: cold, noise: 0 %, samples: 10..1000, seconds: 0.5"},
    {"{noise: 100 %}", "cache: cold, noise: 100 %, samples: 10..1000, seconds: 0.5"},
    {"{samples: {min: 20}}", "cache: cold, noise: 0.5 %, samples: 20..1000, seconds: 0.5"},
    {"{samples: {max: 20}}", "cache: cold, noise: 0.5 %, samples: 10..20, seconds: 0.5"},
    {"{samples: {min: 1, max: 1}}", "cache: cold, noise: 0.5 %, samples: 1..1, seconds: 0.5"},
    {"{samples: {max: 2 Ki}}", "cache: cold, noise: 0.5 %, samples: 10..2048, seconds: 0.5"},
    {"{seconds: 3}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 3"},
    {"{caches: false}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5"},
    {"{caches: true}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.5, caches: true"},
    {"{seconds: 1e-3}", "cache: cold, noise: 0.5 %, samples: 10..1000, seconds: 0.001"},
};

BOOST_DATA_TEST_CASE(measuring_rules_are_optional_each, data::make(rules)) {
  BOOST_TEST(to_string(read_sweep("pattern: stride\nmeasure: " + sample.text).measure) ==
             sample.expected);
}

BOOST_AUTO_TEST_CASE(a_table_takes_lists_or_single_names) {
  const Sweep sweep = read_sweep(R"(pattern: stride
report:
  tables:
    - {rows: [STRIDE, BLOCK], value: [percent_of_peak, bandwidth]}
    - {rows: T, columns: STRIDE, value: time, where: T == float && pattern == 'stride'}
)");
  BOOST_TEST_REQUIRE(sweep.report.tables.size() == 2u);
  const sweep::TableLayout& first = sweep.report.tables[0];
  BOOST_TEST(first.rows == (std::vector<std::string>{"STRIDE", "BLOCK"}),
             boost::test_tools::per_element());
  BOOST_TEST(first.columns.empty());
  BOOST_TEST(first.values == (std::vector<std::string>{"percent_of_peak", "bandwidth"}),
             boost::test_tools::per_element());
  BOOST_TEST(!first.where.has_value());
  BOOST_TEST(first.title.empty());
  BOOST_TEST(sweep.report.tables[1].columns.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_metrics_old_name_means_todays) {
  const Sweep sweep = read_sweep(
      "pattern: stride\nreport: {tables: [{rows: T, value: [gld_efficiency, "
      "gst_transactions]}]}\n");
  BOOST_TEST(sweep.report.tables.at(0).values ==
                 (std::vector<std::string>{"load_efficiency", "store_sectors"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_stored_text_gives_its_layout_without_its_patterns) {
  const std::string text =
      "pattern: gone\nreport: {tables: [{rows: A, columns: B, value: time, where: C == 1}]}\n";
  const sweep::ReportLayout layout = sweep::read_stored_sweep(text).report;
  BOOST_TEST_REQUIRE(layout.tables.size() == 1u);
  BOOST_TEST(layout.tables[0].rows.front() == "A");
  BOOST_TEST(layout.tables[0].where.value().text() == "C == 1");
  BOOST_TEST(sweep::read_stored_sweep("pattern: gone\n").report.tables.empty());
  BOOST_TEST(sweep::read_stored_sweep("pattern: gone\nreport:\n").report.tables.empty());
  BOOST_TEST(sweep::read_stored_sweep("").report.tables.empty());
  BOOST_CHECK_THROW(sweep::read_stored_sweep("report: 4\n").report, sweep::InputError);
  BOOST_CHECK_THROW(sweep::read_stored_sweep("a: [\n").report, sweep::InputError);
}

BOOST_AUTO_TEST_SUITE_END()
