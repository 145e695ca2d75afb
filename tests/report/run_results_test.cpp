#include <boost/test/unit_test.hpp>

#include "report/run_analysis.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace run_results {

struct Fixture : OpenStore {
  auto says(const std::string& what) const {
    return [=, this](const StoreError& error) {
      BOOST_TEST(error.what() == message(what));
      return error.fault() == StoreFault::missing;
    };
  }
};

}  // namespace run_results

BOOST_FIXTURE_TEST_SUITE(run_results, run_results::Fixture)

BOOST_AUTO_TEST_CASE(the_newest_run_is_the_default) {
  const std::int64_t first = store.begin_run(example_provenance());
  store.add_point(first, 0, example_point(1));
  const std::int64_t second = store.begin_run(example_provenance());
  store.add_point(second, 0, example_point(2));
  store.add_point(second, 1, example_point(3));

  BOOST_TEST(load_results(store).run.id == second);
  BOOST_TEST(load_results(store).points.size() == 2);
  BOOST_TEST(load_results(store, first).run.id == first);
  PointRecord expected = example_point(1);
  expected.derived = example_provenance().derived.at("stride");
  BOOST_TEST((load_results(store, first).points.at(0).point == expected));
}

BOOST_AUTO_TEST_CASE(a_run_that_is_not_there_is_an_error) {
  BOOST_CHECK_EXCEPTION(load_results(store), StoreError, says("holds no runs"));
  store.begin_run({});
  BOOST_CHECK_EXCEPTION(load_results(store, 7), StoreError,
                        says("has no run 7; its newest is run 1"));
}

BOOST_AUTO_TEST_CASE(layout_and_summary_come_from_the_stored_sweep) {
  Provenance provenance = example_provenance();
  provenance.sweep_text =
      "summary: Bandwidth against stride\n"
      "pattern: stride\n"
      "report:\n"
      "  tables: [{rows: STRIDE, columns: [T], value: bandwidth, where: STRIDE > 1}]\n";
  store.begin_run(provenance);
  const RunResults results = load_results(store);
  BOOST_TEST(results.summary == "Bandwidth against stride");
  BOOST_REQUIRE(results.layout.tables.size() == 1);
  BOOST_TEST(results.layout.tables[0].rows.at(0) == "STRIDE");
  BOOST_TEST(results.layout.tables[0].where.value().text() == "STRIDE > 1");
}

BOOST_AUTO_TEST_CASE(a_sweep_without_layout_or_summary_has_none) {
  store.begin_run(example_provenance());
  BOOST_TEST(load_results(store).summary == "");
  BOOST_TEST(load_results(store).layout.tables.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
