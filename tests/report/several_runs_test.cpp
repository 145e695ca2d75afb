#include <boost/test/unit_test.hpp>
#include <set>

#include "report/run_analysis.h"
#include "report/run_report.h"
#include "tests/contains.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(several_runs)

namespace {

/// The example's run as another GPU had it.
RunResults run_on(const std::string& name, std::int64_t id) {
  RunResults results = stride_results();
  results.run.id = id;
  std::int64_t place = 0;
  for (StoredPoint& stored : results.points) {
    stored.measured_by = id;
    stored.ordinal = place++;
  }
  results.run.provenance.device.name = name;
  return results;
}

const Value& gpu_of(const StoredPoint& stored) {
  return *stored.point.key.parameters.find("GPU");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_point_keeps_its_gpu_and_has_a_place_of_its_own) {
  const RunResults one = run_on("NVIDIA H200", 1);
  RunResults other = run_on("NVIDIA H100", 2);
  other.run.provenance.device.memory_clock_hz /= 2;
  const RunResults both = together({one, other});
  BOOST_REQUIRE(both.points.size() == one.points.size() + other.points.size());
  std::set<std::int64_t> places;
  for (std::size_t i = 0; i < both.points.size(); ++i) {
    const bool is_first = i < one.points.size();
    BOOST_TEST(to_string(gpu_of(both.points[i])) == (is_first ? "NVIDIA H200" : "NVIDIA H100"));
    BOOST_TEST(both.points[i].measured_by == both.run.id);
    places.insert(both.points[i].ordinal);
  }
  BOOST_TEST(places.size() == both.points.size());
  const Device& device = both.run.provenance.device;
  BOOST_TEST(device.name == "NVIDIA H200 and NVIDIA H100");
  BOOST_TEST(device.multiprocessors == one.run.provenance.device.multiprocessors);
  BOOST_TEST(device.peak_bandwidth() == 0);
}

BOOST_AUTO_TEST_CASE(gpus_are_columns_and_are_not_compared) {
  const RunResults both = together({run_on("NVIDIA H200", 1), run_on("NVIDIA H100", 2)});
  const RunAnalysis run(both);
  const RunResults one = run_on("NVIDIA H200", 1);
  BOOST_TEST(run.verdicts.groups.size() == 2 * RunAnalysis(one).verdicts.groups.size());
  BOOST_TEST(run.verdicts.groups.front().label == "GPU = NVIDIA H200");
  const std::string text = write_markdown(run);
  BOOST_TEST(contains(text, "GPU = NVIDIA H100"));
  BOOST_TEST(contains(write_csv(run), ",NVIDIA H100,"));
}

BOOST_AUTO_TEST_CASE(gpus_of_different_peaks_are_shown_by_their_shares_too) {
  RunResults one = run_on("NVIDIA H200", 1);
  RunResults other = run_on("NVIDIA H100", 2);
  const auto tables_of = [](const RunResults& both, std::string_view metric) {
    return std::ranges::count_if(both.layout.tables, [&](const TableLayout& table) {
      return !table.values.empty() && table.values.front() == metric;
    });
  };
  one.layout.tables = other.layout.tables = {{{"STRIDE"}, {"T"}, {"bandwidth"}, {}, "By stride"}};
  BOOST_TEST(tables_of(together({one, other}), "percent_of_peak") == 0);
  other.run.provenance.device.memory_clock_hz /= 2;
  const RunResults both = together({one, other});
  BOOST_REQUIRE(both.layout.tables.size() == 2);
  BOOST_TEST(both.layout.tables[1].title == "By stride, as shares of the GPU's peak");
  BOOST_TEST((both.layout.tables[1].columns == both.layout.tables[0].columns));
  BOOST_TEST(tables_of(both, "percent_of_peak") == 1);
}

BOOST_AUTO_TEST_CASE(an_emulated_gpu_is_called_by_its_name_alone) {
  RunResults one = run_on("emulator of 9.0 (H200), with caches", 1);
  one.run.provenance.device.backend = "emulator";
  one.run.notes = {"a note of both", "a note of one"};
  RunResults again = one;
  again.run.id = 2;
  again.run.notes = {"a note of both"};
  const RunResults both = together({one, again});
  BOOST_TEST(to_string(gpu_of(both.points.front())) == "H200, run 1");
  BOOST_TEST(to_string(gpu_of(both.points.back())) == "H200, run 2");
  BOOST_TEST(both.run.provenance.device.name == "emulator of the H200, run 1 and H200, run 2");
  const std::vector<std::string> notes = {"a note of both", "H200, run 1: a note of one"};
  BOOST_TEST(both.run.notes == notes, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_pattern_may_have_a_parameter_of_that_name) {
  RunResults one = run_on("NVIDIA H200", 1);
  one.points.front().point.key.parameters.set("GPU", std::int64_t{3});
  const RunResults both = together({one, run_on("NVIDIA H100", 2)});
  BOOST_TEST(to_string(gpu_of(both.points.front())) == "3");
  BOOST_TEST(to_string(*both.points.front().point.key.parameters.find("GPU_")) == "NVIDIA H200");
}

BOOST_AUTO_TEST_CASE(what_does_not_belong_together_is_told) {
  const RunResults one = run_on("NVIDIA H200", 1);
  RunResults other = one;
  BOOST_TEST(why_not_together(std::vector{one, other}).empty());
  other.run.provenance.sweep_name = "offset";
  BOOST_TEST(contains(why_not_together(std::vector{one, other}), "another of offset"));
  RunResults search = one;
  search.run.tuning.emplace();
  BOOST_TEST(contains(why_not_together(std::vector{one, search}), "is a search"));
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
