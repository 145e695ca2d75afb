#include "engine/run/compile_on_demand.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "engine/jit/program_cache.h"
#include "engine/loader/dynamic_library.h"
#include "tests/contains.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compile_on_demand {
namespace {

/// A pattern whose kernels tell their K by their PTX; 13 does not compile.
PatternPtr pattern_called(const std::string& name) {
  return pattern_from_text(
      name,
      "/* pattern:\nparameters: {K: 1}\nbuffers: {data: {type: int, length: 64, init: \"i\"}}\n"
      "launch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: \"data[i] >= 0\"\n*/\n"
      "static_assert(K != 13, \"unlucky\");\n__global__ void " +
          name + "(int* data) { data[threadIdx.x] = 1000000 + K; }\n");
}

/// Configurations of two patterns in turns, K being their place.
std::vector<Configuration> mixed(std::size_t count) {
  const std::vector<PatternPtr> patterns = {pattern_called("one"), pattern_called("two")};
  std::vector<Configuration> result;
  for (std::size_t i = 0; i < count; ++i) {
    // A few of one, then a few of the other.
    const PatternPtr& pattern = patterns[i / 3 % 2];
    result.push_back(resolve(pattern, integers({{"K", static_cast<std::int64_t>(i)}})));
  }
  return result;
}

/// Whether the outcome is that of the configuration at `place`.
bool is_right(const CompileOutcome& outcome, std::size_t place) {
  if (place == 13) {
    const auto* failure = std::get_if<CompileFailure>(&outcome);
    return failure != nullptr && failure->errors.error_count() == 1 &&
           contains(render(failure->errors), "unlucky");
  }
  const auto* compiled = std::get_if<CompiledConfiguration>(&outcome);
  if (compiled == nullptr) return false;
  const std::string& ptx = compiled->program->ptx;
  const std::size_t entry = ptx.find(".entry " + compiled->kernel_entry);
  if (entry == std::string::npos) return false;
  return ptx.substr(ptx.find("1000", entry), 7) == std::to_string(1000000 + place);
}

CompileSettings settings_of(unsigned compilers, ProgramCache* cache = nullptr) {
  CompileSettings settings;
  settings.nvrtc = nvrtc();
  settings.compute_capability = 999;  // PTX alone, which compiles faster
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
    BOOST_TEST(is_right(compiled.next(), i), i);
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
    BOOST_TEST(is_right(compiled.next(), taken), taken);
  }
  BOOST_TEST(!compiled.is_ready());
  BOOST_CHECK_THROW(compiled.next(), std::out_of_range);
  // Nothing being left is not the end.
  compiled.add(configurations[3]);
  BOOST_TEST(is_right(compiled.next(), 3));
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
  BOOST_TEST(is_right(compiled.next(), 1));
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
      BOOST_TEST(is_right(compiled.next(), i), i);
    }
    // The one that does not compile is tried again.
    BOOST_TEST(compiled.statistics().from_cache == expected);
    BOOST_TEST(compiled.statistics().configurations == 30U - expected);
  }
}

BOOST_AUTO_TEST_CASE(some_of_a_batch_may_come_from_the_cache) {
  const TemporaryFolder folder;
  const PatternPtr pattern = pattern_called("one");
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
    for (const std::size_t i : {1U, 4U, 5U, 11U}) BOOST_TEST(is_right(compiled.next(), i), i);
  }
  CompileOnDemand compiled(settings_of(1, &cache));
  for (const Configuration& configuration : configurations) compiled.add(configuration);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    BOOST_TEST(is_right(compiled.next(), i), i);
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
  BOOST_TEST(is_right(compiled.next(), 0));
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
