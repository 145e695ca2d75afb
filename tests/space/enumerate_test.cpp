#include "engine/space/enumerate.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <vector>

#include "tests/pattern_from_text.h"
#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(enumerating)

namespace {

using namespace sweep::testing;
using sweep::InputError;
using sweep::Space;

Space space_of(const std::string& text) {
  return enumerate(read_sweep(text));
}

/// The configurations' values of `names`, each as "A=1 B=2", in order.
std::vector<std::string> values_of(const Space& space, const std::vector<std::string>& names) {
  std::vector<std::string> result;
  for (const sweep::Configuration& configuration : space.configurations) {
    sweep::Bindings chosen;
    for (const std::string& name : names) {
      if (const sweep::Value* value = configuration.parameters.find(name)) chosen.set(name, *value);
    }
    result.push_back(to_string(sweep::Configuration{configuration.pattern, chosen}));
  }
  return result;
}

/// "COUNT CONSTRAINT (ORIGIN)", one line for each.
std::string removed(const Space& space) {
  std::string result;
  for (const sweep::Removed& row : space.removed) {
    result += std::to_string(row.count) + ' ' + row.constraint + " (" + row.origin + ")\n";
  }
  return result;
}

std::string messages_of(const std::string& text) {
  try {
    space_of(text);
    return {};
  } catch (const InputError& error) {
    return messages(error.diagnostics());
  }
}

using Strings = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(the_last_axis_is_the_innermost) {
  const Space space = space_of("pattern: stride\naxes: {STRIDE: [2, 1], T: [float, double]}\n");
  BOOST_TEST(values_of(space, {"STRIDE", "T"}) ==
                 (Strings{"stride STRIDE=2 T=float", "stride STRIDE=2 T=double",
                          "stride STRIDE=1 T=float", "stride STRIDE=1 T=double"}),
             boost::test_tools::per_element());
  BOOST_TEST(space.combinations == 4u);
  BOOST_TEST(space.removed.empty());
}

BOOST_AUTO_TEST_CASE(a_configuration_has_every_parameter) {
  const Space space = space_of("pattern: stride\naxes: {STRIDE: [2]}\n");
  BOOST_TEST_REQUIRE(space.configurations.size() == 1u);
  BOOST_TEST(to_string(space.configurations[0]) == "stride T=float STRIDE=2 BLOCK=256 N=1048576");
}

BOOST_AUTO_TEST_CASE(without_axes_there_is_the_default_configuration) {
  const Space space = space_of("patterns: [tile, stride]\n");
  BOOST_TEST(values_of(space, {"N"}) == (Strings{"tile N=1024", "stride N=1048576"}),
             boost::test_tools::per_element());
  BOOST_TEST(space.combinations == 2u);
}

BOOST_AUTO_TEST_CASE(patterns_are_outermost_and_skip_the_axes_they_lack) {
  const Space space = space_of(
      "patterns: [tile, stride]\naxes: {STRIDE: [1, 2, 3], N: [4, 5], PADDED: [true, false]}\n");
  BOOST_TEST(values_of(space, {"STRIDE", "N", "PADDED"}) ==
                 (Strings{"tile N=4 PADDED=true", "tile N=4 PADDED=false", "tile N=5 PADDED=true",
                          "tile N=5 PADDED=false", "stride STRIDE=1 N=4", "stride STRIDE=1 N=5",
                          "stride STRIDE=2 N=4", "stride STRIDE=2 N=5", "stride STRIDE=3 N=4",
                          "stride STRIDE=3 N=5"}),
             boost::test_tools::per_element());
  BOOST_TEST(space.combinations == 10u);
}

BOOST_AUTO_TEST_CASE(zipped_axes_move_together) {
  const Space space =
      space_of("pattern: tile\naxes: {T: [float, half]}\nzip: [{ROWS: [1, 2], COLUMNS: [8, 4]}]\n");
  BOOST_TEST(values_of(space, {"T", "ROWS", "COLUMNS"}) ==
                 (Strings{"tile T=float ROWS=1 COLUMNS=8", "tile T=float ROWS=2 COLUMNS=4",
                          "tile T=half ROWS=1 COLUMNS=8", "tile T=half ROWS=2 COLUMNS=4"}),
             boost::test_tools::per_element());
  BOOST_TEST(space.combinations == 4u);
}

BOOST_AUTO_TEST_CASE(a_pattern_with_half_of_a_zip_sees_each_of_its_values_once) {
  // `stride` knows N alone, and there 4 stands twice.
  const Space space =
      space_of("patterns: [stride, tile]\nzip: [{ROWS: [1, 2, 3], N: [4, 4, 5]}]\n");
  BOOST_TEST(
      values_of(space, {"ROWS", "N"}) == (Strings{"stride N=4", "stride N=5", "tile ROWS=1 N=4",
                                                  "tile ROWS=2 N=4", "tile ROWS=3 N=5"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_constraint_counts_what_it_is_the_first_to_remove) {
  const Space space = space_of(
      "pattern: stride\n"
      "axes: {STRIDE: {from: 0, to: 9}}\n"
      "where: [STRIDE > 1, STRIDE % 2 == 0, STRIDE < 100, STRIDE > 2]\n");
  BOOST_TEST(values_of(space, {"STRIDE"}) ==
                 (Strings{"stride STRIDE=4", "stride STRIDE=6", "stride STRIDE=8"}),
             boost::test_tools::per_element());
  BOOST_TEST(space.combinations == 10u);
  BOOST_TEST(removed(space) ==
             "2 STRIDE > 1 (the sweep)\n"
             "4 STRIDE % 2 == 0 (the sweep)\n"
             "0 STRIDE < 100 (the sweep)\n"
             "1 STRIDE > 2 (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(a_patterns_own_constraints_come_first) {
  std::map<std::string, sweep::PatternPtr> patterns;
  patterns.emplace("a",
                   good_pattern(pattern_with("a", {"N: 4"}, "require: [N > 1, N != 3]\n"), "a"));
  patterns.emplace("b", good_pattern(pattern_with("b", {"N: 3"}, "require: N < 4\n"), "b"));
  const Space space = enumerate(sweep::parse_sweep(
      source_of("patterns: [a, b]\naxes: {N: {from: 1, to: 6}}\nwhere: [N > 2, N < 6]\n"), "s.yaml",
      lookup_in(patterns), {}));
  BOOST_TEST(values_of(space, {"N"}) == (Strings{"a N=4", "a N=5", "b N=3"}),
             boost::test_tools::per_element());
  BOOST_TEST(removed(space) ==
             "1 N > 1 (pattern a)\n"
             "1 N != 3 (pattern a)\n"
             "3 N < 4 (pattern b)\n"
             "3 N > 2 (the sweep)\n"
             "1 N < 6 (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(a_condition_on_the_pattern_leaves_the_others_alone) {
  const Space space = space_of(
      "patterns: [stride, tile]\naxes: {N: [1, 2]}\nwhere: [pattern != 'tile' || N == 2]\n");
  BOOST_TEST(values_of(space, {"N"}) == (Strings{"stride N=1", "stride N=2", "tile N=2"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_condition_is_for_the_patterns_that_have_all_its_names) {
  const Space space = space_of(
      "patterns: [stride, tile]\naxes: {N: [1, 2]}\n"
      "where: [N > STRIDE, N * sizeof(Pair) > 0, T == float]\n");
  BOOST_TEST(values_of(space, {"N"}) == (Strings{"stride N=2", "tile N=1", "tile N=2"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(everything_may_be_removed) {
  const Space space = space_of("pattern: stride\naxes: {N: [1, 2]}\nwhere: N > 2\n");
  BOOST_TEST(space.configurations.empty());
  BOOST_TEST(space.combinations == 2u);
  BOOST_TEST(removed(space) == "2 N > 2 (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(a_combination_that_fails_is_named) {
  BOOST_TEST(messages_of("pattern: stride\naxes: {STRIDE: [1, 0], T: [half]}\n"
                         "where: N / STRIDE > 4\n") ==
             "3:10+1 '/' divides by zero (for stride STRIDE=0 T=half) | guard it, for example with "
             "max(X, 1) or X > 0 && ...");
  BOOST_TEST(messages_of("pattern: stride\nwhere: 1 / (N - 1 Mi) > 4\n") ==
             "2:10+1 '/' divides by zero (for stride) | guard it, for example with max(X, 1) or X "
             "> 0 && ...");
  BOOST_TEST(messages_of("pattern: tile\nwhere: N * 4 Gi * 4 Gi > 4\n") ==
             "2:17+1 the result of '*' does not fit a 64-bit integer (for tile)");
}

BOOST_AUTO_TEST_CASE(a_guard_keeps_a_combination_from_failing) {
  BOOST_TEST(messages_of("pattern: stride\naxes: {STRIDE: [1, 0]}\n"
                         "where: [STRIDE > 0, N / STRIDE > 4]\n") == "");
}

BOOST_AUTO_TEST_CASE(a_constraint_guards_the_defaults_too) {
  const char* const pattern =
      "/* pattern:\n"
      "parameters: {S: 1, N: {default: 1024 / S, min: 16}}\n"
      "require: [S > 0]\n"
      "buffers: {data: {type: int, length: N}}\n"
      "launch: {grid: 1, block: N}\n"
      "useful: {read: N}\n"
      "verify: \"true\"\n*/\n"
      "__global__ void guarded(int* data) {}\n";
  sweep::Sweep sweep;
  sweep.patterns = {sweep::pattern_from_text("guarded", pattern)};
  sweep.axes = {{{"S"}, {}, {}}};
  for (const std::int64_t value : {0, 1, 64, 128, 2048}) sweep.axes[0].rows.push_back({value});
  const Space space = enumerate(sweep);
  BOOST_TEST(values_of(space, {"S", "N"}) == (Strings{"guarded S=1 N=1024", "guarded S=64 N=16"}),
             boost::test_tools::per_element());
  BOOST_TEST(removed(space) == "1 S > 0 (pattern guarded)\n2 N >= 16 (pattern guarded)\n");
}

BOOST_AUTO_TEST_CASE(more_than_a_million_configurations_are_refused) {
  const auto refused = [](const std::string& count, const std::string& number) {
    return "0:0+1 this sweep has " + count +
           " configurations; the limit is 1,000,000 | add constraints under where:, shorten the "
           "axes, fix some with --set NAME=VALUE, or allow more with --max-configurations " +
           number;
  };
  BOOST_TEST(messages_of("pattern: stride\naxes: {N: {from: 1, to: 1000000}, STRIDE: {from: 1, "
                         "to: 11}}\n") == refused("11,000,000", "11000000"));
  BOOST_TEST(messages_of("pattern: tile\naxes:\n"
                         "  N: {from: 1, to: 1000000}\n"
                         "  ROWS: {from: 1, to: 1000000}\n"
                         "  COLUMNS: {from: 1, to: 1000000}\n"
                         "  PADDED: [true, false]\n") ==
             refused("2,000,000,000,000,000,000", "2000000000000000000"));
  // The patterns count together.
  BOOST_TEST(messages_of("patterns: [stride, tile]\naxes:\n"
                         "  N: {from: 1, to: 100000}\n"
                         "  STRIDE: {from: 1, to: 9}\n"
                         "  ROWS: [1, 2]\n") == refused("1,100,000", "1100000"));
}

BOOST_AUTO_TEST_CASE(as_many_configurations_as_the_limit_are_listed) {
  const sweep::Sweep ten = read_sweep("pattern: stride\naxes: {N: {from: 1, to: 10}}\n");
  BOOST_TEST(enumerate(ten, {.configurations = 10}).configurations.size() == 10u);
  BOOST_CHECK_EXCEPTION(enumerate(ten, {.configurations = 9}), InputError, [](const auto& error) {
    return messages(error.diagnostics()).find("has 10 configurations; the limit is 9") !=
           std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(what_is_too_large_is_counted_as_far_as_some_tries_go) {
  const sweep::Sweep halved = read_sweep(
      "pattern: tile\naxes: {N: {from: 1, to: 1000}, ROWS: {from: 1, to: 1000}}\n"
      "where: (N + ROWS) % 2 == 0\n");
  const auto found = [&](sweep::SpaceLimits limits, const std::string& wanted) {
    BOOST_CHECK_EXCEPTION(enumerate(halved, limits), InputError, [&](const InputError& error) {
      return messages(error.diagnostics()).find(wanted) != std::string::npos;
    });
  };
  found({.configurations = 100}, "has 500,000 configurations; the limit is 100 ");
  found({.configurations = 100, .counting_tries = 1000}, "has more than ");
  BOOST_TEST(
      enumerate(halved, {.configurations = 500'000, .counting_tries = 1}).configurations.size() ==
      500'000u);
}

BOOST_AUTO_TEST_CASE(a_space_must_fit_the_memory) {
  const sweep::Sweep ten = read_sweep("pattern: stride\naxes: {N: {from: 1, to: 10}}\n");
  BOOST_TEST(enumerate(ten, {.memory = 100'000}).configurations.size() == 10u);
  BOOST_CHECK_EXCEPTION(enumerate(ten, {.memory = 4000}), InputError, [](const auto& error) {
    return messages(error.diagnostics()).find("has 10 configurations, but only ") !=
           std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_walk_without_end_is_given_up) {
  const sweep::Sweep large = read_sweep(
      "pattern: tile\naxes: {N: {from: 1, to: 1000000}, ROWS: {from: 1, to: 1000000}}\n"
      "where: N * ROWS == 0\n");
  BOOST_CHECK_EXCEPTION(enumerate(large, {.tries = 10'000}), InputError, [](const auto& error) {
    return messages(error.diagnostics()) ==
           "0:0+1 this sweep's 1,000,000,000,000 combinations are too many for its constraints: "
           "after 10,000 tries there are still some left | add constraints on few parameters, "
           "shorten the axes, or fix some with --set NAME=VALUE";
  });
}

BOOST_AUTO_TEST_CASE(combinations_are_counted_up_to_64_bits) {
  const std::string axes =
      "axes:\n"
      "  N: {from: 1, to: 1000000}\n"
      "  ROWS: {from: 1, to: 1000000}\n"
      "  COLUMNS: {from: 1, to: 1000000}\n";
  const Space space = space_of("pattern: tile\n" + axes +
                               "  PADDED: [true, false]\nwhere: [N > 999999, "
                               "ROWS < 2, COLUMNS == 7]\n");
  BOOST_TEST(space.combinations == 2'000'000'000'000'000'000u);
  BOOST_TEST(space.configurations.size() == 2u);
  BOOST_TEST(removed(space) ==
             "1999998000000000000 N > 999999 (the sweep)\n"
             "1999998000000 ROWS < 2 (the sweep)\n"
             "1999998 COLUMNS == 7 (the sweep)\n");
  const std::string refused =
      "0:0+1 this sweep has more combinations than 64 bits can count | shorten the axes, or fix "
      "some with --set NAME=VALUE";
  BOOST_TEST(messages_of("pattern: tile\n" + axes +
                         "  PADDED: [true, false]\n"
                         "  T: [float, double, int, half, float2, float4, int2, int4, short, "
                         "char]\nwhere: N > 999999\n") == refused);
}

BOOST_AUTO_TEST_CASE(a_constraint_on_one_axis_counts_before_one_on_two) {
  // ROWS > 5 takes out 5 x 10; of the other 50, ROWS + COLUMNS < 12 leaves ROWS 6 to 10 with
  // COLUMNS below 6, 5, 4, 3, 2.
  const Space space = space_of(
      "pattern: tile\naxes: {ROWS: {from: 1, to: 10}, COLUMNS: {from: 1, to: 10}}\n"
      "where: [ROWS + COLUMNS < 12, ROWS > 5]\n");
  BOOST_TEST(space.configurations.size() == 15u);
  BOOST_TEST(removed(space) ==
             "35 ROWS + COLUMNS < 12 (the sweep)\n"
             "50 ROWS > 5 (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(constraints_on_one_axis_each_count_as_written) {
  const Space space = space_of(
      "pattern: tile\naxes: {ROWS: {from: 1, to: 10}, N: {from: 1, to: 4}}\n"
      "where: [N > 1, ROWS > 5, N > 2]\n");
  BOOST_TEST(removed(space) ==
             "10 N > 1 (the sweep)\n"
             "15 ROWS > 5 (the sweep)\n"
             "5 N > 2 (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(the_axis_that_decides_the_most_constraints_is_bound_next) {
  // Most constraints depend on COLUMNS; after it N, the shorter one, decides as many as ROWS.
  const Space space = space_of(
      "pattern: tile\n"
      "axes: {ROWS: {from: 1, to: 5}, COLUMNS: {from: 1, to: 3}, N: [1, 2]}\n"
      "where: [ROWS * COLUMNS > 100, N > 1, N + COLUMNS > 4]\n");
  BOOST_TEST(removed(space) ==
             "5 ROWS * COLUMNS > 100 (the sweep)\n"
             "15 N > 1 (the sweep)\n"
             "10 N + COLUMNS > 4 (the sweep)\n");
  // With a second constraint on both, ROWS is bound before N.
  const Space more = space_of(
      "pattern: tile\n"
      "axes: {ROWS: {from: 1, to: 5}, COLUMNS: {from: 1, to: 3}, N: [1, 2]}\n"
      "where: [N + COLUMNS > 4, ROWS * COLUMNS > 4, COLUMNS > ROWS]\n");
  BOOST_TEST(removed(more) ==
             "1 N + COLUMNS > 4 (the sweep)\n"
             "14 ROWS * COLUMNS > 4 (the sweep)\n"
             "14 COLUMNS > ROWS (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(a_condition_on_no_axis_removes_all_at_once) {
  const Space space = space_of(
      "pattern: tile\naxes: {ROWS: {from: 1, to: 1000000}, N: {from: 1, to: 1000000}}\n"
      "where: [ROWS > N, T == double]\n");
  BOOST_TEST(removed(space) ==
             "0 ROWS > N (the sweep)\n"
             "1000000000000 T == double (the sweep)\n");
}

BOOST_AUTO_TEST_CASE(any_constraint_guards_an_expression_wherever_it_stands) {
  BOOST_TEST(messages_of("pattern: stride\naxes: {STRIDE: [1, 0], N: [2, 3]}\n"
                         "where: [N / STRIDE > 1, N * STRIDE > 0]\n") == "");
}

BOOST_AUTO_TEST_CASE(a_long_zip_takes_no_longer_than_its_length) {
  const Space space = space_of(
      "patterns: [stride, tile]\n"
      "zip: [{N: {from: 1, to: 100000}, ROWS: {from: 1, to: 100000}}]\n"
      "where: N > 99999\n");
  BOOST_TEST(space.combinations == 200'000u);
  BOOST_TEST(space.configurations.size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
