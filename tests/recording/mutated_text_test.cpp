// Readers take any bytes: they give a recording or a FileError, and nothing else.

#include <boost/test/unit_test.hpp>

#include "engine/recording/recording.h"
#include "engine/text/read_source.h"
#include "tests/rapidcheck_case.h"
#include "tests/store/example_records.h"

using namespace sweep;
using namespace sweep::testing;

BOOST_AUTO_TEST_SUITE(mutated_text)

namespace {

std::string t4_text() {
  RunRecord run;
  run.provenance = example_provenance();
  std::vector<StoredPoint> points(2);
  points[0].point = example_point(1);
  points[1].point = failed_point(2);
  return write_t4(run, points);
}

std::string cache_text() {
  return R"({"device_name": "A GPU", "problem_size": [640, 480], "objective": "time",
"tune_params_keys": ["bx", "type"], "cache": {
"16,half": {"bx": 16, "type": "half", "time": 1.5, "times": [1.6, 1.5], "GFLOP/s": 20.0},
"32,fast": {"bx": 32, "type": "fast", "time": "InvalidConfig"}}})";
}

/// The text with some characters replaced, left out or moved elsewhere.
std::string mutated(std::string text) {
  constexpr std::string_view characters = "{}[]\",:0-9.e\\ntru \n\xff\x01";
  const int changes = *rc::gen::inRange(1, 5);
  for (int i = 0; i < changes && !text.empty(); ++i) {
    const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto length = *rc::gen::inRange<std::size_t>(0, 20);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[place] = characters[*rc::gen::inRange<std::size_t>(0, characters.size())];
        break;
      case 1:
        text.erase(place, length);
        break;
      default:
        text.insert(*rc::gen::inRange<std::size_t>(0, text.size()), text.substr(place, length));
    }
  }
  return text;
}

template <class Read>
void read_or_refuse(const Read& read, const std::string& text) {
  try {
    read(text, "file");
  } catch (const FileError& error) {
    RC_ASSERT(std::string_view(error.what()).starts_with("file"));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(t4_results_are_read_or_refused) {
  const std::string text = t4_text();
  check_property([&] { read_or_refuse(read_t4, mutated(text)); }, 1000);
}

BOOST_AUTO_TEST_CASE(caches_are_read_or_refused) {
  const std::string text = cache_text();
  check_property([&] { read_or_refuse(read_kernel_tuner_cache, mutated(text)); }, 1000);
}

BOOST_AUTO_TEST_CASE(counters_are_read_or_refused) {
  const std::string text =
      "==PROF== k\n\"ID\",\"Kernel Name\",\"Grid Size\",\"dram__bytes_read.sum\"\n"
      "\"\",\"\",\"\",\"Kbyte\"\n\"0\",\"k<int>(T1)\",\"(16, 8, 1)\",\"1,234.5\"\n"
      "\"1\",\"k<int>(T1)\",\"(16, 8, 1)\",\"1,234.5\"\n";
  check_property([&] { read_or_refuse(read_ncu, mutated(text)); }, 1000);
}

BOOST_AUTO_TEST_SUITE_END()
