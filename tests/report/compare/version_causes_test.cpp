#include "report/compare/version_causes.h"

#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(version_causes)

namespace {

/// Two versions, of which the later took so many times as long when measured in turn.
RunComparison versions_in_turn(const Estimate& in_turn, double threshold = 0.01) {
  ComparisonRequest request;
  request.threshold = threshold;
  request.in_turn = {in_turn};
  const StoredPoint point = timed_point({{"BLOCK", integer(1)}}, 100, 0.2);
  RunComparison comparison =
      compare_runs(run_of("old/p.cu", {point}), run_of("new/p.cu", {point}), request);
  auto causes = std::make_shared<VersionCauses>();
  causes->configuration = "BLOCK = 1";
  causes->counts = compare_runs(run_of("old/p.cu", {counted_point({{"BLOCK", integer(1)}}, 100)}),
                                run_of("new/p.cu", {counted_point({{"BLOCK", integer(1)}}, 400)}));
  causes->files = {{"old/p.cu",
                    "new/p.cu",
                    {{4, 0, "x = in[i];", {"load in[i]: 4 sectors/request"}, {}},
                     {0, 4, "x = in[i * 8];", {}, {"load in[i * 8]: 32 sectors/request"}},
                     {9, 9, "out[i] = x;", {"store out[i]: 4"}, {"store out[i]: 8"}}}}};
  comparison.causes = std::move(causes);
  return comparison;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_ratio_measured_in_turn_goes_before_that_of_the_figures) {
  const RunComparison slower = versions_in_turn({1.25, Interval{1.2, 1.3}});
  const MetricChange& change = slower.configurations.at(0).changes.at(0);
  BOOST_TEST(slower.metrics.at(0).after.name == "bandwidth");
  BOOST_TEST(change.ratio.value == 0.8);
  BOOST_TEST(change.ratio.interval->high == 1 / 1.2);
  BOOST_TEST(has_regression(slower));
  BOOST_TEST(describe_versions(slower) ==
             "B is slower than A, 20 % less (bandwidth): B / A = 0.8000 (0.7692 to 0.8333), more "
             "than noise");
  BOOST_TEST(describe_versions(versions_in_turn({1.001, Interval{0.999, 1.003}})) ==
             "B is as fast as A to within 1 %: B / A = 0.9990 (0.9970 to 1.0010)");
  BOOST_TEST(contains(describe_versions(versions_in_turn({1, Interval{0.9, 1.1}})),
                      "B and A are not told apart beyond 1 %"));
}

BOOST_AUTO_TEST_CASE(changed_lines_stand_as_in_a_patch_with_what_they_cost) {
  const RunComparison comparison = versions_in_turn({1.25, Interval{1.2, 1.3}});
  BOOST_TEST(changed_lines_text(*comparison.causes, 10) == R"(@@ A: old/p.cu, B: new/p.cu @@
-    4   x = in[i];
         | load in[i]: 4 sectors/request
+    4   x = in[i * 8];
         | load in[i * 8]: 32 sectors/request
   ...
     9   out[i] = x;
         | A: store out[i]: 4
         | B: store out[i]: 8
)");
  BOOST_TEST(contains(changed_lines_text(*comparison.causes, 1), "... and 2 changed lines more"));
}

BOOST_AUTO_TEST_CASE(every_format_has_the_causes) {
  const RunComparison comparison = versions_in_turn({1.25, Interval{1.2, 1.3}});
  for (const std::string& text :
       {write_comparison_terminal(comparison, 100, false), write_comparison_markdown(comparison),
        write_comparison_html(comparison), write_comparison_json(comparison)}) {
    BOOST_TEST(contains(text, "B is slower than A"));
    BOOST_TEST(contains(text, "load_sectors"));
    BOOST_TEST(contains(text, "x = in[i * 8];"));
  }
}

BOOST_AUTO_TEST_SUITE_END()
}  // namespace sweep::testing
