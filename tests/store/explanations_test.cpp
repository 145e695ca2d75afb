#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace explanations_of_a_run {

using Explanations = std::vector<PatternExplanation>;

/// A run of strides 1, 2, 3 and a second one of stride 2 alone.
struct Fixture : OpenStore {
  Fixture() {
    for (std::int64_t i = 0; i < 3; ++i) store.add_point(first, i, example_point(i + 1));
    store.reuse_point(second, 0, example_key(2));
  }

  Explanations explanations(std::int64_t id) const {
    return store.runs().at(static_cast<std::size_t>(id - 1)).explanations;
  }
  std::int64_t stored() const {
    sqlite::Database database(path, sqlite::Access::read);
    return database.integer("SELECT count(*) FROM explanation");
  }

  std::int64_t first = store.begin_run(example_provenance());
  std::int64_t second = store.begin_run(example_provenance());
};

/// As it was executed: with a smaller size than the point's.
PatternExplanation example_explanation(std::int64_t ordinal) {
  PatternExplanation explanation;
  explanation.pattern = "stride";
  explanation.ordinal = ordinal;
  explanation.parameters = example_key(ordinal + 1).parameters;
  explanation.parameters.set("N", std::int64_t{1} << 20);
  explanation.json = "{\"accesses\": []}\n";
  return explanation;
}

const std::string maker = "emulator of 9.0 (H200), NVRTC 13.0, sweep 0.1.0";

}  // namespace explanations_of_a_run

BOOST_FIXTURE_TEST_SUITE(explanations_of_a_run, explanations_of_a_run::Fixture)

BOOST_AUTO_TEST_CASE(they_come_back_in_order) {
  const PatternExplanation one = example_explanation(2);
  const PatternExplanation other = example_explanation(0);
  BOOST_TEST(explanations(first).empty());
  store.add_explanation(first, one, maker);
  store.add_explanation(first, other, maker);
  BOOST_TEST((explanations(first) == Explanations{one, other}));
  BOOST_TEST(explanations(second).empty());
}

BOOST_AUTO_TEST_CASE(a_later_run_of_the_same_configuration_reuses_one) {
  const PatternExplanation known = example_explanation(1);
  store.add_explanation(first, known, maker);
  BOOST_TEST(store.reuse_explanation(second, 0, maker));
  PatternExplanation expected = known;
  expected.ordinal = 0;
  BOOST_TEST((explanations(second) == Explanations{expected}));
  BOOST_TEST(stored() == 1);
}

BOOST_AUTO_TEST_CASE(what_is_of_another_configuration_text_or_maker_is_not_reused) {
  PointRecord changed = example_point(1);
  changed.key.pattern_text += "// changed\n";
  store.add_point(second, 1, changed);
  store.add_explanation(first, example_explanation(0), maker);
  BOOST_TEST(!store.reuse_explanation(second, 0, maker));
  BOOST_TEST(!store.reuse_explanation(second, 1, maker));
  BOOST_TEST(!store.reuse_explanation(first, 0, "emulator of 7.0 (V100)"));
  BOOST_TEST(explanations(second).empty());
}

BOOST_AUTO_TEST_CASE(a_point_that_is_not_there_is_an_error) {
  const PatternExplanation explanation = example_explanation(7);
  BOOST_CHECK_THROW(store.add_explanation(first, explanation, maker), StoreError);
  BOOST_CHECK_THROW(store.add_explanation(99, explanation, maker), StoreError);
  BOOST_TEST(!store.reuse_explanation(first, 7, maker));
  BOOST_TEST(stored() == 0);
}

BOOST_AUTO_TEST_CASE(parameters_that_make_no_sense_are_damage) {
  store.add_explanation(first, example_explanation(0), maker);
  sqlite::Database(path, sqlite::Access::write).execute("UPDATE explanation SET parameters = '3'");
  BOOST_CHECK_EXCEPTION(store.runs(), StoreError, [](const StoreError& error) {
    return error.fault() == StoreFault::damaged;
  });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
