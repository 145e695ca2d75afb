#include "engine/space/shard.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>

#include "tests/spec/example_patterns.h"

BOOST_AUTO_TEST_SUITE(shards)

namespace {

using namespace sweep::testing;
using sweep::Shard;
using sweep::Space;

const std::string axes = "pattern: stride\naxes: {BLOCK: [64, 128, 256], T: [float, double], ";

Space space_of(const std::string& text) {
  return enumerate(read_sweep(text));
}

/// The shard of each configuration, by its name and values.
std::map<std::string, std::uint64_t> shards_of(const Space& space, std::uint64_t count) {
  std::map<std::string, std::uint64_t> shards;
  for (const auto& configuration : space.configurations) {
    shards[to_string(configuration)] = shard_of(configuration, count);
  }
  return shards;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_configuration_belongs_to_one_shard) {
  const Space space = space_of(axes + "STRIDE: {from: 1, to: 40}}\n");
  for (const std::uint64_t count : {1, 2, 3, 8, 1000}) {
    std::vector<std::size_t> all;
    for (std::uint64_t number = 1; number <= count; ++number) {
      const auto own = configurations_of(Shard{number, count}, space);
      BOOST_TEST(std::ranges::is_sorted(own));
      all.insert(all.end(), own.begin(), own.end());
    }
    BOOST_TEST(all.size() == space.configurations.size());
    BOOST_TEST(std::set(all.begin(), all.end()).size() == all.size());
  }
}

BOOST_AUTO_TEST_CASE(shards_are_of_about_one_size) {
  const Space space = space_of(axes + "STRIDE: {from: 1, to: 1000}}\n");
  for (std::uint64_t number = 1; number <= 8; ++number) {
    const std::size_t own = configurations_of(Shard{number, 8}, space).size();
    BOOST_TEST(own > 650);
    BOOST_TEST(own < 850);
  }
}

BOOST_AUTO_TEST_CASE(a_configuration_stays_in_its_shard_when_the_space_grows) {
  const auto before = shards_of(space_of(axes + "STRIDE: {from: 1, to: 10}}\n"), 8);
  const auto after = shards_of(space_of(axes + "STRIDE: [0, 3, 10, 1, 2, 4, 5, 6, 7, 8, 9]}\n"), 8);
  BOOST_TEST(after.size() > before.size());
  for (const auto& [configuration, shard] : before) BOOST_TEST(after.at(configuration) == shard);
}

// Databases of other versions would fall apart if it changed.
BOOST_AUTO_TEST_CASE(the_shard_of_a_configuration_is_the_same_everywhere) {
  const auto shards =
      shards_of(space_of("pattern: stride\naxes: {STRIDE: [1, 2, 3], T: float}\n"), 8);
  std::vector<std::uint64_t> numbers;
  for (const auto& [configuration, shard] : shards) numbers.push_back(shard);
  BOOST_TEST(numbers == (std::vector<std::uint64_t>{2, 8, 6}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_searchs_group_belongs_to_a_shard_by_its_values) {
  const std::string text = axes + "STRIDE: [1, 2]}\ntune: {minimize: time, for_each: [BLOCK]}\n";
  const auto groups_of = [](const std::string& of) {
    const sweep::Sweep sweep = read_sweep(of);
    Space space = enumerate(sweep);
    return tuning_groups(sweep, space);
  };
  const auto few = groups_of(text);
  const auto more =
      groups_of(axes + "STRIDE: [1, 2, 4, 8]}\ntune: {minimize: time, for_each: [BLOCK]}\n");
  BOOST_REQUIRE(few.size() == 3);
  BOOST_REQUIRE(more.size() == 3);
  for (std::size_t i = 0; i < few.size(); ++i) {
    BOOST_TEST(few[i].place == i);
    BOOST_TEST(shard_of(few[i], 8) == shard_of(more[i], 8));
  }
}

BOOST_AUTO_TEST_CASE(spaces_are_told_apart_by_their_configurations_in_their_order) {
  const auto identity = [](const std::string& text) { return identity_of(space_of(text)); };
  const auto one = identity(axes + "STRIDE: [1, 2]}\n");
  BOOST_TEST(one.configurations == identity(axes + "STRIDE: [1, 2]}\n").configurations);
  BOOST_TEST(one.configurations != identity(axes + "STRIDE: [2, 1]}\n").configurations);
  BOOST_TEST(one.configurations != identity(axes + "STRIDE: [1, 2, 4]}\n").configurations);
  BOOST_TEST(one.patterns.size() == 1);
  BOOST_TEST(one.patterns.at("stride").size() == 32);
  const auto two = identity("patterns: [stride, tile]\naxes: {ROWS: [4, 8], N: 2 Ki}\n");
  BOOST_TEST(two.patterns.size() == 2);
  BOOST_TEST(two.patterns.at("stride") == one.patterns.at("stride"));
  BOOST_TEST(two.patterns.at("tile") != one.patterns.at("stride"));
}

BOOST_AUTO_TEST_SUITE_END()
