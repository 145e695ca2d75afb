#include <boost/test/unit_test.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "engine/recording/recording.h"
#include "tests/store/example_records.h"

using namespace sweep;
using namespace sweep::testing;
using Json = nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(t4_writer)

namespace {

RunRecord example_run() {
  RunRecord run;
  run.id = 3;
  run.provenance = example_provenance();
  run.started = "2025-01-31T12:00:00Z";
  run.state = RunState::finished;
  return run;
}

std::vector<StoredPoint> example_points() {
  std::vector<StoredPoint> points(3);
  points[0].point = example_point(1);
  points[0].point.metrics.push_back({"load_sectors", Origin::emulated, 4});
  points[0].point.metrics.push_back({"power", Origin::measured, std::nan("")});
  points[1].point = example_point(2, 1000);
  points[2].point = failed_point(3);
  points[2].point.reason = "wrong result: 3 of 100 elements";
  for (StoredPoint& stored : points) stored.measured_by = 3;
  return points;
}

/// The rules of the published schema (version 1.1.0) for a result.
void check_result(const Json& result) {
  for (const char* name : {"configuration", "times", "invalidity", "correctness"}) {
    BOOST_TEST(result.contains(name));
  }
  BOOST_TEST(result["configuration"].is_object());
  BOOST_TEST(result["times"].is_object());
  BOOST_REQUIRE(result["times"]["runtimes"].is_array());
  for (const Json& runtime : result["times"]["runtimes"]) BOOST_TEST(runtime.is_number());
  const std::set<std::string> words = {"timeout",     "compile",     "runtime",
                                       "correctness", "constraints", "correct"};
  BOOST_TEST(words.contains(result["invalidity"].get<std::string>()));
  BOOST_TEST((result["correctness"] == 0 || result["correctness"] == 1));
  if (result.contains("timestamp")) BOOST_TEST(result["timestamp"].is_string());
  BOOST_TEST(result["objectives"].is_array());
  for (const Json& objective : result["objectives"]) BOOST_TEST(objective.is_string());
  for (const Json& measurement : result["measurements"]) {
    BOOST_TEST(measurement["name"].is_string());
    BOOST_TEST(measurement["value"].is_number());
    BOOST_TEST(measurement["unit"].is_string());
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(meets_the_schema) {
  const Json document = Json::parse(write_t4(example_run(), example_points()));
  BOOST_TEST(std::regex_match(document["schema_version"].get<std::string>(),
                              std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
  const Json& metadata = document["metadata"];
  BOOST_TEST(metadata["compute_api"] == "CUDA");
  BOOST_TEST(metadata["timeunit"] == "milliseconds");
  for (const char* name : {"platform", "device", "autotuner", "autotuner_version", "timestamp"}) {
    BOOST_TEST(metadata[name].is_string(), name);
  }
  BOOST_TEST(metadata["hardware"]["hardware_description"].is_array());
  BOOST_TEST(metadata["environment"]["device_query"].is_object());
  BOOST_TEST(metadata["environment"]["requirements"].is_array());
  BOOST_REQUIRE(document["results"].size() == 3U);
  for (const Json& result : document["results"]) check_result(result);
}

BOOST_AUTO_TEST_CASE(says_everything_of_a_point) {
  const Json document = Json::parse(write_t4(example_run(), example_points()));
  const Json& metadata = document["metadata"];
  BOOST_TEST(metadata["device"] == "NVIDIA H200");
  BOOST_TEST(metadata["environment"]["device_query"]["driver"] == "580.159.04");
  BOOST_TEST(metadata["environment"]["requirements"][0] == "NVRTC 13.0");
  BOOST_TEST(metadata["autotuner_version"] == "0.1.0");
  BOOST_TEST(metadata["sweep"]["name"] == "stride");
  BOOST_TEST(metadata["kernel_name"] == "stride");
  const Json& result = document["results"][0];
  BOOST_TEST(result["configuration"].dump() == R"({"pattern":"stride","STRIDE":1,"T":"float"})");
  BOOST_TEST(result["times"]["runtimes"].dump() == "[1.0,0.9]");
  BOOST_TEST(result["objectives"].dump() == R"(["bandwidth"])");
  BOOST_TEST(result["measurements"].dump() ==
             R"([{"name":"bandwidth","value":2738.25,"unit":"GB/s"},)"
             R"({"name":"time","value":1.0,"unit":"ms"},)"
             R"({"name":"load_sectors.emulated","value":4.0,"unit":"1"}])");
  const Json& failed = document["results"][2];
  BOOST_TEST(failed["invalidity"] == "correctness");
  BOOST_TEST(failed["correctness"] == 0);
  BOOST_TEST(failed["reason"] == "wrong result: 3 of 100 elements");
}

BOOST_AUTO_TEST_CASE(a_tuning_run_s_objective_is_its_metric) {
  RunRecord run = example_run();
  run.tuning.emplace();
  run.tuning->metric = "load_sectors";
  run.tuning->origin = Origin::emulated;
  run.tuning->strategy = "local";
  const Json document = Json::parse(write_t4(run, example_points()));
  for (const Json& result : document["results"]) {
    BOOST_TEST(result["objectives"].dump() == R"(["load_sectors.emulated"])");
  }
  BOOST_TEST(document["metadata"]["sweep"]["tune"]["strategy"] == "local");
}

BOOST_AUTO_TEST_CASE(is_read_back) {
  const std::vector<StoredPoint> points = example_points();
  const Recording recording = read_t4(write_t4(example_run(), points), "stride.json");
  BOOST_TEST(recording.origin.device == "NVIDIA H200");
  BOOST_TEST(recording.origin.kernel == "stride");
  BOOST_TEST(recording.origin.objective == "bandwidth");
  BOOST_REQUIRE(recording.entries.size() == points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const RecordedEntry& entry = recording.entries[i];
    const PointRecord& point = points[i].point;
    BOOST_TEST(to_string(entry.configuration) ==
               "pattern=stride " + to_string(point.key.parameters));
    BOOST_CHECK(entry.status == point.status);
    BOOST_TEST(entry.reason == point.reason);
    for (const Metric& metric : point.metrics) {
      const auto figure = figure_of(entry, metric.name, metric.origin);
      BOOST_TEST(figure.has_value() == std::isfinite(metric.value));
      if (figure) BOOST_TEST(*figure == metric.value, boost::test_tools::tolerance(1e-15));
    }
  }
}

BOOST_AUTO_TEST_CASE(odd_texts_stay_json) {
  std::vector<StoredPoint> points(1);
  points[0].point = failed_point(1);
  points[0].point.reason = "a \"quoted\"\nline \xff";
  points[0].point.key.parameters.set("WORD", std::string("\x01 \\"));
  const Json document = Json::parse(write_t4(RunRecord{}, points));
  BOOST_TEST(document["results"][0]["configuration"]["WORD"] == "\x01 \\");
  BOOST_TEST(!document["results"][0].contains("timestamp"));
  BOOST_TEST(Json::parse(write_t4(RunRecord{}, {}))["results"].empty());
}

BOOST_AUTO_TEST_SUITE_END()
