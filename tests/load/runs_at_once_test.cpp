#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <regex>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/newest_points.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace runs_at_once {
namespace {

constexpr std::size_t runs = 8;
constexpr std::size_t configurations = 40;

/// One block each, of two offsets, five types and four strides.
std::vector<std::string> run_words(const std::string& output) {
  return {"run",      SWEEP_SOURCE_DIR "/tests/load/load.yaml",
          "--device", "emulator",
          "--set",    "OFFSET=0,1",
          "--set",    "BLOCK=32",
          "-o",       output,
          "--timing", "--quiet"};
}

struct RunsAtOnce {
  TemporaryFolder folder;
  Environment environment = {{"XDG_CACHE_HOME", (folder.path() / "cache").string()}};

  /// The outcomes of runs that begin together, each with the output folder that `output` names.
  template <class Output>
  std::vector<Outcome> run_together(const Output& output) const {
    std::vector<std::unique_ptr<RunningProgram>> programs;
    for (std::size_t i = 0; i < runs; ++i) {
      programs.push_back(
          std::make_unique<RunningProgram>(run_words(output(i)), folder.path(), environment));
    }
    std::vector<Outcome> outcomes;
    for (const auto& program : programs) outcomes.push_back(program->wait());
    return outcomes;
  }

  /// What a run recorded, but for which run it was.
  std::vector<PointRecord> points_of(const std::string& output) const {
    return newest_points(folder.path() / output / "load.db");
  }
};

/// How many configurations a run compiled itself: "40 configurations in 6 programs by 2 compilers".
std::size_t compiled_by(const Outcome& outcome) {
  std::smatch found;
  const std::regex compiled("([0-9]+) configurations? in [0-9]+ program");
  if (!std::regex_search(outcome.out, found, compiled)) return 0;
  return std::stoul(found[1]);
}

}  // namespace
}  // namespace runs_at_once

BOOST_AUTO_TEST_SUITE(runs_at_once_suite, *boost::unit_test::precondition(has_compiler))

using namespace runs_at_once;

BOOST_FIXTURE_TEST_CASE(share_a_cache_and_compile_little_twice, RunsAtOnce) {
  const std::vector<Outcome> outcomes =
      run_together([](std::size_t i) { return "results-" + std::to_string(i); });
  std::size_t compiled = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    BOOST_TEST(outcomes[i].code == 0, outcomes[i].err);
    BOOST_TEST(points_of("results-" + std::to_string(i)) == points_of("results-0"),
               "run " << i << " has other results");
    compiled += compiled_by(outcomes[i]);
  }
  BOOST_TEST(points_of("results-0").size() == configurations);
  // Batches that begin with different configurations may overlap.
  BOOST_TEST(compiled >= configurations);
  BOOST_TEST(compiled < 4 * configurations);
}

BOOST_FIXTURE_TEST_CASE(that_search_compile_nothing_twice, RunsAtOnce) {
  folder.write("searched.yaml",
               "pattern: shifted\naxes: {OFFSET: [0, 1, 2, 3], STRIDE: [1, 2, 4, 8], BLOCK: 32, "
               "T: [float, double]}\ntune: {minimize: instructions, strategy: random}\n");
  const auto search = [&](const std::string& output) {
    return std::make_unique<RunningProgram>(
        std::vector<std::string>{"run", "searched.yaml", "--device", "emulator", "--patterns",
                                 SWEEP_SOURCE_DIR "/tests/load", "-o", output, "--timing",
                                 "--quiet"},
        folder.path(), environment);
  };
  const auto one = search("one");
  const auto other = search("other");
  std::size_t compiled = 0;
  for (const auto& program : {one.get(), other.get()}) {
    const Outcome outcome = program->wait();
    BOOST_TEST(outcome.code == 0, outcome.err);
    compiled += compiled_by(outcome);
  }
  constexpr std::size_t searched = 32;
  BOOST_TEST(compiled == searched);
}

BOOST_FIXTURE_TEST_CASE(leave_a_database_to_one_of_them, RunsAtOnce) {
  const std::vector<Outcome> outcomes = run_together([](std::size_t) { return "results"; });
  std::size_t done = 0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.code == 0) {
      ++done;
    } else {
      BOOST_TEST(contains(outcome.err, "is in use by another run"), outcome.err);
    }
  }
  BOOST_TEST(done >= 1U);
  BOOST_TEST(points_of("results").size() == configurations);
}

BOOST_AUTO_TEST_SUITE_END()
