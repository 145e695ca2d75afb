#include "engine/run/compile_ahead.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "engine/jit/program_cache.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/telling_pattern.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compile_ahead {
namespace {

/// Of two patterns in turns.
std::vector<Configuration> mixed(std::size_t count) {
  return telling_configurations(count, 1);
}

struct How {
  unsigned compilers;
  std::vector<std::string> command;
};
std::ostream& operator<<(std::ostream& out, const How& how) {
  out << how.compilers << " compilers";
  for (const std::string& word : how.command) out << ' ' << word;
  return out;
}

CompileSettings settings_of(const How& how, ProgramCache* cache = nullptr) {
  CompileSettings settings;
  settings.nvrtc = nvrtc();
  settings.compute_capability = newer_than_any;
  settings.compilers = how.compilers;
  settings.process_command = how.command;
  settings.cache = cache;
  return settings;
}

const How ways[] = {{1, {}},
                    {3, {}},
                    {6, {SWEEP_SCRIPTED_COMPILER, "nvrtc"}},
                    {6, {SWEEP_SCRIPTED_COMPILER, "mortal"}},
                    {6, {"/no/such/program"}}};

}  // namespace
}  // namespace compile_ahead

BOOST_AUTO_TEST_SUITE(compile_ahead, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(every_configuration_has_its_own_outcome, data::make(ways), how) {
  const std::vector<Configuration> configurations = mixed(200);
  CompileAhead compiled(settings_of(how), configurations);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
  }
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  const CompileStatistics statistics = compiled.statistics();
  BOOST_TEST(statistics.configurations == 200U);
  BOOST_TEST(statistics.from_cache == 0U);
  BOOST_TEST(statistics.programs >= 2U);
  BOOST_TEST(statistics.compilers >= 1U);
  BOOST_TEST(statistics.compilers <= how.compilers);
  BOOST_TEST(statistics.compiler_seconds > 0);
  BOOST_TEST(statistics.wall_seconds > 0);
}

BOOST_AUTO_TEST_CASE(what_was_compiled_once_comes_from_the_cache) {
  const TemporaryFolder folder;
  const std::vector<Configuration> configurations = mixed(60);
  CacheSettings cache_settings;
  cache_settings.folder = folder.path() / "cache";
  for (const std::size_t expected : {0U, 59U}) {
    ProgramCache cache(cache_settings);
    CompileAhead compiled(settings_of({2, {}}, &cache), configurations);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
    }
    // Those that do not compile are tried again.
    BOOST_TEST(compiled.statistics().from_cache == expected);
    BOOST_TEST(compiled.statistics().configurations == 60U - expected);
  }
}

BOOST_DATA_TEST_CASE(it_ends_soon_while_there_is_much_to_do,
                     data::make({How{2, {}}, How{8, {SWEEP_SCRIPTED_COMPILER, "nvrtc"}}}), how) {
  const std::vector<Configuration> configurations = mixed(5000);
  std::chrono::steady_clock::time_point begin;
  {
    CompileAhead compiled(settings_of(how), configurations);
    BOOST_TEST(is_outcome_of(configurations[0], compiled.next()));
    begin = std::chrono::steady_clock::now();
  }
  const std::chrono::duration<double> needed = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(needed.count() < 10);
}

BOOST_AUTO_TEST_CASE(nothing_to_compile_is_no_problem) {
  CompileAhead compiled(settings_of({0, {}}), {});
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  BOOST_TEST(compiled.statistics().programs == 0U);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_too_old_is_an_error_at_once) {
  const std::vector<Configuration> configurations = mixed(3);
  CompileSettings settings = settings_of({1, {}});
  settings.compute_capability = 10;
  BOOST_CHECK_THROW(CompileAhead(settings, configurations), LibraryError);
}

BOOST_AUTO_TEST_SUITE_END()
