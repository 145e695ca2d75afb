#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/space/enumerate.h"
#include "report/export/best_configurations.h"
#include "tests/contains.h"
#include "tests/pattern_from_text.h"
#include "tests/report/example_results.h"
#include "tests/report/stream_results.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(export_sweep)

namespace {

using Texts = std::vector<std::string>;

const GivenParameters given = {{"copy", {"T", "BLOCK", "ITEMS", "STREAMING"}},
                               {"read", {"T", "BLOCK", "ITEMS", "STREAMING"}}};

Sweep parse(const std::string& text) {
  const auto lookup = [](const std::string& name, const Location&, Diagnostics&) {
    return pattern_from_text(name, stream_pattern(name));
  };
  const auto source = std::make_shared<Source>(Source{"best.yaml", text});
  try {
    return parse_sweep(source, "best.yaml", lookup, {});
  } catch (const InputError& error) {
    BOOST_FAIL(render(error.diagnostics()) << text);
    throw;
  }
}

/// The configurations that a sweep file stands for, sorted.
Texts measured_by(const std::string& text) {
  Texts configurations;
  for (const Configuration& configuration : enumerate(parse(text)).configurations) {
    configurations.push_back(to_string(configuration));
  }
  std::ranges::sort(configurations);
  return configurations;
}

Texts best_of(const std::vector<ExportedRun>& runs) {
  Texts configurations;
  for (const ExportedRun& run : runs) {
    for (const BestConfiguration& best : run.best) {
      const PointKey& key = point_of(run, best).key;
      configurations.push_back(key.pattern_name + ' ' + to_string(key.parameters));
    }
  }
  std::ranges::sort(configurations);
  configurations.erase(std::unique(configurations.begin(), configurations.end()),
                       configurations.end());
  return configurations;
}

void check_exactly(const std::vector<ExportedRun>& runs) {
  for (const GivenParameters& told : {given, GivenParameters{}}) {
    const std::string text = write_best_sweep(runs, told);
    BOOST_TEST_CONTEXT(text) {
      BOOST_TEST(measured_by(text) == best_of(runs), boost::test_tools::per_element());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_configuration_is_axes_of_one_value) {
  RunResults results = measured_streams();
  results.points.resize(2);
  const std::vector<ExportedRun> runs = {find_best(std::move(results))};
  check_exactly(runs);
  BOOST_TEST(contains(write_best_sweep(runs, given),
                      "summary: \"The best configurations of: Streams\"\npattern: copy\naxes:\n"
                      "  T: float4\n  BLOCK: 512\n  ITEMS: 1\n  STREAMING: false\nmeasure: "));
}

BOOST_AUTO_TEST_CASE(groups_of_one_pattern_are_rows) {
  const std::vector<ExportedRun> runs = {find_best(tuned_streams())};
  check_exactly(runs);
  const std::string text = write_best_sweep(runs, given);
  BOOST_TEST(contains(text,
                      "axes:\n  STREAMING: true\nzip:\n  - {T: [float, float4],\n"
                      "     BLOCK: [128, 512],\n     ITEMS: [4, 1]}\nmeasure:"));
  BOOST_TEST(!contains(text, "where:"));
}

BOOST_AUTO_TEST_CASE(patterns_have_each_its_own) {
  const std::vector<ExportedRun> runs = {find_best(measured_streams())};
  check_exactly(runs);
  BOOST_TEST(contains(write_best_sweep(runs, given),
                      "where:\n  - pattern != 'copy' || (T == float4 && BLOCK == 512 && ITEMS == "
                      "1)\n  - pattern != 'read' || (T == float && BLOCK == 256 && ITEMS == 4)\n"));
}

BOOST_AUTO_TEST_CASE(patterns_that_agree_need_no_condition) {
  RunResults results = measured_streams();
  results.points.erase(results.points.begin() + 2);
  const std::vector<ExportedRun> runs = {find_best(std::move(results))};
  check_exactly(runs);
  BOOST_TEST(!contains(write_best_sweep(runs, given), "where:"));
}

BOOST_AUTO_TEST_CASE(devices_stand_together) {
  RunResults other = measured_streams();
  other.run.id = 8;
  other.run.provenance.device.name = "NVIDIA H100";
  other.run.provenance.sweep_text = "pattern: copy\n";
  other.points[0] = stream_point("copy", "float", 64, 2, true, 9000);
  const std::vector<ExportedRun> runs = {find_best(measured_streams()),
                                         find_best(std::move(other))};
  check_exactly(runs);
  const std::string text = write_best_sweep(runs, given);
  BOOST_TEST(contains(text, "# device: NVIDIA H200"));
  BOOST_TEST(contains(text, "# device: NVIDIA H100"));
  BOOST_TEST(!contains(text, "measure:"));
}

BOOST_AUTO_TEST_CASE(a_pattern_that_gives_less_keeps_its_own_values) {
  // What `read` need not give, since its default does, is an axis all the same, for `copy` gives
  // it.
  const GivenParameters uneven = {{"copy", {"T", "BLOCK", "ITEMS", "STREAMING"}}, {"read", {"T"}}};
  RunResults results = measured_streams();
  results.points[2] = stream_point("read", "float", 256, 1, false, 4600);
  const std::vector<ExportedRun> runs = {find_best(std::move(results))};
  BOOST_TEST(measured_by(write_best_sweep(runs, uneven)) == best_of(runs),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(it_measures_as_the_run_did) {
  const std::vector<ExportedRun> runs = {find_best(tuned_streams())};
  const Sweep sweep = parse(write_best_sweep(runs, given));
  BOOST_TEST(to_string(sweep.measure) ==
             "cache: warm, noise: 0.25 %, samples: 5..50, seconds: 0.5");
  BOOST_TEST(sweep.counters == Texts({"memory", "l1tex__t_sectors.sum"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(texts_with_care) {
  RunResults results = tuned_streams();
  results.summary = "a \"b\" \\ : # {x}\nand 'more'";
  results.run.provenance.command = "one\npattern: two";
  results.run.provenance.sweep_text = "measure: {cache: \"warm\", noise: \"0.1 %\"}";
  const std::vector<ExportedRun> runs = {find_best(std::move(results))};
  const Sweep sweep = parse(write_best_sweep(runs, given));
  BOOST_TEST(sweep.summary == "The best configurations of: a \"b\" \\ : # {x}?and 'more'");
  BOOST_TEST(sweep.measure.noise == 0.001);
  check_exactly(runs);
}

BOOST_AUTO_TEST_SUITE_END()
