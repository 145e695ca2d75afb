#include <sys/stat.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <thread>

#include "engine/recording/recording.h"
#include "engine/store/store.h"
#include "tests/contains.h"
#include "tests/recording/message_of.h"
#include "tests/store/example_records.h"
#include "tests/temporary_folder.h"

using namespace sweep;
using namespace sweep::testing;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(reading_recordings)

BOOST_AUTO_TEST_CASE(files_are_told_apart_by_what_is_in_them) {
  const TemporaryFolder folder;
  const auto database = folder.path() / "a.json";
  {
    Store store(database, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(example_provenance());
    store.add_point(run, 0, example_point(1));
  }
  BOOST_TEST(read_recording(database).origin.format == "results database, run 1");
  BOOST_TEST(read_recording(database, 1).entries.size() == 1U);
  const auto cache =
      folder.write("b.db", "\n{\"tune_params_keys\": [\"a\"], \"cache\": {\"1\": {\"a\": 1}");
  BOOST_TEST(read_recording(cache).origin.format == "Kernel Tuner cache");
  const auto t4 = folder.write(
      "c.txt", R"({"metadata": {"cache": 1}, "results": [{"configuration": {"a": 1}}]})");
  BOOST_TEST(read_recording(t4).origin.format == "T4 results");
}

struct Mistake {
  const char* text;
  const char* said;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.text;
}
const std::vector<Mistake> mistakes = {
    {"", "this is neither a results database nor JSON results"},
    {"[1]", "this is neither"},
    {"hello", "this is neither"},
    {"{}", "this JSON has neither 'results'"},
    {"{\"a\": {\"results\": 1}}", "this JSON has neither 'results'"},
    {"{\"a\":\n1,, \"results\": []}", "file:2:3: this is no JSON"},
    {"{\"a\": \"\xff\"}", "file:1:"},
};

BOOST_DATA_TEST_CASE(other_files_are_refused, data::make(mistakes), mistake) {
  const TemporaryFolder folder;
  const auto path = folder.write("file", mistake.text);
  const std::string message = message_of([&] { read_recording(path); });
  BOOST_TEST(contains(message, mistake.said), message);
}

BOOST_AUTO_TEST_CASE(missing_files_and_runs_are_named) {
  const TemporaryFolder folder;
  BOOST_TEST(contains(message_of([&] { read_recording(folder.path() / "no"); }), "no such file"));
  BOOST_TEST(contains(message_of([&] { read_recording(folder.path()); }), "this is not a file"));
  const auto t4 = folder.write("t4", R"({"results": []})");
  BOOST_TEST(contains(message_of([&] { read_recording(t4, 2); }), "only a results database"));
}

BOOST_AUTO_TEST_CASE(deep_nesting_does_no_harm) {
  const TemporaryFolder folder;
  const auto path = folder.write("deep", "{\"results\": " + std::string(200000, '[') + "}");
  BOOST_TEST(contains(message_of([&] { read_recording(path); }),
                      "values stand more than 100 levels deep"));
}

BOOST_AUTO_TEST_CASE(a_recording_may_come_through_a_pipe) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer(
      [&] { std::ofstream(pipe) << R"({"results": [{"configuration": {"a": 1}}]})"; });
  const Recording recording = read_recording(pipe);
  writer.join();
  BOOST_TEST(recording.origin.format == "T4 results");
}

BOOST_AUTO_TEST_CASE(a_huge_recording_is_refused_unread) {
  const TemporaryFolder folder;
  const auto huge = folder.write("huge.json", "{");
  std::filesystem::resize_file(huge, std::uintmax_t{40} << 30U);
  const std::string message = message_of([&] { read_recording(huge); });
  BOOST_TEST(contains(message, "40 GiB is more than a recording can have (512 MiB)"), message);
}

BOOST_AUTO_TEST_SUITE_END()
