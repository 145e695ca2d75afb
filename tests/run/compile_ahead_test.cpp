#include "engine/run/compile_ahead.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "engine/jit/program_cache.h"
#include "tests/nvrtc_fixture.h"
#include "tests/pattern_from_text.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace compile_ahead {
namespace {

/// A pattern whose kernels tell their K by their PTX; 13 and 141 do not compile.
PatternPtr pattern_called(const std::string& name) {
  return pattern_from_text(
      name,
      "/* pattern:\nparameters: {K: 1}\nbuffers: {data: {type: int, length: 64, init: \"i\"}}\n"
      "launch: {grid: 1, block: 64}\nuseful: {read: 256}\nverify: \"data[i] >= 0\"\n*/\n"
      "static_assert(K % 128 != 13, \"unlucky\");\n__global__ void " +
          name + "(int* data) { data[threadIdx.x] = 1000000 + K; }\n");
}

/// Configurations of two patterns in turns, K being their place.
std::vector<Configuration> mixed(std::size_t count) {
  const std::vector<PatternPtr> patterns = {pattern_called("one"), pattern_called("two")};
  std::vector<Configuration> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(resolve(patterns[i % 2], integers({{"K", static_cast<std::int64_t>(i)}})));
  }
  return result;
}

/// Whether the outcome is that of the configuration at `place`.
bool is_right(const CompileOutcome& outcome, std::size_t place) {
  if (place % 128 == 13) {
    const auto* failure = std::get_if<CompileFailure>(&outcome);
    return failure != nullptr && failure->errors.error_count() == 1 &&
           render(failure->errors).find("unlucky") != std::string::npos;
  }
  const auto* compiled = std::get_if<CompiledConfiguration>(&outcome);
  if (compiled == nullptr) return false;
  const std::string& ptx = compiled->program->ptx;
  const std::size_t entry = ptx.find(".entry " + compiled->kernel_entry);
  if (entry == std::string::npos) return false;
  const std::size_t constant = ptx.find("1000", entry);
  return ptx.substr(constant, 7) == std::to_string(1000000 + place) &&
         compiled->kernel_entry.find(place % 2 == 0 ? "one" : "two") != std::string::npos;
}

/// PTX alone, which compiles faster.
constexpr int newer_than_any = 999;

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
    BOOST_TEST(is_right(compiled.next(), i), i);
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
      BOOST_TEST(is_right(compiled.next(), i), i);
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
    BOOST_TEST(is_right(compiled.next(), 0));
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
