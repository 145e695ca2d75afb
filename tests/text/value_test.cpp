#include "engine/text/value.h"

#include <boost/test/unit_test.hpp>
#include <limits>

BOOST_AUTO_TEST_SUITE(value)

namespace {

using sweep::Bindings;
using sweep::ElementType;
using sweep::Value;
using sweep::ValueKind;

}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_has_a_name_and_a_spelling) {
  struct Row {
    Value value;
    ValueKind kind;
    const char* described;
    const char* written;
  };
  const Row rows[] = {
      {std::int64_t{64}, ValueKind::integer, "an integer", "64"},
      {std::int64_t{-1}, ValueKind::integer, "an integer", "-1"},
      {std::numeric_limits<std::int64_t>::min(), ValueKind::integer, "an integer",
       "-9223372036854775808"},
      {true, ValueKind::boolean, "a boolean", "true"},
      {false, ValueKind::boolean, "a boolean", "false"},
      {*ElementType::find("float4"), ValueKind::element, "an element type", "float4"},
      {*ElementType::find("__half"), ValueKind::element, "an element type", "half"},
      {std::string("stride"), ValueKind::word, "a word", "stride"},
  };
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(row.written) {
      BOOST_TEST((kind_of(row.value) == row.kind));
      BOOST_TEST(describe(row.kind) == row.described);
      BOOST_TEST(to_string(row.value) == row.written);
    }
  }
}

BOOST_AUTO_TEST_CASE(bindings_keep_their_order_and_their_last_value) {
  Bindings bindings;
  BOOST_TEST(bindings.empty());
  BOOST_TEST(to_string(bindings) == "");
  bindings.set("STRIDE", std::int64_t{1});
  bindings.set("T", *ElementType::find("float"));
  bindings.set("BLOCK", std::int64_t{256});
  bindings.set("STRIDE", std::int64_t{4});
  BOOST_TEST(!bindings.empty());
  BOOST_TEST(to_string(bindings) == "STRIDE=4 T=float BLOCK=256");
  BOOST_TEST(bindings.entries().size() == 3U);
}

BOOST_AUTO_TEST_CASE(bindings_find_exact_names) {
  Bindings bindings;
  bindings.set("N", std::int64_t{7});
  BOOST_REQUIRE(bindings.find("N") != nullptr);
  BOOST_TEST((*bindings.find("N") == Value(std::int64_t{7})));
  BOOST_TEST(bindings.find("n") == nullptr);
  BOOST_TEST(bindings.find("") == nullptr);
}

BOOST_AUTO_TEST_CASE(a_value_can_change_its_kind) {
  Bindings bindings;
  bindings.set("X", std::int64_t{1});
  bindings.set("X", true);
  BOOST_TEST((*bindings.find("X") == Value(true)));
  BOOST_TEST((Value(std::int64_t{1}) != Value(true)));
}

BOOST_AUTO_TEST_CASE(bindings_compare_names_values_and_order) {
  Bindings ab;
  ab.set("A", std::int64_t{1});
  ab.set("B", std::int64_t{2});
  Bindings ba;
  ba.set("B", std::int64_t{2});
  ba.set("A", std::int64_t{1});
  Bindings copy = ab;
  BOOST_TEST((copy == ab));
  BOOST_TEST((ab != ba));
  copy.set("B", std::int64_t{3});
  BOOST_TEST((copy != ab));
}

BOOST_AUTO_TEST_SUITE_END()
