#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <set>

#include "engine/emulator/execution/emulator_backend.h"
#include "tests/emulator/shipped/emulated_points.h"
#include "tests/emulator/shipped/library.h"
#include "tests/nvrtc_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace every_sweep {
namespace {

constexpr std::size_t most = 3;
/// Of a sweep that searches a space so many are drawn from it: its corners say too little.
constexpr std::size_t drawn = 5;
constexpr double tolerance = 1e-9;

/// Sweeps whose blocks differ, by chance or since they share memory by atomics: their counts per
/// request are about the same in every size, and some blocks do not tell the totals.
const std::set<std::string> uneven_sweeps = {"atomics",           "gather",       "histogram",
                                             "histogram_cluster", "link_atomics", "profile-atomics",
                                             "random_update",     "scatter",      "spatter"};
constexpr double uneven_tolerance = 0.02;

/// Sweeps whose counts per request follow from their sizes: ranges that are read several times
/// beside other accesses.
const std::set<std::string> sweeps_of_sizes = {"link_offsets", "persisting_l2", "profile-camping",
                                               "profile-pages", "profile-sectors"};

/// One block does all the work, which a sample of some blocks may lack.
const std::set<std::string> sweeps_of_one_block = {"l2_halves"};

/// Whether blocks differ: a sweep that searches has persistent blocks, of which some have one tile
/// more than others.
bool is_uneven(const Sweep& sweep) {
  return sweep.tune || uneven_sweeps.contains(sweep.name);
}

std::vector<Configuration> chosen_configurations(const Sweep& sweep) {
  return sweep.tune ? drawn_configurations(sweep, drawn) : some_configurations(sweep, most);
}

/// How far a configuration is made smaller.
struct Reduction {
  std::int64_t bytes = 0;
  std::int64_t size = 0;
  std::int64_t depth = 0;  ///< of products of matrices: K; 0: as their size says
};

constexpr Reduction small = {1 << 20, 256};
/// Of as many bytes, so that what has no SIZE is compiled once for both; with more blocks of what
/// has one, each with less to do.
constexpr Reduction wide = {1 << 20, 512, 128};

/// What a parameter that says how much work there is becomes; nothing for other parameters. Half
/// the steps on half the words leave the share of the work before the first step as it is.
std::optional<std::int64_t> reduced_value(const std::string& name, const Value& value,
                                          const Reduction& reduction) {
  if (name == "BYTES") return reduction.bytes;
  if (name == "SIZE") return reduction.size;
  if (name == "ITERATIONS" || name == "WORDS") return std::get<std::int64_t>(value) / 2;
  return std::nullopt;
}

/// Parameters that the pattern computes from those that say how much work there is.
bool follows(const std::string& name) {
  return name == "N" || name == "M" || name == "K" || name == "BLOCKS" || name == "STEPS";
}

/// The same configuration with less to do.
Configuration reduced(const Configuration& configuration, const Reduction& reduction) {
  Bindings given;
  bool is_smaller = false;
  for (const auto& [name, value] : configuration.parameters.entries()) {
    auto less = reduced_value(name, value, reduction);
    if (less) is_smaller = true;
    if (name == "K" && reduction.depth != 0) less = reduction.depth;
    if (less || !follows(name)) given.set(name, less ? Value(*less) : value);
  }
  BOOST_REQUIRE_MESSAGE(is_smaller,
                        "no parameter says how much work there is in " << to_string(configuration));
  Configuration result = resolve(configuration.pattern, given);
  // As many blocks as the GPU holds are more than this much work needs.
  const Value* blocks = result.parameters.find("BLOCKS");
  if (blocks == nullptr || *blocks != Value(std::int64_t{528})) return result;
  given.set("BLOCKS", std::int64_t{48});
  return resolve(configuration.pattern, given);
}

std::vector<Configuration> reduced(const std::vector<Configuration>& configurations,
                                   const Reduction& reduction) {
  std::vector<Configuration> result;
  for (const Configuration& configuration : configurations) {
    result.push_back(reduced(configuration, reduction));
  }
  return result;
}

/// Every metric that `wanted` chooses is the same in both.
template <class Wanted>
void check_equal(const EmulatedPoint& actual, const EmulatedPoint& expected, Wanted wanted,
                 double within = tolerance) {
  int compared = 0;
  for (const auto& [metric, value] : expected.metrics) {
    if (!wanted(metric)) continue;
    BOOST_TEST_INFO(metric);
    BOOST_TEST_REQUIRE(actual.metrics.contains(metric));
    BOOST_TEST(actual.metrics.at(metric) == value, boost::test_tools::tolerance(within));
    ++compared;
  }
  BOOST_TEST(compared > 0);
}

/// Whether the grid is one block, of which no part can be left out.
/// Of blocks, or of one block alone.
bool has_one_cluster(const Configuration& configuration) {
  const Bindings environment = environment_of(configuration);
  const auto blocks_in = [&](const std::vector<Expression>& extents) {
    std::int64_t blocks = 1;
    for (const Expression& extent : extents) blocks *= extent.evaluate_integer(environment);
    return blocks;
  };
  const LaunchShape& launch = configuration.pattern->steps.front().launch;
  return blocks_in(launch.grid) == blocks_in(launch.cluster);
}

/// Whether a metric says something about one request.
bool is_per_request(const std::string& metric) {
  return metric.ends_with("_per_request") || metric == "efficiency" ||
         metric == "load_efficiency" || metric == "store_efficiency";
}

/// Bulk copies are no requests.
bool has_counts_per_request(const Configuration& configuration) {
  return !configuration.pattern->name.ends_with("_bulk");
}

/// The same for a sweep whose blocks differ. Atomics have no counts per request, and of blocks that
/// share memory by them none is executed when only some should be.
void check_similar(const EmulatedPoint& actual, const EmulatedPoint& expected) {
  const auto has_name = [](const auto& metric) { return is_per_request(metric.first); };
  if (std::ranges::none_of(expected.metrics, has_name)) return;
  if (actual.metrics.at("executed_share") == 0) return;
  check_equal(actual, expected, is_per_request, uneven_tolerance);
}

}  // namespace
}  // namespace every_sweep

BOOST_AUTO_TEST_SUITE(every_sweep, *boost::unit_test::precondition(has_nvrtc))

BOOST_DATA_TEST_CASE(is_correct_and_has_counts_per_request_that_do_not_depend_on_sizes,
                     data::make(shipped_sweeps()), name) {
  Sweep sweep = shipped_sweep(name);
  apply_emulator_set(sweep);
  const auto configurations = chosen_configurations(sweep);
  const auto points = emulate(configurations, emulator_settings(90, 2));
  if (sweeps_of_sizes.contains(name)) {
    for (const EmulatedPoint& point : points) BOOST_TEST(point.verdict == "correct");
    return;
  }
  const auto small_points = emulate(reduced(configurations, small), emulator_settings(90, 2));
  for (std::size_t i = 0; i < points.size(); ++i) {
    BOOST_TEST_CONTEXT(to_string(configurations[i])) {
      BOOST_TEST(points[i].verdict == "correct");
      BOOST_TEST(small_points[i].verdict == "correct");
      if (!has_counts_per_request(configurations[i])) continue;
      if (is_uneven(sweep)) {
        check_similar(small_points[i], points[i]);
      } else {
        check_equal(small_points[i], points[i], is_per_request);
      }
    }
  }
}

BOOST_DATA_TEST_CASE(has_the_same_totals_from_some_blocks_as_from_all, data::make(shipped_sweeps()),
                     name) {
  if (sweeps_of_sizes.contains(name) || sweeps_of_one_block.contains(name)) return;
  const Sweep sweep = shipped_sweep(name);
  const auto configurations = reduced(chosen_configurations(sweep), wide);
  EmulatorSettings some = emulator_settings(90, 2);
  some.whole_budget = 0;
  some.sample_budget = 5'000;
  EmulatorSettings all = emulator_settings(90, 2);
  all.is_exact = true;
  const auto sampled = emulate(configurations, some);
  const auto exact = emulate(configurations, all);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    BOOST_TEST_CONTEXT(to_string(configurations[i])) {
      BOOST_TEST(sampled[i].verdict == "correct");
      BOOST_TEST(exact[i].verdict == "correct");
      BOOST_TEST(exact[i].metrics.at("executed_share") == 100);
      if (is_uneven(sweep)) {
        check_similar(sampled[i], exact[i]);
        continue;
      }
      // So many blocks are executed anyway, and what costs no more than a sample.
      constexpr double few_blocks = 8;
      const bool is_whole =
          has_one_cluster(configurations[i]) || exact[i].metrics.at("blocks") <= few_blocks ||
          exact[i].metrics.at("thread_instructions") <= static_cast<double>(some.sample_budget);
      BOOST_TEST((sampled[i].metrics.at("executed_share") < 100) == !is_whole);
      BOOST_TEST(sampled[i].metrics.size() == exact[i].metrics.size());
      check_equal(sampled[i], exact[i], [](const std::string& metric) {
        return metric != "executed_share" && metric != "verified_share";
      });
    }
  }
}

BOOST_DATA_TEST_CASE(has_no_races_in_shared_memory,
                     data::make({"bank_conflicts",
                                 "bank_width",
                                 "histogram",
                                 "histogram_cluster",
                                 "jagged_rows",
                                 "matrix_tile",
                                 "reduce",
                                 "scan",
                                 "shared_bandwidth",
                                 "stencil",
                                 "transpose",
                                 "transpose_tiles",
                                 "tune-convolution",
                                 "tune-histogram",
                                 "tune-matmul",
                                 "tune-read",
                                 "tune-reduce",
                                 "tune-scan",
                                 "tune-softmax-layer-norm",
                                 "tune-transpose",
                                 "tune-triad"}),
                     name) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.checks_kernel = true;
  check_all_correct(reduced(chosen_configurations(shipped_sweep(name)), wide), settings);
}

BOOST_AUTO_TEST_SUITE_END()
