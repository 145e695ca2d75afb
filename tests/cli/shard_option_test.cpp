#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <map>
#include <ostream>

#include "engine/cli/options/shard.h"
#include "tests/contains.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace shard_option {
namespace {

using Variables = std::map<std::string, std::string>;

Shard read(const std::string& text, const Variables& variables = {}) {
  return read_shard(text, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found != variables.end() ? found->second.c_str() : nullptr;
  });
}

/// What the command line is answered with.
std::string answer(const std::string& text, const Variables& variables = {}) {
  try {
    const Shard shard = read(text, variables);
    return fmt::format("{} of {}", shard.number, shard.count);
  } catch (const UsageError& error) {
    return error.what();
  }
}

Variables array(const std::string& task, const std::string& first, const std::string& last,
                const std::string& count, const std::string& step = {}) {
  Variables variables = {{"SLURM_ARRAY_TASK_ID", task},
                         {"SLURM_ARRAY_TASK_MIN", first},
                         {"SLURM_ARRAY_TASK_MAX", last},
                         {"SLURM_ARRAY_TASK_COUNT", count}};
  if (!step.empty()) variables["SLURM_ARRAY_TASK_STEP"] = step;
  return variables;
}

struct OfArray {
  Variables variables;
  std::string says;
};

std::ostream& operator<<(std::ostream& stream, const OfArray& each) {
  return stream << each.says;
}

const std::string uneven = "do not go from ";
const std::string none = "this is no task of a Slurm job array";

const OfArray arrays[] = {
    {array("1", "1", "8", "8"), "1 of 8"},
    {array("8", "1", "8", "8", "1"), "8 of 8"},
    {array("0", "0", "7", "8"), "1 of 8"},
    {array("20", "10", "30", "3", "10"), "2 of 3"},
    // --array=1-10:4 has the tasks 1, 5 and 9, and 10 or 9 for the last.
    {array("9", "1", "10", "3", "4"), "3 of 3"},
    {array("5", "5", "5", "1"), "1 of 1"},
    {array("3", "3", "5", "2"), uneven},
    {array("7", "1", "7", "3"), uneven},
    {array("2", "1", "9", "5", "2"), uneven},
    {array("9", "1", "8", "8"), uneven},
    {array("1", "1", "8", "8", "0"), uneven},
    {array("x", "1", "8", "8"), none},
    {{{"SLURM_ARRAY_TASK_ID", "1"}}, none},
    {{}, none},
};

const std::string shards_refused[] = {
    "x",        "",      "1",    "1/",    "/8",    "1/0",   "-1/8",
    "1/-8",     "1/8/2", "1 /8", "0x1/8", "1.5/8", "Slurm", "1/99999999999999999999",
    "1/1000001"};

}  // namespace
}  // namespace shard_option

BOOST_AUTO_TEST_SUITE(shard_option)

BOOST_AUTO_TEST_CASE(names_a_shard_and_how_many_there_are) {
  BOOST_TEST(answer("2/8") == "2 of 8");
  BOOST_TEST(answer("1/1") == "1 of 1");
  BOOST_TEST(answer("64/64") == "64 of 64");
  const std::string outside = ": of 8 shards the first is 1/8 and the last 8/8";
  BOOST_TEST(answer("9/8") == "--shard 9/8" + outside);
  BOOST_TEST(answer("0/8") == "--shard 0/8" + outside);
}

BOOST_DATA_TEST_CASE(what_is_no_shard_is_refused_with_an_example, data::make(shards_refused)) {
  BOOST_TEST(contains(answer(sample), "as in --shard 2/8, or slurm within a Slurm job array"),
             answer(sample));
}

BOOST_DATA_TEST_CASE(in_a_job_array_slurm_says_which_it_is, data::make(arrays)) {
  BOOST_TEST(contains(answer("slurm", sample.variables), sample.says),
             answer("slurm", sample.variables));
}

BOOST_AUTO_TEST_CASE(results_are_named_after_the_shard) {
  BOOST_TEST(name_of_results("stride", {2, 8}) == "stride.2-of-8");
  BOOST_TEST(name_of_results("stride", {}) == "stride");
}

BOOST_AUTO_TEST_SUITE_END()
