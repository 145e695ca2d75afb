#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/store/points_view.h"
#include "report/point_columns.h"
#include "report/run_report.h"
#include "tests/rapidcheck_case.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"
#include "tests/store/arbitrary_records.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(json_report)

namespace {

using nlohmann::json;

json parsed(const RunResults& results) {
  return json::parse(write_json(results));
}

double number_of(const json& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return infinity;
  if (value == "-inf") return -infinity;
  return value.get<double>();
}

bool is_same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// As above; a figure of 0 is not known, which is null.
bool is_same_if_known(double stored, const json& value) {
  return stored == 0 ? value.is_null() : is_same(stored, number_of(value));
}

bool is_same(const Value& value, const json& found) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return found == *number;
  if (const auto* truth = std::get_if<bool>(&value)) return found == *truth;
  return found == to_string(value);
}

bool has_samples(const json& samples, const std::vector<Sample>& stored) {
  if (samples.size() != stored.size()) return false;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string mark =
        stored[i].mark == SampleMark::plain ? "plain" : std::string(to_string(stored[i].mark));
    if (!is_same(stored[i].seconds, number_of(samples[i]["seconds"])) ||
        !is_same_if_known(stored[i].sm_clock_hz, samples[i]["sm_clock_hz"]) ||
        samples[i]["mark"] != mark) {
      return false;
    }
  }
  return true;
}

/// Of several metrics of one name and origin the first counts, as in all reports.
bool has_metrics(const json& metrics, const PointRecord& point) {
  std::map<std::string, double> stored;
  for (const Metric& metric : point.metrics) {
    stored.emplace(display_name(metric.name, metric.origin), metric.value);
  }
  if (metrics.size() != stored.size()) return false;
  for (const auto& [key, value] : stored) {
    if (!metrics.contains(key) || !is_same(value, number_of(metrics[key]))) return false;
  }
  return true;
}

bool is_point(const json& found, const StoredPoint& stored) {
  const PointRecord& point = stored.point;
  bool same = found["point"] == stored.ordinal && found["id"] == stored.id &&
              found["measured_by"] == stored.measured_by &&
              found["pattern"] == point.key.pattern_name &&
              found["status"] == (point.status == PointStatus::ok ? "ok" : "failed") &&
              found["notes"] == point.notes &&
              found["parameters"].size() == point.key.parameters.entries().size();
  for (const auto& [name, value] : point.key.parameters.entries()) {
    same = same && found["parameters"].contains(name) && is_same(value, found["parameters"][name]);
  }
  return same && has_samples(found["samples"], point.samples) &&
         has_metrics(found["metrics"], point);
}

/// With texts that JSON can hold: others are changed.
PointRecord arbitrary_readable_point() {
  PointRecord point = arbitrary_point();
  point.key.pattern_text = arbitrary_tricky_text();
  point.reason = arbitrary_tricky_text();
  for (Metric& metric : point.metrics) {
    if (find_metric(metric.name) == nullptr) metric.name = "x__" + arbitrary_tricky_text();
  }
  for (std::string& note : point.notes) note = arbitrary_tricky_text();
  return point;
}

BOOST_AUTO_TEST_CASE(every_figure_is_that_of_the_store) {
  check_property([] {
    OpenStore stored;
    const std::int64_t run = stored.store.begin_run(example_provenance());
    const int count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < count; ++i) {
      stored.store.add_point(run, 2 * i, arbitrary_readable_point());
    }
    const auto points = stored.store.points(run);
    const json report = parsed(load_results(stored.store));
    RC_ASSERT(report["schema_version"] == json_report_version);
    RC_ASSERT(report["points"].size() == points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      RC_ASSERT(is_point(report["points"][i], points[i]));
      for (const auto& [key, value] : report["points"][i]["metrics"].items()) {
        RC_ASSERT(report["metrics"].contains(key));
      }
    }
  });
}

BOOST_AUTO_TEST_CASE(where_a_run_comes_from_is_in_it) {
  OpenStore stored;
  const std::int64_t run = stored.store.begin_run(example_provenance());
  stored.store.add_point(run, 4, example_point(1));
  stored.store.add_note(run, "another process uses the GPU");
  stored.store.add_anchor(run, {4, 0.5, 1e-3, 0.99e-3, 1.01e-3, 1.98e9, 0});
  stored.store.set_comparisons(run, {{4, 12, 1, 1.5, 2}});
  PatternExplanation explanation;
  explanation.ordinal = 4;
  explanation.parameters = example_key(1).parameters;
  explanation.json = R"({"accesses": [{"line": 3}]})";
  stored.store.add_explanation(run, explanation, "emulator");
  stored.store.end_run(run, RunState::interrupted);

  const json report = parsed(load_results(stored.store));
  BOOST_TEST(report["sweep"]["name"] == "stride");
  BOOST_TEST(report["sweep"]["summary"].is_null());
  BOOST_TEST(report["sweep"]["text"] == example_provenance().sweep_text);
  BOOST_TEST(report["run"]["state"] == "interrupted");
  BOOST_TEST(report["run"]["seed"] == "18364758544493064720");
  BOOST_TEST(report["run"]["notes"] == json::array({"another process uses the GPU"}));
  BOOST_TEST(report["device"]["peak_bandwidth"] == 4.814304e12);
  BOOST_TEST(report["device"]["l2_bytes"] == 62914560);
  BOOST_TEST(report["patterns"] == json::array({{{"name", "stride"},
                                                 {"text", example_key(1).pattern_text},
                                                 {"derived", {"N", "BLOCKS"}}}}));
  BOOST_TEST(
      report["metrics"]["bandwidth"] ==
      json(
          {{"name", "bandwidth"}, {"origin", "measured"}, {"unit", "GB/s"}, {"better", "higher"}}));
  BOOST_TEST(report["points"][0]["parameters"] == json({{"STRIDE", 1}, {"T", "float"}}));
  BOOST_TEST(report["tuning"].is_null());
  BOOST_TEST(report["comparisons"] ==
             json::parse(R"([{"point": 4, "rounds": 12, "slowdown": [1.0, 1.5, 2.0]}])"));
  BOOST_TEST(report["anchors"] ==
             json::parse(R"([{"point": 4, "at": 0.5, "seconds": 0.001, "interval": [0.00099,
                             0.00101], "sm_clock_hz": 1.98e9, "temperature_celsius": null}])"));
  BOOST_TEST(report["explanations"][0]["costs"]["accesses"][0]["line"] == 3);
  BOOST_TEST(report["explanations"][0]["point"] == 4);
}

BOOST_AUTO_TEST_CASE(verdicts_name_points_by_their_place_in_the_run) {
  RunResults results = compared_results();
  for (StoredPoint& stored : results.points) stored.ordinal += 10;
  for (ComparisonRecord& comparison : results.run.comparisons) comparison.ordinal += 10;
  const json report = parsed(results);
  BOOST_TEST(report["verdicts"][0] == json::parse(R"({"pattern": "copy", "group": {},
      "metric": "bandwidth", "best": 11, "same": [10], "not_compared": 0,
      "slowest": 13})"));
  BOOST_TEST(report["points"][1]["verdict"]["kind"] == "best");
  BOOST_TEST(report["points"][2]["verdict"]["kind"] == "slower");
  BOOST_TEST(report["points"][2]["verdict"]["words"] == "2.0 % less");
  BOOST_TEST(report["points"][2]["verdict"]["rounds"] == 12);
  BOOST_TEST(report["points"][0]["verdict"]["interval"][0].get<double>() < 4000.0);
}

BOOST_AUTO_TEST_CASE(expectations_have_their_outcomes) {
  RunResults results = emulated_results();
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    results.points[i].ordinal = static_cast<std::int64_t>(i);
  }
  const json report = parsed(results);
  BOOST_TEST_REQUIRE(report["expectations"].size() == 3u);
  BOOST_TEST(report["expectations"][0] ==
             json::parse(R"({"expectation": "useful_bytes == 4 Mi", "where": "pattern == 'copy'",
                             "kept": true, "outcome": "holds", "held": 2, "broken": [],
                             "unchecked": 0, "missing": []})"));
  BOOST_TEST(report["expectations"][1]["kept"] == false);
  BOOST_TEST(report["expectations"][1]["broken"][2]["point"] == 2);
  BOOST_TEST(report["expectations"][2]["missing"] == json::array({"load_efficiency"}));
}

BOOST_AUTO_TEST_CASE(a_search_is_as_it_was_stored) {
  const RunResults results = tuned_results();
  const TuningRecord& tuning = results.run.tuning.value();
  const json found = parsed(results)["tuning"];
  BOOST_TEST(found["metric"] == "bandwidth");
  BOOST_TEST(found["for_each"] == tuning.for_each);
  BOOST_TEST_REQUIRE(found["groups"].size() == tuning.groups.size());
  for (std::size_t i = 0; i < tuning.groups.size(); ++i) {
    const TunedGroup& group = tuning.groups[i];
    const json& shown = found["groups"][i];
    BOOST_TEST(shown["tried"] == group.tried);
    BOOST_TEST(shown["configurations"] == group.configurations);
    BOOST_TEST((group.winner ? shown["winner"] == *group.winner : shown["winner"].is_null()));
    BOOST_TEST((group.default_configuration ? shown["standard"] == *group.default_configuration
                                            : shown["standard"].is_null()));
    BOOST_TEST(
        is_same_if_known(group.figure, shown["figure"].is_null() ? json() : shown["figure"][1]));
    BOOST_TEST(
        is_same_if_known(group.gain_high, shown["gain"].is_null() ? json() : shown["gain"][2]));
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_are_replaced) {
  const json report = parsed([] {
    RunResults results;
    results.points = {failed_point("p", {}, "a \xff b")};
    results.run.explanations.resize(1);
    results.run.explanations[0].json = "{";
    return results;
  }());
  BOOST_TEST(report["points"][0]["reason"] == "a \xEF\xBF\xBD b");
  BOOST_TEST(report["explanations"][0]["costs"].is_null());
}

BOOST_AUTO_TEST_CASE(equal_runs_give_equal_texts) {
  BOOST_TEST(write_json(tuned_results()) == write_json(tuned_results()));
  BOOST_TEST(write_json(RunResults{}).starts_with("{\n\"schema_version\": 2,\n\"sweep\": {"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
