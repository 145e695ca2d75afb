#include "report/export/best_configurations.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/report/example_results.h"
#include "tests/report/stream_results.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(best_configurations)

namespace {

RunRecord run_on(const char* device, std::int64_t id, RunState state) {
  RunRecord run;
  run.id = id;
  run.state = state;
  run.provenance.device.backend = "cuda";
  run.provenance.device.name = device;
  return run;
}

std::vector<std::int64_t> ids_of(const std::vector<RunRecord>& runs) {
  std::vector<std::int64_t> ids;
  for (const RunRecord& run : runs) ids.push_back(run.id);
  return ids;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_tuning_run_has_one_of_each_group) {
  const ExportedRun run = find_best(tuned_streams());
  BOOST_REQUIRE(run.best.size() == 2u);
  BOOST_TEST(run.best[0].place == 1u);
  BOOST_TEST(run.best[0].figure == 3000.5);
  BOOST_TEST(run.best[0].figure_low == 0);
  BOOST_TEST(run.best[0].gain == 0);
  BOOST_TEST(run.best[1].place == 3u);
  BOOST_TEST(run.best[1].figure_low == 4257);
  BOOST_TEST(run.best[1].rounds == 12);
  BOOST_TEST(run.best[1].gain_high == 1.07);
  BOOST_TEST(run.best[1].configurations == 1200);
  BOOST_TEST(run.best[1].tried == 200);
  BOOST_TEST((*point_of(run, run.best[1]).key.parameters.find("T") == element("float4")));
}

BOOST_AUTO_TEST_CASE(a_group_in_which_nothing_succeeded_is_named) {
  const ExportedRun run = find_best(tuned_streams());
  BOOST_REQUIRE(run.without_best.size() == 1u);
  BOOST_TEST(run.without_best.front() == "T=half: none of the 200 configurations tried succeeded");
}

BOOST_AUTO_TEST_CASE(another_run_has_one_of_each_pattern) {
  const ExportedRun run = find_best(measured_streams());
  BOOST_REQUIRE(run.best.size() == 2u);
  BOOST_TEST(run.best[0].place == 1u);
  BOOST_TEST(run.best[1].place == 2u);
  BOOST_TEST((*run.best[1].group.find("pattern") == word("read")));
  BOOST_TEST(run.best[1].figure == 4600);
  BOOST_TEST(run.best[1].figure_low > 0);
  BOOST_TEST(run.best[1].column.name == "bandwidth");
  BOOST_TEST(run.best[1].tried == 2);
}

BOOST_AUTO_TEST_CASE(what_was_compared_in_rounds_decides) {
  const ExportedRun run = find_best(compared_results());
  BOOST_REQUIRE(run.best.size() == 2u);
  BOOST_TEST(run.best[0].place == 1u);
  BOOST_TEST(run.best[0].rounds == 12);
  BOOST_TEST(run.best[1].rounds == 0);
}

BOOST_AUTO_TEST_CASE(a_patterns_only_point_is_its_best) {
  RunResults results = measured_streams();
  results.points.pop_back();
  const ExportedRun run = find_best(std::move(results));
  BOOST_REQUIRE(run.best.size() == 2u);
  BOOST_TEST(run.best[1].place == 2u);
}

BOOST_AUTO_TEST_CASE(without_times_there_is_no_best) {
  const ExportedRun run = find_best(emulated_results());
  BOOST_TEST(run.best.empty());
  BOOST_REQUIRE(run.without_best.size() == 2u);
  BOOST_TEST(contains(run.without_best.front(), "pattern=copy"));
}

BOOST_AUTO_TEST_CASE(each_device_has_its_newest_finished_run) {
  using enum RunState;
  const std::vector<RunRecord> runs = {run_on("A", 1, finished),    run_on("B", 2, interrupted),
                                       run_on("A", 3, finished),    run_on("A", 4, interrupted),
                                       run_on("B", 5, interrupted), run_on("C", 6, running),
                                       run_on("C", 7, finished)};
  BOOST_TEST(ids_of(newest_runs(runs)) == std::vector<std::int64_t>({3, 5, 7}),
             boost::test_tools::per_element());
  BOOST_TEST(newest_runs({}).empty());
}

BOOST_AUTO_TEST_CASE(what_a_run_was_merged_from_is_not_exported_beside_it) {
  using enum RunState;
  std::vector<RunRecord> runs = {run_on("A", 1, finished), run_on("B", 2, finished),
                                 run_on("C", 3, finished)};
  runs[2].parts = {{.run = 1, .file = "a.db", .host = "", .device = "", .started = ""},
                   {.run = 2, .file = "b.db", .host = "", .device = "", .started = ""}};
  BOOST_TEST(ids_of(newest_runs(runs)) == std::vector<std::int64_t>({3}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
