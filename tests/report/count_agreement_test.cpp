#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <ostream>

#include "report/point_columns.h"
#include "tests/report/example_results.h"

namespace data = boost::unit_test::data;

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(count_agreement)

namespace {

StoredPoint counted(const std::string& metric, double hardware, double emulated) {
  return ok_point("p", {},
                  {{metric, Origin::hardware, hardware}, {metric, Origin::emulated, emulated}});
}

struct Case {
  std::string metric;
  double hardware;
  double emulated;
  bool agree;
  double difference;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.metric << ' ' << c.hardware << ' ' << c.emulated;
  }
};

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<Case> cases = {
    {"load_sectors", 1000, 1000, true, 0},
    {"load_sectors", 1000, 1005, true, 0.5},
    {"load_sectors", 1000, 1006, false, 0.6},
    {"load_sectors", 1000, 994, false, -0.6},
    {"load_sectors", 10, 11, true, 10},
    {"load_sectors", 10, 12, false, 20},
    {"shared_conflicts", 0, 0, true, 0},
    {"shared_conflicts", 0, 1, true, infinity},
    {"shared_conflicts", 0, 2, false, infinity},
    {"shared_conflicts", 2, 0, false, -100},
    {"shared_load_wavefronts", 1000, 1005, true, 0.5},
    {"shared_load_wavefronts", 1000, 1010, false, 1},
    {"shared_efficiency", 84, 84.5, true, 0.5},
    {"shared_efficiency", 100, 84, false, -16},
    {"load_sectors_per_request", 4, 4.02, true, 0.5},
    {"load_sectors_per_request", 4, 4.1, false, 2.5},
    {"l1_hit_rate", 50, 55, true, 5},
    {"l2_hit_rate", 50, 44, false, -6},
    {"load_efficiency", 50, 50.5, true, 0.5},
    {"load_efficiency", 50, 51, false, 1},
    {"dram_read_bytes", 1000, 1100, true, 10},
    {"dram_write_bytes", 1000, 1200, false, 20},
    {"l2_read_sectors", 1000, 900, true, -10},
    {"load_sectors", 1000, std::numeric_limits<double>::quiet_NaN(), false, 0}};

BOOST_DATA_TEST_CASE(each_metric_has_its_tolerance, data::make(cases), c) {
  const StoredPoint stored = counted(c.metric, c.hardware, c.emulated);
  const std::vector<const PointRecord*> points = {&stored.point};
  const auto agreements = compare_counts(points);
  BOOST_REQUIRE(agreements.size() == 1);
  BOOST_TEST(agreements[0].metric == c.metric);
  BOOST_TEST(agreements[0].agreeing == (c.agree ? 1u : 0u));
  BOOST_TEST(agreements[0].disagreeing.size() == (c.agree ? 0u : 1u));
  if (c.emulated != c.emulated) return;
  BOOST_TEST(*count_difference(stored.point, c.metric) == c.difference,
             boost::test_tools::tolerance(1e-9));
  BOOST_TEST((agreements[0].farthest != nullptr) == (c.difference != 0));
}

BOOST_AUTO_TEST_CASE(the_largest_difference_is_found_either_way) {
  const std::vector<StoredPoint> stored = {counted("load_sectors", 100, 103),
                                           counted("load_sectors", 100, 90),
                                           counted("load_sectors", 100, 100)};
  const std::vector<const PointRecord*> points = {&stored[0].point, &stored[1].point,
                                                  &stored[2].point};
  const CountAgreement agreement = compare_counts(points).at(0);
  BOOST_TEST(agreement.farthest == &stored[1].point);
  BOOST_TEST(agreement.agreeing == 1);
  BOOST_TEST(agreement.disagreeing.size() == 2);
}

BOOST_AUTO_TEST_CASE(only_counts_from_both_origins_are_compared) {
  StoredPoint failed = counted("load_sectors", 1, 2);
  failed.point.status = PointStatus::failed;
  const StoredPoint mixed = ok_point("p", {},
                                     {{"load_sectors", Origin::hardware, 1},
                                      {"store_sectors", Origin::emulated, 1},
                                      {"time", Origin::measured, 1},
                                      {"time", Origin::emulated, 1}});
  const std::vector<const PointRecord*> points = {&failed.point, &mixed.point};
  BOOST_TEST(compare_counts(points).empty());
  BOOST_TEST(counted_twice(points).empty());
  BOOST_TEST(!count_difference(mixed.point, "load_sectors").has_value());
  BOOST_TEST(!count_difference(failed.point, "load_sectors").has_value());
}

BOOST_AUTO_TEST_CASE(tolerances_are_said) {
  BOOST_TEST(describe_tolerance("load_sectors") == "within 0.5 % or 1");
  BOOST_TEST(describe_tolerance("load_sectors_per_request") == "within 0.5 %");
  BOOST_TEST(describe_tolerance("dram_read_bytes") == "within 10 % or 1");
  BOOST_TEST(describe_tolerance("l1_hit_rate") == "within 5 percentage points");
  BOOST_TEST(describe_tolerance("shared_efficiency") == "within 0.5 percentage points");
  BOOST_TEST(describe_tolerance("l1tex__t_sectors.sum") == "within 0.5 % or 1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
