#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "engine/search/search_space.h"

namespace {

using sweep::Bindings;
using sweep::encode;
using sweep::SearchSpace;
using sweep::Value;

Value type(const char* name) {
  return *sweep::ElementType::find(name);
}

Value number(std::int64_t value) {
  return value;
}

Bindings bindings(std::initializer_list<std::pair<const char*, Value>> entries) {
  Bindings result;
  for (const auto& [name, value] : entries) result.set(name, value);
  return result;
}

std::vector<SearchSpace::Value> row(const SearchSpace& encoded, std::size_t i) {
  const auto values = encoded.values(i);
  return {values.begin(), values.end()};
}

BOOST_AUTO_TEST_CASE(numbers_stand_in_order_of_their_value_and_types_in_that_of_appearance) {
  const std::vector<Bindings> configurations = {
      bindings({{"T", type("float4")}, {"BLOCK", number(512)}}),
      bindings({{"T", type("float")}, {"BLOCK", number(64)}}),
      bindings({{"T", type("float")}, {"BLOCK", number(512)}})};
  const SearchSpace encoded = encode(configurations);
  BOOST_REQUIRE(encoded.parameters().size() == 2);
  BOOST_TEST(!encoded.parameters()[0].ordered);
  BOOST_TEST(encoded.parameters()[1].ordered);
  BOOST_TEST(row(encoded, 0) == (std::vector<SearchSpace::Value>{0, 1}));
  BOOST_TEST(row(encoded, 1) == (std::vector<SearchSpace::Value>{1, 0}));
  BOOST_TEST(row(encoded, 2) == (std::vector<SearchSpace::Value>{1, 1}));
}

BOOST_AUTO_TEST_CASE(what_follows_from_the_parameters_before_is_left_out) {
  std::vector<Bindings> configurations;
  for (const std::int64_t block : {64, 128}) {
    for (const std::int64_t items : {1, 2}) {
      configurations.push_back(bindings({{"SIZE", number(1024)},
                                         {"BLOCK", number(block)},
                                         {"ITEMS", number(items)},
                                         {"N", number(1024 / (block * items))}}));
    }
  }
  const SearchSpace encoded = encode(configurations);
  BOOST_REQUIRE(encoded.parameters().size() == 2);
  BOOST_TEST(row(encoded, 1) == (std::vector<SearchSpace::Value>{0, 1}));
  BOOST_TEST(encoded.neighbours(0).size() == 2);
}

BOOST_AUTO_TEST_CASE(a_parameter_that_only_some_have_has_a_value_for_the_others) {
  const std::vector<Bindings> configurations = {
      bindings({{"pattern", std::string("plain")}}),
      bindings({{"pattern", std::string("tiled")}, {"TILE", number(16)}}),
      bindings({{"pattern", std::string("tiled")}, {"TILE", number(32)}})};
  const SearchSpace encoded = encode(configurations);
  BOOST_REQUIRE(encoded.parameters().size() == 2);
  BOOST_TEST(encoded.parameters()[1].values == 3);
  BOOST_TEST(row(encoded, 0) == (std::vector<SearchSpace::Value>{0, 0}));
  BOOST_TEST(row(encoded, 1) == (std::vector<SearchSpace::Value>{1, 1}));
}

BOOST_AUTO_TEST_CASE(a_single_configuration_is_a_space_of_one_row) {
  const std::vector<Bindings> one = {bindings({{"BLOCK", number(64)}})};
  BOOST_TEST(encode(one).size() == 1);
  const std::vector<Bindings> bare(1);
  BOOST_TEST(encode(bare).size() == 1);
  BOOST_TEST(encode({}).size() == 0);
}

BOOST_AUTO_TEST_CASE(the_same_configuration_twice_is_refused) {
  const std::vector<Bindings> twice(2, bindings({{"BLOCK", number(64)}}));
  BOOST_CHECK_THROW(encode(twice), std::invalid_argument);
}

}  // namespace
