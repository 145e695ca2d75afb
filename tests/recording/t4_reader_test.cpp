#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"
#include "tests/contains.h"
#include "tests/recording/message_of.h"

using namespace sweep;
using sweep::testing::message_of;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(t4_reader)

namespace {

Recording read(const std::string& text) {
  return read_t4(text, "t4.json");
}

/// One result with this configuration and these members besides.
std::string result(const std::string& configuration, const std::string& more) {
  return R"({"configuration": {)" + configuration + R"(}, "times": {"runtimes": []}, )" + more +
         "}";
}

std::string document(const std::string& results, const std::string& metadata = "{}") {
  return R"({"results": [)" + results + R"(], "schema_version": "1.0.0", "metadata": )" + metadata +
         "}";
}

std::string time(const std::string& unit) {
  return R"("invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", )"
         R"("value": 2.5, "unit": ")" +
         unit + R"("}, {"name": "GFLOP/s", "value": 100, "unit": ""}], "objectives": ["time"])";
}

double first_time(const Recording& recording) {
  return figure_of(recording.entries.at(0), "time", Origin::measured).value();
}

}  // namespace

BOOST_AUTO_TEST_CASE(reads_what_kernel_tuner_writes) {
  const Recording recording =
      read(document(result(R"("bx": 16, "vec": "float4", "fast": true)", time("ms")) + "," +
                    result(R"("bx": 32, "vec": "float4", "fast": false)",
                           R"("invalidity": "compile", "correctness": 1, "measurements":
                              [{"name": "time", "value": "CompilationFailedConfig", "unit": "ms"}],
                              "objectives": ["time"])")));
  BOOST_TEST(recording.origin.format == "T4 results");
  BOOST_TEST(recording.origin.objective == "time");
  BOOST_REQUIRE(recording.entries.size() == 2U);
  BOOST_TEST(to_string(recording.entries[0].configuration) == "bx=16 vec=float4 fast=true");
  BOOST_TEST(first_time(recording) == 2500);
  BOOST_CHECK(recording.entries[1].status == PointStatus::failed);
  BOOST_TEST(recording.entries[1].reason == "it does not compile");
  BOOST_REQUIRE(recording.metrics.size() == 2U);
  BOOST_TEST(recording.metrics[0].unit == "us");
  BOOST_CHECK(recording.metrics[1].better == Better::higher);
}

BOOST_AUTO_TEST_CASE(reads_what_ktt_writes) {
  const Recording recording =
      read(document(result(R"("block": "128", "mode": "rows", "odd": "007")", time("")),
                    R"({"timeunit": "microseconds", "device": "A GPU", "autotuner": "KTT"})"));
  BOOST_TEST(recording.origin.device == "A GPU");
  BOOST_TEST(first_time(recording) == 2.5);
  const Bindings& configuration = recording.entries.at(0).configuration;
  BOOST_CHECK(*configuration.find("block") == Value(std::int64_t{128}));
  BOOST_CHECK(*configuration.find("mode") == Value(std::string("rows")));
  BOOST_CHECK(*configuration.find("odd") == Value(std::string("007")));
}

struct TimeUnit {
  const char* unit;
  const char* metadata;
  double microseconds;
};
std::ostream& operator<<(std::ostream& out, const TimeUnit& unit) {
  return out << unit.unit << " in " << unit.metadata;
}
const std::vector<TimeUnit> time_units = {
    {"", "{}", 2500},
    {"ms", R"({"timeunit": "seconds"})", 2500},
    {"", R"({"timeunit": "seconds"})", 2.5e6},
    {"s", "{}", 2.5e6},
    {"us", "{}", 2.5},
    {"", R"({"timeunit": "nanoseconds"})", 0.0025},
    {"", R"({"timeunit": "miliseconds"})", 2500},
};

BOOST_DATA_TEST_CASE(times_become_microseconds, data::make(time_units), unit) {
  const Recording recording = read(document(result(R"("a": 1)", time(unit.unit)), unit.metadata));
  BOOST_TEST(first_time(recording) == unit.microseconds, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(runtimes_stand_in_for_a_time) {
  const Recording recording = read(
      R"({"results": [{"configuration": {"a": 1}, "invalidity": "correct", "correctness": 1,
          "times": {"runtimes": [3, 1, 2, 8]}}]})");
  BOOST_TEST(first_time(recording) == 2500);
}

BOOST_AUTO_TEST_CASE(origins_and_patterns_are_read_back) {
  const Recording recording =
      read(document(result(R"("a": 1, "pattern": "copy")",
                           R"("invalidity": "correct", "correctness": 1, "measurements": [
         {"name": "load_sectors.emulated", "value": 4, "unit": "1"},
         {"name": "power", "value": 300, "unit": "W"},
         {"name": "trace", "value": [1, 2], "unit": ""}])")));
  BOOST_TEST(to_string(recording.entries.at(0).configuration) == "pattern=copy a=1");
  BOOST_TEST(figure_of(recording.entries[0], "load_sectors", Origin::emulated).value() == 4);
  BOOST_TEST(recording.metrics.size() == 2U);
  BOOST_REQUIRE(find_metric(recording, "gld_transactions") != nullptr);
  BOOST_CHECK(find_metric(recording, "gld_transactions")->origin == Origin::emulated);
  BOOST_TEST(find_metric(recording, "load_sectors.hardware") == nullptr);
  BOOST_TEST(find_metric(recording, "trace") == nullptr);
}

struct Failing {
  std::string members;
  std::string reason;
};
std::ostream& operator<<(std::ostream& out, const Failing& failing) {
  return out << failing.members;
}
const std::vector<Failing> failing = {
    {R"("invalidity": "timeout", "correctness": 1)", "it ran too long"},
    {R"("invalidity": "correct", "correctness": 0)", "its result is wrong"},
    {R"("invalidity": "correctness")", "its result is wrong"},
    {R"("invalidity": "eaten", "correctness": 1)", "eaten"},
    {R"("invalidity": "runtime", "correctness": 0, "reason": "illegal address")",
     "illegal address"},
};

BOOST_DATA_TEST_CASE(failures_say_why, data::make(failing), one) {
  const Recording recording = read(document(result(R"("a": 1)", one.members)));
  BOOST_CHECK(recording.entries.at(0).status == PointStatus::failed);
  BOOST_TEST(recording.entries[0].reason == one.reason);
}

BOOST_AUTO_TEST_CASE(the_last_of_equal_results_counts) {
  const Recording recording =
      read(document(result(R"("a": 1, "b": 2)", time("ms")) + "," +
                    result(R"("b": 2, "a": 1)", time("us")) + "," + result(R"("a": 1)", time(""))));
  BOOST_TEST(recording.entries.size() == 2U);
  BOOST_TEST(recording.replaced == 1U);
  BOOST_TEST(first_time(recording) == 2.5);
}

struct Mistake {
  std::string text;
  std::string said;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.text;
}
const std::vector<Mistake> mistakes = {
    {document("7"), "t4.json: results[0]: this is no object"},
    {document(result(R"("a": 1)", time("ms")) + R"(, {"times": {}})"),
     "results[1]: it has no object 'configuration'"},
    {document(result(R"("a": 1)", R"("invalidity": 3)")), "results[0]: 'invalidity' is no text"},
    {document(result(R"("a": 1)", R"("measurements": 3)")),
     "results[0]: 'measurements' is no list"},
    {document(result(R"("a": 1)", R"("measurements": [{"value": 3}])")),
     "a measurement has no name"},
    {document(result(R"("a": 1)", R"("objectives": "time")")), "'objectives' is no list"},
    {document("", R"({"timeunit": "moons"})"), "the timeunit 'moons' is none"},
    {R"({"results": [{"configuration": {"a": 1}, "times": {"runtimes": ["x"]}}]})",
     "results[0]: a runtime is no number"},
    {"{\"results\": [\n{\"configuration\": {\"a\": }}]}", "t4.json:2:25: this is no JSON"},
    {"{\"results\": [", "t4.json:1:14: this is no JSON"},
};

BOOST_AUTO_TEST_CASE(says_what_a_sweep_needs_of_the_device) {
  const RecordingOrigin origin = read(document("", R"({"hardware": {"hardware_description":
      [{"backend": "emulator", "multiprocessors": 132, "l2_bytes": 1000}]}})"))
                                     .origin;
  BOOST_TEST(origin.is_emulated);
  BOOST_TEST(origin.multiprocessors == 132);
  BOOST_TEST(origin.l2_bytes == 1000U);
  for (const char* other : {"{}", R"({"hardware": 3})", R"({"hardware": {}})",
                            R"({"hardware": {"hardware_description": [7]}})",
                            R"({"hardware": {"hardware_description": [{"backend": "cuda",
                                "multiprocessors": -1, "l2_bytes": "many"}]}})"}) {
    const RecordingOrigin of_other = read(document("", other)).origin;
    BOOST_TEST(!of_other.is_emulated, other);
    BOOST_TEST(of_other.multiprocessors == 0, other);
    BOOST_TEST(of_other.l2_bytes == 0U, other);
  }
}

BOOST_DATA_TEST_CASE(says_what_is_wrong_and_where, data::make(mistakes), mistake) {
  const std::string message = message_of([&] { read(mistake.text); });
  BOOST_TEST(contains(message, mistake.said), message);
}

BOOST_AUTO_TEST_CASE(a_value_nested_deeper_than_the_stack_is_refused) {
  constexpr std::size_t depth = 200'000;
  const std::string deep = "\"a\": " + std::string(depth, '[') + std::string(depth, ']');
  const std::string message = message_of([&] { read(document(result(deep, time("ms")))); });
  BOOST_TEST(message == "t4.json: this JSON is not read: values stand more than 100 levels deep");
}

BOOST_AUTO_TEST_SUITE_END()
