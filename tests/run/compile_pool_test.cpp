#include "engine/run/compile_pool.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "engine/jit/program_cache.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/run/compiler_words.h"
#include "tests/run/telling_pattern.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compile_pool {
namespace {

/// Of two patterns in turns.
std::vector<Configuration> mixed(std::size_t count) {
  return telling_configurations(count, 1);
}

struct How {
  unsigned compilers;
  std::string word;
};
std::ostream& operator<<(std::ostream& out, const How& how) {
  return out << how.compilers << " compilers " << how.word;
}

CompileSettings settings_of(unsigned compilers, ProgramCache* cache = nullptr) {
  CompileSettings settings;
  settings.nvrtc = nvrtc();
  settings.compute_capability = newer_than_any;
  settings.compilers = compilers;
  settings.processes = nvrtc_processes();
  settings.cache = cache;
  return settings;
}

const How ways[] = {{1, "nvrtc"}, {3, "nvrtc"}, {6, "nvrtc"}, {6, "mortal"}};

}  // namespace
}  // namespace compile_pool

BOOST_AUTO_TEST_SUITE(compile_pool, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(every_configuration_has_its_own_outcome, data::make(ways), how) {
  const std::vector<Configuration> configurations = mixed(200);
  CompileSettings settings = settings_of(how.compilers);
  settings.processes = compilers_that(how.word);
  CompilePool compiled(settings, configurations);
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

BOOST_AUTO_TEST_CASE(without_a_process_nothing_is_compiled) {
  const std::vector<Configuration> configurations = mixed(100);
  CompileSettings settings = settings_of(6);
  settings.processes = std::make_shared<CompilerProcesses>(std::vector<std::string>{"/no/such"});
  CompilePool compiled(settings, configurations);
  BOOST_CHECK_EXCEPTION(compiled.next(), LibraryError, [](const LibraryError& error) {
    return contains(error.what(), "no compiler process can be started: No such file or directory");
  });
}

BOOST_AUTO_TEST_CASE(what_was_compiled_once_comes_from_the_cache) {
  const TemporaryFolder folder;
  const std::vector<Configuration> configurations = mixed(60);
  CacheSettings cache_settings;
  cache_settings.folder = folder.path() / "cache";
  for (const std::size_t expected : {0U, 59U}) {
    ProgramCache cache(cache_settings);
    CompilePool compiled(settings_of(2, &cache), configurations);
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
    }
    // Those that do not compile are tried again.
    BOOST_TEST(compiled.statistics().from_cache == expected);
    BOOST_TEST(compiled.statistics().configurations == 60U - expected);
  }
}

BOOST_DATA_TEST_CASE(it_ends_soon_while_there_is_much_to_do, data::make({2U, 8U}), compilers) {
  const std::vector<Configuration> configurations = mixed(5000);
  std::chrono::steady_clock::time_point begin;
  {
    CompilePool compiled(settings_of(compilers), configurations);
    BOOST_TEST(is_outcome_of(configurations[0], compiled.next()));
    begin = std::chrono::steady_clock::now();
  }
  const std::chrono::duration<double> needed = std::chrono::steady_clock::now() - begin;
  BOOST_TEST(needed.count() < 10);
}

BOOST_AUTO_TEST_CASE(nothing_to_compile_is_no_problem) {
  CompilePool compiled(settings_of(0), {});
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  BOOST_TEST(compiled.statistics().programs == 0U);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_too_old_is_an_error_at_once) {
  const std::vector<Configuration> configurations = mixed(3);
  CompileSettings settings = settings_of(1);
  settings.compute_capability = 10;
  BOOST_CHECK_THROW(CompilePool(settings, configurations), LibraryError);
}

BOOST_AUTO_TEST_CASE(more_can_be_asked_for_while_some_are_taken) {
  const std::vector<Configuration> configurations = mixed(24);
  CompilePool compiled(settings_of(2));
  std::size_t added = 0;
  for (std::size_t taken = 0; taken < configurations.size(); ++taken) {
    while (added < configurations.size() && added < taken + 5)
      compiled.submit(configurations[added++]);
    BOOST_TEST(is_outcome_of(configurations[taken], compiled.next()), taken);
  }
  BOOST_TEST(!compiled.is_ready());
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  // Nothing being left is not the end.
  compiled.submit(configurations[3]);
  BOOST_TEST(is_outcome_of(configurations[3], compiled.next()));
}

BOOST_AUTO_TEST_CASE(what_is_ready_is_said_to_be) {
  const std::vector<Configuration> configurations = mixed(2);
  CompilePool compiled(settings_of(1));
  BOOST_TEST(!compiled.is_ready());
  compiled.submit(configurations[0]);
  compiled.submit(configurations[1]);
  compiled.next();
  // One compiler takes both at once or one after the other; either way the second comes.
  while (!compiled.is_ready()) std::this_thread::yield();
  BOOST_TEST(is_outcome_of(configurations[1], compiled.next()));
  BOOST_TEST(!compiled.is_ready());
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
    CompilePool compiled(settings_of(1, &cache));
    for (const std::size_t i : {1U, 4U, 5U, 11U}) compiled.submit(configurations[i]);
    for (const std::size_t i : {1U, 4U, 5U, 11U})
      BOOST_TEST(is_outcome_of(configurations[i], compiled.next()), i);
  }
  CompilePool compiled(settings_of(1, &cache));
  for (const Configuration& configuration : configurations) compiled.submit(configuration);
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
  CompilePool compiled(settings_of(1));
  compiled.submit(possible);
  BOOST_TEST(std::holds_alternative<CompiledConfiguration>(compiled.next()));
  compiled.submit(impossible);
  BOOST_CHECK_THROW(compiled.next(), InputError);
  // No compiler is left then; nobody waits for ever.
  compiled.submit(possible);
  BOOST_CHECK_THROW(compiled.next(), InputError);
  BOOST_TEST(!compiled.is_ready());
}

BOOST_AUTO_TEST_SUITE_END()
