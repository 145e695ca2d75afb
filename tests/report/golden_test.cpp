#include <boost/test/unit_test.hpp>

#include "report/document.h"
#include "report/run_report.h"
#include "tests/report/example_results.h"
#include "tests/report/golden_file.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(golden)

namespace {

BOOST_AUTO_TEST_CASE(a_run_on_a_gpu) {
  const RunResults results = stride_results();
  check_golden("stride.md", write_markdown(results));
  check_golden("stride.csv", write_csv(results));
  check_golden("stride.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(a_run_on_a_gpu_without_tables) {
  RunResults results = stride_results();
  results.layout = {};
  check_golden("stride_points.md", write_markdown(results));
  check_golden("stride_points.txt", write_terminal(results, 80, false));
  check_golden("stride_points_narrow.txt", write_terminal(results, 40, false));
}

BOOST_AUTO_TEST_CASE(a_run_on_the_emulator) {
  const RunResults results = emulated_results();
  check_golden("emulated.md", write_markdown(results));
  check_golden("emulated.csv", write_csv(results));
  check_golden("emulated.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(a_run_with_verdicts_and_counters) {
  RunResults results = compared_results();
  check_golden("compared.md", write_markdown(results));
  check_golden("compared.csv", write_csv(results));
  check_golden("compared.txt", write_terminal(results, 80, false));
  results.layout.tables = {layout({"BLOCK"}, {"pattern"}, {"load_sectors"})};
  check_golden("compared_counts.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(a_search_in_two_groups) {
  const RunResults results = tuned_results();
  check_golden("tuned.md", write_markdown(results));
  check_golden("tuned.csv", write_csv(results));
  check_golden("tuned.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(a_search_on_the_emulator_in_one_group) {
  const RunResults results = tuned_emulated_results();
  check_golden("tuned_emulated.md", write_markdown(results));
  check_golden("tuned_emulated.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(a_search_in_many_groups) {
  const RunResults results = tuned_results_of_many_groups();
  check_golden("tuned_many.md", write_markdown(results));
  check_golden("tuned_many.txt", write_terminal(results, 80, false));
}

BOOST_AUTO_TEST_CASE(wide_tables_continue_below) {
  RunResults results = stride_results();
  results.layout.tables = {layout({"T"}, {"STRIDE", "BLOCK"}, {"time"})};
  check_golden("stride_wide.md", write_markdown(results));
  check_golden("stride_wide.txt", write_terminal(results, 60, false));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
