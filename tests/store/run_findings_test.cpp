#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "engine/store/store.h"
#include "tests/store/database_folder.h"
#include "tests/store/example_records.h"

namespace sweep::testing {
namespace {
namespace run_findings {

struct Fixture : OpenStore {
  std::int64_t first = store.begin_run(example_provenance());
  std::int64_t second = store.begin_run(example_provenance());

  RunRecord run(std::int64_t id) const { return store.runs().at(static_cast<std::size_t>(id - 1)); }
};

constexpr AnchorRecord early{3, 0.5, 1e-3, 0.99e-3, 1.01e-3, 1.98e9, 45};
constexpr AnchorRecord late{3, 61.25, 1.1e-3, 1.09e-3, 1.11e-3, 1.7e9, 71.5};

}  // namespace run_findings

BOOST_FIXTURE_TEST_SUITE(run_findings, run_findings::Fixture)

BOOST_AUTO_TEST_CASE(a_run_keeps_its_notes_in_order) {
  store.add_note(first, "another process uses the GPU");
  store.add_note(second, "");
  store.add_note(first, "counters are not permitted");
  BOOST_TEST((run(first).notes == std::vector<std::string>{"another process uses the GPU",
                                                           "counters are not permitted"}));
  BOOST_TEST((run(second).notes == std::vector<std::string>{""}));
}

BOOST_AUTO_TEST_CASE(a_run_keeps_its_devices_in_order) {
  const std::vector<DeviceRecord> devices = {{0, "GPU-a", {1, 1, 1}, {0.99, 1, 1.01}},
                                             {3, "GPU-b", {1.01, 1.02, 1.03}, {}}};
  store.set_devices(first, {{7, "GPU-c"}});
  store.set_devices(first, devices);
  BOOST_TEST((run(first).devices == devices));
  BOOST_TEST(run(second).devices.empty());
  PointRecord point;
  point.key.device = "cuda NVIDIA H200 GPU-b";
  BOOST_TEST(run(first).device_of(point).value() == 3);
  BOOST_TEST(!run(second).device_of(point));
}

BOOST_AUTO_TEST_CASE(points_that_are_taken_out_of_a_run_stay_in_the_database) {
  const PointRecord point = example_point(1);
  store.add_point(first, 0, point);
  store.add_point(first, 1, point);
  store.take_out(first, std::vector<std::size_t>{0, 9});
  BOOST_TEST(store.points(first).size() == 1U);
  BOOST_TEST(store.reuse_point(second, 0, point.key).has_value());
}

BOOST_AUTO_TEST_CASE(a_run_keeps_its_anchors_in_order) {
  store.add_anchor(first, late);
  store.add_anchor(second, late);
  store.add_anchor(first, early);
  BOOST_TEST((run(first).anchors == std::vector<AnchorRecord>{late, early}));
  BOOST_TEST((run(second).anchors == std::vector<AnchorRecord>{late}));
}

BOOST_AUTO_TEST_CASE(comparisons_replace_earlier_ones) {
  const ComparisonRecord best{7, 12, 1, 1, 1};
  const ComparisonRecord other{2, 12, 0.99, 1.02, 1.05};
  store.set_comparisons(first, {other});
  store.set_comparisons(second, {other});
  store.set_comparisons(first, {best, other});
  BOOST_TEST((run(first).comparisons == std::vector<ComparisonRecord>{best, other}));
  BOOST_TEST((run(second).comparisons == std::vector<ComparisonRecord>{other}));
  store.set_comparisons(first, {});
  BOOST_TEST(run(first).comparisons.empty());
}

BOOST_AUTO_TEST_CASE(what_a_search_found_replaces_what_it_had_found_before) {
  BOOST_TEST(!run(first).tuning.has_value());
  TuningRecord half = example_tuning();
  half.groups.resize(1);
  store.set_tuning(first, half);
  BOOST_TEST((run(first).tuning == half));
  store.set_tuning(first, example_tuning());
  BOOST_TEST((run(first).tuning == example_tuning()));
  BOOST_TEST(!run(second).tuning.has_value());
}

BOOST_AUTO_TEST_CASE(findings_of_an_unknown_run_are_an_error) {
  const ComparisonRecord comparison;
  BOOST_CHECK_THROW(store.add_note(99, "a"), StoreError);
  BOOST_CHECK_THROW(store.add_anchor(99, early), StoreError);
  BOOST_CHECK_THROW(store.set_comparisons(99, {comparison}), StoreError);
  BOOST_CHECK_THROW(store.set_tuning(99, example_tuning()), StoreError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
