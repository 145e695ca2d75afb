#include "engine/run/compile_on_demand.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "engine/jit/program_cache.h"
#include "engine/loader/dynamic_library.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/run/telling_pattern.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compile_on_demand {
namespace {

/// A few of one pattern, then a few of another.
std::vector<Configuration> mixed(std::size_t count) {
  return telling_configurations(count, 3);
}

CompileSettings settings_of(unsigned compilers, ProgramCache* cache = nullptr) {
  CompileSettings settings;
  settings.nvrtc = nvrtc();
  settings.compute_capability = newer_than_any;
  settings.compilers = compilers;
  settings.cache = cache;
  return settings;
}

}  // namespace
}  // namespace compile_on_demand

BOOST_AUTO_TEST_SUITE(compile_on_demand, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(outcomes_come_in_the_order_in_which_they_are_asked_for,
                     data::make({1U, 3U, 64U}), compilers) {
  const std::vector<Configuration> configurations = mixed(24);
  CompileOnDemand compiled(settings_of(compilers));
  for (const Configuration& configuration : configurations) compiled.add(configuration);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
  }
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  const CompileStatistics statistics = compiled.statistics();
  BOOST_TEST(statistics.configurations == 24U);
  BOOST_TEST(statistics.from_cache == 0U);
  BOOST_TEST(statistics.programs >= 2U);
  BOOST_TEST(statistics.compilers >= 1U);
  BOOST_TEST(statistics.compilers <= std::min(compilers, 4U));
  BOOST_TEST(statistics.compiler_seconds > 0);
  BOOST_TEST(statistics.wall_seconds > 0);
}

BOOST_AUTO_TEST_CASE(more_can_be_asked_for_while_some_are_taken) {
  const std::vector<Configuration> configurations = mixed(24);
  CompileOnDemand compiled(settings_of(2));
  std::size_t added = 0;
  for (std::size_t taken = 0; taken < configurations.size(); ++taken) {
    while (added < configurations.size() && added < taken + 5)
      compiled.add(configurations[added++]);
    BOOST_TEST(is_outcome_of(configurations[taken], compiled.next()), taken);
  }
  BOOST_TEST(!compiled.is_ready());
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  // Nothing being left is not the end.
  compiled.add(configurations[3]);
  BOOST_TEST(is_outcome_of(configurations[3], compiled.next()));
}

BOOST_AUTO_TEST_CASE(what_is_ready_is_said_to_be) {
  const std::vector<Configuration> configurations = mixed(2);
  CompileOnDemand compiled(settings_of(1));
  BOOST_TEST(!compiled.is_ready());
  compiled.add(configurations[0]);
  compiled.add(configurations[1]);
  compiled.next();
  // One compiler takes both at once or one after the other; either way the second comes.
  while (!compiled.is_ready()) std::this_thread::yield();
  BOOST_TEST(is_outcome_of(configurations[1], compiled.next()));
  BOOST_TEST(!compiled.is_ready());
}

BOOST_AUTO_TEST_CASE(what_was_compiled_once_comes_from_the_cache) {
  const TemporaryFolder folder;
  const std::vector<Configuration> configurations = mixed(30);
  CacheSettings cache_settings;
  cache_settings.folder = folder.path() / "cache";
  for (const std::size_t expected : {0U, 29U}) {
    ProgramCache cache(cache_settings);
    CompileOnDemand compiled(settings_of(2, &cache));
    for (const Configuration& configuration : configurations) compiled.add(configuration);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
    }
    // The one that does not compile is tried again.
    BOOST_TEST(compiled.statistics().from_cache == expected);
    BOOST_TEST(compiled.statistics().configurations == 30U - expected);
  }
}

BOOST_AUTO_TEST_CASE(some_of_a_batch_may_come_from_the_cache) {
  const TemporaryFolder folder;
  const PatternPtr pattern = telling_pattern("one");
  std::vector<Configuration> configurations;
  for (std::int64_t k = 0; k < 12; ++k) {
    configurations.push_back(resolve(pattern, integers({{"K", k}})));
  }
  CacheSettings cache_settings;
  cache_settings.folder = folder.path() / "cache";
  ProgramCache cache(cache_settings);
  {
    CompileOnDemand compiled(settings_of(1, &cache));
    for (const std::size_t i : {1U, 4U, 5U, 11U}) compiled.add(configurations[i]);
    for (const std::size_t i : {1U, 4U, 5U, 11U})
      BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
  }
  CompileOnDemand compiled(settings_of(1, &cache));
  for (const Configuration& configuration : configurations) compiled.add(configuration);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
  }
  BOOST_TEST(compiled.statistics().from_cache == 4U);
  BOOST_TEST(compiled.statistics().configurations == 8U);
}

BOOST_AUTO_TEST_CASE(what_the_compiler_throws_reaches_who_waits) {
  // A struct's size is worked out when the program is written.
  const PatternPtr pattern = pattern_from_text(
      "odd",
      "/* pattern:\nparameters: {K: 1}\nstructs: {Pair: 8 / K}\n"
      "buffers: {data: {type: Pair, length: 64}}\n"
      "launch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: \"true\"\n*/\n"
      "struct Pair { int a, b; };\n__global__ void odd(Pair* data) { data[threadIdx.x].a = K; }\n");
  Configuration impossible = {pattern, integers({{"K", 0}})};
  const Configuration possible = {pattern, integers({{"K", 1}})};
  CompileOnDemand compiled(settings_of(1));
  compiled.add(possible);
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(compiled.next()));
  compiled.add(impossible);
  BOOST_CHECK_THROW(compiled.next(), InputError);
  // No compiler is left then; nobody waits for ever.
  compiled.add(possible);
  BOOST_CHECK_THROW(compiled.next(), InputError);
  BOOST_TEST(!compiled.is_ready());
}

BOOST_DATA_TEST_CASE(it_ends_with_work_that_nobody_takes, data::make({1U, 4U}), compilers) {
  const std::vector<Configuration> configurations = mixed(3000);
  CompileOnDemand compiled(settings_of(compilers));
  for (const Configuration& configuration : configurations) compiled.add(configuration);
  BOOST_TEST(is_outcome_of(configurations[0], compiled.next()));
}

BOOST_AUTO_TEST_CASE(it_ends_where_nothing_was_asked_for) {
  CompileOnDemand compiled(settings_of(0));
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  BOOST_TEST(compiled.statistics().programs == 0U);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_too_old_is_an_error_at_once) {
  CompileSettings settings = settings_of(1);
  settings.compute_capability = 10;
  BOOST_CHECK_THROW(CompileOnDemand{settings}, LibraryError);
}

BOOST_AUTO_TEST_SUITE_END()
