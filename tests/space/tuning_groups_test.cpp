#include <boost/test/unit_test.hpp>

#include "engine/space/enumerate.h"
#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(the_groups_of_a_tuned_sweep)

namespace {

using namespace sweep::testing;
using sweep::Space;
using sweep::Sweep;
using sweep::TuningGroup;

struct Grouped {
  Space space;
  std::vector<TuningGroup> groups;

  std::string standard(std::size_t group) const {
    const TuningGroup& of = groups.at(group);
    if (!of.default_configuration) return "none: " + of.why_no_default;
    return to_string(space.configurations.at(*of.default_configuration));
  }
};

Grouped grouped(const std::string& text) {
  const Sweep sweep = read_sweep(text);
  Grouped result{enumerate(sweep), {}};
  result.groups = tuning_groups(sweep, result.space);
  return result;
}

BOOST_AUTO_TEST_CASE(are_one_without_for_each) {
  const Grouped all = grouped(
      "pattern: stride\naxes: {BLOCK: [64, 256], T: [float, double]}\ntune: {minimize: time}\n");
  BOOST_REQUIRE(all.groups.size() == 1);
  BOOST_TEST(all.groups[0].values.empty());
  BOOST_TEST(all.groups[0].configurations == (std::vector<std::size_t>{0, 1, 2, 3}));
  // The defaults are one of them.
  BOOST_TEST(all.space.configurations.size() == 4);
  BOOST_TEST(all.groups[0].default_configuration.value_or(9) == 2);
}

BOOST_AUTO_TEST_CASE(are_one_per_combination_of_values) {
  const Grouped all = grouped(
      "pattern: stride\naxes: {BLOCK: [64, 128], T: [float, double], STRIDE: [2, 4]}\n"
      "tune: {minimize: time, for_each: [STRIDE, T]}\n");
  BOOST_REQUIRE(all.groups.size() == 4);
  BOOST_TEST(to_string(all.groups[0].values) == "STRIDE=2 T=float");
  BOOST_TEST(to_string(all.groups[1].values) == "STRIDE=4 T=float");
  BOOST_TEST(all.groups[0].configurations == (std::vector<std::size_t>{0, 4}));
  // The defaults have a BLOCK that is no value of the axis: they come after the space.
  BOOST_TEST(all.space.configurations.size() == 12);
  BOOST_TEST(all.groups[0].default_configuration.value_or(0) == 8);
  BOOST_TEST(all.standard(3) == "stride T=double STRIDE=4 BLOCK=256 N=1048576");
}

BOOST_AUTO_TEST_CASE(may_be_one_per_pattern) {
  const Grouped all = grouped(
      "patterns: [stride, tile]\naxes: {ROWS: [4, 8], N: 2 Ki}\n"
      "tune: {minimize: time, for_each: [pattern, ROWS]}\n");
  BOOST_REQUIRE(all.groups.size() == 3);
  BOOST_TEST(to_string(all.groups[0].values) == "pattern=stride");
  BOOST_TEST(to_string(all.groups[2].values) == "pattern=tile ROWS=8");
  // An axis of one value is nothing to choose.
  BOOST_TEST(all.standard(0) == "stride T=float STRIDE=1 BLOCK=256 N=2048");
  BOOST_TEST(all.standard(1) == "tile T=float ROWS=4 COLUMNS=4 PADDED=true N=2048");
}

BOOST_AUTO_TEST_CASE(say_why_the_defaults_are_impossible) {
  const Grouped all = grouped(
      "pattern: stride\naxes: {BLOCK: [64, 128]}\nwhere: BLOCK < 200\ntune: {minimize: time}\n");
  BOOST_TEST(all.standard(0) == "none: BLOCK < 200 does not hold");
  BOOST_TEST(all.space.configurations.size() == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
