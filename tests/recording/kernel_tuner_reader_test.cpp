#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"
#include "tests/contains.h"
#include "tests/recording/message_of.h"

using namespace sweep;
using sweep::testing::message_of;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(kernel_tuner_reader)

namespace {

const std::string head = R"({
"device_name": "A GPU",
"kernel_name": "blur",
"problem_size": [640, 480],
"tune_params_keys": [
"bx",
"type"
],
"tune_params": {"bx": [16, 32], "type": ["half", "fast", 0.5]},
"objective": "time",
"cache": {
)";
const std::string first =
    R"("16,half": {"bx": 16, "type": "half", "time": 1.5, "times": [1.6, 1.5], "GFLOP/s": 20.0, )"
    R"("compile_time": 300.1, "timestamp": "2025-01-01"},)"
    "\n";
const std::string second =
    R"("32,fast": {"bx": 32, "type": "fast", "time": "CompilationFailedConfig", "times": []},)"
    "\n";
const std::string third = R"("32,0.5": {"bx": 32, "type": 0.5, "time": 0.25, "GFLOP/s": 120})";

Recording read(const std::string& text) {
  return read_kernel_tuner_cache(text, "blur.json");
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_time_that_an_entry_took_is_known_where_it_is_written) {
  const std::string whole =
      R"("8,half": {"bx": 8, "type": "half", "time": 0.5, "compile_time": 200, )"
      R"("verification_time": 30, "benchmark_time": 20, "framework_time": 1000},)";
  const Recording recording = read(head + whole + first + second + third + "}\n}");
  BOOST_TEST(recording.entries[0].seconds.value() == 0.25, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(recording.entries[0].metrics.size() == 1U);
  BOOST_TEST(recording.entries[1].seconds.value() == 0.3001, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(!recording.entries[2].seconds.has_value());
}

BOOST_AUTO_TEST_CASE(reads_a_whole_file) {
  const Recording recording = read(head + first + second + third + "}\n}");
  BOOST_TEST(recording.origin.file == "blur.json");
  BOOST_TEST(recording.origin.format == "Kernel Tuner cache");
  BOOST_TEST(recording.origin.device == "A GPU");
  BOOST_TEST(recording.origin.kernel == "blur");
  BOOST_TEST(recording.origin.problem_size == "640 x 480");
  BOOST_TEST(recording.origin.objective == "time");
  BOOST_TEST(!recording.unfinished);
  BOOST_REQUIRE(recording.entries.size() == 3U);
  BOOST_TEST(to_string(recording.entries[0].configuration) == "bx=16 type=half");
  BOOST_CHECK(kind_of(*recording.entries[0].configuration.find("type")) == ValueKind::element);
  BOOST_CHECK(kind_of(*recording.entries[1].configuration.find("type")) == ValueKind::word);
  BOOST_TEST(to_string(recording.entries[2].configuration) == "bx=32 type=0.5");
  BOOST_CHECK(recording.entries[1].status == PointStatus::failed);
  BOOST_TEST(recording.entries[1].reason == "it does not compile");
  BOOST_TEST(recording.entries[1].metrics.empty());
}

BOOST_AUTO_TEST_CASE(times_are_converted_and_the_tuning_s_own_left_out) {
  const Recording recording = read(head + first + second + third + "}\n}");
  const RecordedMetric time = {"time", Origin::measured, "us", Better::lower};
  const RecordedMetric rate = {"GFLOP/s", Origin::measured, "", Better::higher};
  BOOST_REQUIRE(recording.metrics.size() == 2U);
  BOOST_CHECK(recording.metrics[0] == time);
  BOOST_CHECK(recording.metrics[1] == rate);
  BOOST_TEST(figure_of(recording.entries[0], "time", Origin::measured).value() == 1500);
  BOOST_TEST(figure_of(recording.entries[2], "GFLOP/s", Origin::measured).value() == 120);
}

BOOST_DATA_TEST_CASE(reads_a_file_that_is_not_finished,
                     data::make({std::string(), std::string(",\n"), std::string("\n"),
                                 std::string("}"), std::string(",\n\"64,half\": {\"bx\": 64, \"ti"),
                                 std::string(",\n\"64,half\": {\"bx\": 64, \"type\": \"x")}),
                     end) {
  const Recording recording = read(head + first + second + third + end);
  BOOST_TEST(recording.unfinished);
  BOOST_TEST(recording.entries.size() == 3U);
  BOOST_TEST(to_string(recording.entries.back().configuration) == "bx=32 type=0.5");
}

BOOST_AUTO_TEST_CASE(reads_a_file_without_entries_yet) {
  BOOST_TEST(read(head).entries.empty());
  BOOST_TEST(read(head).unfinished);
}

BOOST_AUTO_TEST_CASE(parameters_may_be_named_after_the_entries) {
  const Recording recording = read(
      R"({"cache": {"1": {"a": 1, "score": 2}}, "objective": "score", "tune_params_keys": ["a"]})");
  BOOST_REQUIRE(recording.entries.size() == 1U);
  BOOST_TEST(to_string(recording.entries[0].configuration) == "a=1");
  BOOST_TEST(recording.origin.objective == "score");
  BOOST_TEST(recording.entries[0].metrics.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_parameter_s_value_may_be_an_object_at_the_end_of_an_unfinished_file) {
  const Recording recording = read(
      "{\"tune_params_keys\": [\"a\", \"o\"],\n\"cache\": {\n"
      "\"1,{}\": {\"a\": 1, \"time\": 2, \"clocks\": [3, 4], \"o\": {\"k\": 1}},\n"
      "\"2,{}\": {\"a\": 2, \"time\": 2, \"o\": {}}\n");
  BOOST_TEST(recording.unfinished);
  BOOST_REQUIRE(recording.entries.size() == 2U);
  BOOST_TEST(to_string(recording.entries[0].configuration) == "a=1 o={\"k\":1}");
  BOOST_TEST(to_string(recording.entries[1].configuration) == "a=2 o={}");
  BOOST_TEST(recording.entries[0].metrics.size() == 1U);
}

BOOST_AUTO_TEST_CASE(failures_have_several_forms) {
  const std::string text =
      R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": "InvalidConfig"},)"
      R"("2": {"a": 2, "time": 1e20}, "3": {"a": 3, "time": 4, "GB/s": "RuntimeFailedConfig"},)"
      R"("4": {"a": "GoodConfig", "time": 4}}})";
  const Recording recording = read(text);
  BOOST_REQUIRE(recording.entries.size() == 4U);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_CHECK(recording.entries[i].status == PointStatus::failed);
  }
  BOOST_TEST(recording.entries[0].reason == "the device's limits do not allow it");
  BOOST_TEST(recording.entries[2].reason == "it failed when it ran");
  BOOST_CHECK(recording.entries[3].status == PointStatus::ok);
}

BOOST_AUTO_TEST_CASE(the_last_of_equal_entries_counts) {
  const Recording recording =
      read(R"({"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 4},)"
           R"("2": {"a": 2, "time": 5}, "1": {"a": 1, "time": 6}}})");
  BOOST_REQUIRE(recording.entries.size() == 2U);
  BOOST_TEST(recording.replaced == 1U);
  BOOST_TEST(figure_of(recording.entries[0], "time", Origin::measured).value() == 6000);
}

struct Mistake {
  std::string text;
  std::string said;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.text;
}
const std::vector<Mistake> mistakes = {
    {R"({"cache": {}})", "blur.json: it has no list 'tune_params_keys'"},
    {R"({"tune_params_keys": [1], "cache": {}})", "tune_params_keys: a name is no text"},
    {R"({"tune_params_keys": ["a"], "cache": {"7,8": {"b": 1}}})",
     R"(blur.json: cache["7,8"]: it has no value of 'a')"},
    {R"({"tune_params_keys": ["a"], "cache": {"7": 8}})", R"(cache["7"]: this is no object)"},
    {"{\"tune_params_keys\": [\"a\"],\n \"cache\": {\"7\": {\"a\" 1}}}", "blur.json:2:"},
    {R"({"tune_params_keys": ["a"], "cache": {"7": {"a": 1e999}}})",
     "blur.json: this JSON is not read: number overflow"},
    {R"({"tune_params_keys": ["a"], "cache": )", "blur.json:1:"},
    {"[]", "this is no JSON object"},
    {"", "blur.json:1:1: this is no JSON"},
};

BOOST_DATA_TEST_CASE(says_what_is_wrong_and_where, data::make(mistakes), mistake) {
  const std::string message = message_of([&] { read(mistake.text); });
  BOOST_TEST(contains(message, mistake.said), message);
}

BOOST_AUTO_TEST_CASE(neither_depth_nor_length_makes_it_fall_over) {
  const auto with_value = [](const std::string& value) {
    return message_of([&] {
      read(R"({"tune_params_keys": ["a"], "cache": {"7": {"a": 7, "b": )" + value + "}}}");
    });
  };
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  BOOST_TEST(with_value(nested(90)) == "");
  BOOST_TEST(with_value(nested(200'000)) ==
             "blur.json: this JSON is not read: values stand more than 100 levels deep");
  std::string members = "7";
  for (int i = 0; i < 900; ++i) members += ", \"m" + std::to_string(i) + "\": 1";
  BOOST_TEST(with_value(members) == "");
  for (int i = 900; i < 200'000; ++i) members += ", \"m" + std::to_string(i) + "\": 1";
  BOOST_TEST(with_value(members) ==
             "blur.json: this JSON is not read: an object has more than 1000 members");
}

BOOST_AUTO_TEST_CASE(has_any_number_of_entries) {
  std::string entries;
  for (int i = 0; i < 5000; ++i) {
    entries +=
        (i > 0 ? ", \"" : "\"") + std::to_string(i) + "\": {\"a\": " + std::to_string(i) + "}";
  }
  const Recording recording = read(R"({"tune_params_keys": ["a"], "cache": {)" + entries + "}}");
  BOOST_TEST(recording.entries.size() == 5000U);
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_file_is_read_or_refused) {
  const std::string text = head + first + second + third + "}\n}";
  std::size_t read_cuts = 0;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::string message = message_of([&] {
      const Recording recording = read(text.substr(0, size));
      read_cuts += recording.entries.empty() ? 0 : 1;
    });
    BOOST_TEST((message.empty() || message.starts_with("blur.json")));
  }
  BOOST_TEST(read_cuts > first.size());
}

BOOST_AUTO_TEST_SUITE_END()
