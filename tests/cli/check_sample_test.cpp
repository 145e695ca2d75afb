#include "engine/cli/commands/check_sample.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(a_sample_of_a_search)

namespace {

using namespace sweep::testing;

struct Sampled {
  sweep::Space space;
  std::vector<std::size_t> places;

  bool has(const std::string& configuration) const {
    return std::ranges::any_of(places, [&](std::size_t place) {
      return to_string(space.configurations.at(place)) == configuration;
    });
  }
  std::set<std::string> values_of(const std::string& name) const {
    std::set<std::string> values;
    for (const std::size_t place : places) {
      values.insert(to_string(*space.configurations.at(place).parameters.find(name)));
    }
    return values;
  }
};

Sampled sampled(const std::string& text, std::size_t most) {
  const sweep::Sweep sweep = read_sweep(text);
  Sampled result{enumerate(sweep), {}};
  const auto groups = tuning_groups(sweep, result.space);
  result.places = check_sample(sweep, result.space, groups, most);
  return result;
}

const std::string search =
    "pattern: stride\n"
    "axes: {T: [float, double], STRIDE: {from: 1, to: 32}, BLOCK: [1024, 64, 128, 256, 512]}\n"
    "tune: {minimize: time, for_each: T}\n";

}  // namespace

BOOST_AUTO_TEST_CASE(has_the_defaults_the_corners_and_each_value) {
  const Sampled sample = sampled(search, 100);
  BOOST_TEST(sample.places.size() == 100U);
  BOOST_TEST(std::ranges::is_sorted(sample.places));
  for (const char* type : {"float", "double"}) {
    for (const char* rest : {"STRIDE=1 BLOCK=256", "STRIDE=32 BLOCK=256", "STRIDE=1 BLOCK=64",
                             "STRIDE=1 BLOCK=1024", "STRIDE=32 BLOCK=1024"}) {
      const std::string wanted = std::string("stride T=") + type + ' ' + rest + " N=1048576";
      BOOST_TEST(sample.has(wanted), wanted);
    }
  }
  BOOST_TEST(sample.values_of("STRIDE").size() == 32U);
  BOOST_TEST(sample.values_of("BLOCK").size() == 5U);
}

BOOST_AUTO_TEST_CASE(is_the_same_again) {
  BOOST_TEST(sampled(search, 50).places == sampled(search, 50).places);
}

BOOST_AUTO_TEST_CASE(has_of_what_the_constraints_leave_the_nearest_corners) {
  const Sampled sample = sampled(search + "where: STRIDE * BLOCK <= 1024\n", 60);
  for (const char* wanted : {"STRIDE=16 BLOCK=64", "STRIDE=1 BLOCK=1024"}) {
    BOOST_TEST(sample.has(std::string("stride T=float ") + wanted + " N=1048576"), wanted);
  }
}

BOOST_AUTO_TEST_CASE(is_all_where_there_is_less) {
  BOOST_TEST(sampled(search, 10'000).places.size() == 320U);
}

BOOST_AUTO_TEST_SUITE_END()
