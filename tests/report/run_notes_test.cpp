#include <boost/test/unit_test.hpp>

#include "report/findings.h"
#include "tests/contains.h"
#include "tests/report/example_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(run_notes)

namespace {

Names notes_with(std::vector<AnchorRecord> anchors) {
  RunResults results = stride_results();
  results.run.anchors = std::move(anchors);
  return describe_run_notes(results);
}

BOOST_AUTO_TEST_CASE(a_quiet_run_has_none) {
  BOOST_TEST(describe_run_notes({}).empty());
  BOOST_TEST(describe_run_notes(stride_results()).empty());
}

BOOST_AUTO_TEST_CASE(the_runs_own_notes_come_first) {
  RunResults results = stride_results();
  results.run.notes = {"counters are not permitted", "the GPU is busy"};
  results.points[0].point.stopped_by = "samples";
  const Names notes = describe_run_notes(results);
  BOOST_REQUIRE(notes.size() == 3);
  BOOST_TEST(notes[0] == "counters are not permitted");
  BOOST_TEST(notes[1] == "the GPU is busy");
}

BOOST_AUTO_TEST_CASE(several_gpus_are_told_with_their_ratio) {
  RunResults results = stride_results();
  results.run.devices = {{0, "GPU-a"}, {2, "GPU-b"}};
  for (StoredPoint& stored : results.points) stored.point.key.device = "cuda GPU-a";
  results.points[0].point.key.device = "cuda GPU-b";
  const std::string all = std::to_string(results.points.size());
  const std::string others = std::to_string(results.points.size() - 1);
  Names notes = describe_run_notes(results);
  BOOST_REQUIRE(notes.size() == 2);
  BOOST_TEST(notes[0] ==
             "of " + all + " points " + others + " on GPU 0 and 1 on GPU 2 were measured");
  BOOST_TEST(notes[1] ==
             "the GPUs were not compared with each other: figures of two of them count as the same "
             "up to 2.0 %");
  results.run.devices[0].to_alone = {0.999, 1, 1.002};
  results.run.devices[1].to_first = {1.001, 1.002, 1.003};
  notes = describe_run_notes(results);
  BOOST_REQUIRE(notes.size() == 3);
  BOOST_TEST(notes[1] ==
             "by common points GPU 2 takes 1.0020 (1.0010 to 1.0030) times as long as GPU 0: "
             "figures of two GPUs count as the same up to 0.30 %");
  BOOST_TEST(notes[2] ==
             "while all of them measure, GPU 0 takes 1.0000 (0.9990 to 1.0020) times as long as "
             "alone");
}

BOOST_AUTO_TEST_CASE(results_that_were_verified_in_part_are_a_concern) {
  RunResults results = stride_results();
  results.points[0].point.metrics.push_back({"verified_share", Origin::emulated, 100});
  BOOST_TEST(sweep::run_notes(results).empty());
  results.points[1].point.metrics.push_back({"verified_share", Origin::emulated, 6.25});
  const auto notes = sweep::run_notes(results);
  BOOST_REQUIRE(notes.size() == 1U);
  BOOST_TEST(notes[0].is_concern);
  BOOST_TEST(contains(notes[0].text, " points the result is verified in part only, for 6.2 % of "));
}

BOOST_AUTO_TEST_CASE(one_anchor_shows_no_drift) {
  BOOST_TEST(notes_with({{.at = 1, .seconds = 1e-3}}).empty());
}

BOOST_AUTO_TEST_CASE(drift_beyond_the_intervals_is_said) {
  const Names notes = notes_with({{0, 1, 1000e-6, 995e-6, 1005e-6, 1.98e9, 45},
                                  {0, 30, 1100e-6, 1095e-6, 1105e-6, 1.7e9, 70},
                                  {0, 61, 1050e-6, 1045e-6, 1055e-6, 1.755e9, 72}});
  BOOST_TEST(notes.at(0) ==
             "the anchor configuration (T = float, STRIDE = 1, BLOCK = 128), measured 3 times "
             "within 1 min 0 s, drifted by 10.0 %: 1000 us to 1100 us, clock 1980 to 1755 MHz, "
             "45 to 72 °C");
}

BOOST_AUTO_TEST_CASE(times_within_their_intervals_are_no_drift) {
  const Names notes = notes_with(
      {{99, 0, 1000e-6, 990e-6, 1010e-6, 0, 0}, {99, 30, 1015e-6, 1005e-6, 1025e-6, 0, 0}});
  BOOST_TEST(notes.at(0) ==
             "the anchor configuration, measured 2 times within 30 s, did not drift: its times, "
             "1000 us to 1015 us, are the same");
}

BOOST_AUTO_TEST_CASE(without_intervals_drift_is_neither_seen_nor_denied) {
  const Names notes =
      notes_with({{.ordinal = 99, .seconds = 1e-3}, {.ordinal = 99, .at = 30, .seconds = 1.1e-3}});
  BOOST_TEST(notes.at(0) ==
             "the anchor configuration, measured 2 times within 30 s, took 1000 us to 1100 us, of "
             "too few samples to tell drift from noise");
}

BOOST_AUTO_TEST_CASE(early_stops_are_counted_by_reason) {
  RunResults results = stride_results();
  results.points[0].point.stopped_by = "samples";
  results.points[1].point.stopped_by = "seconds";
  results.points[2].point.stopped_by = "seconds";
  results.points[3].point.stopped_by = "cut-off";  // That is told with the search.
  BOOST_TEST(describe_run_notes(results).at(0) ==
             "3 of 16 points stopped sampling before they were as free of noise as asked: 1 at the "
             "limit of samples and 2 at the limit of seconds");
}

BOOST_AUTO_TEST_CASE(marked_samples_are_counted) {
  RunResults results = stride_results();
  results.points[0].point.samples = {{1, 0, SampleMark::plain},
                                     {1, 0, SampleMark::outlier},
                                     {1, 0, SampleMark::low_clock},
                                     {1, 0, SampleMark::low_clock}};
  BOOST_TEST(describe_run_notes(results).at(0) ==
             "of 4 samples 1 is an outlier (kept in the figures) and 2 were taken at a low clock "
             "(left out of the figures)");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
