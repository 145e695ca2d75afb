#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/compare/run_comparison.h"
#include "tests/contains.h"
#include "tests/report/compare/compared_runs.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(compared_metric)

namespace {

namespace data = boost::unit_test::data;

struct RequestCase {
  const char* text;
  MetricRequest request;
};
std::ostream& operator<<(std::ostream& out, const RequestCase& each) {
  return out << each.text;
}

const RequestCase requests[] = {
    {"time", {"time", {}, {}, {}}},
    {"load_sectors.emulated", {"load_sectors", Origin::emulated, Origin::emulated, {}}},
    {"load_sectors.emulated/hardware", {"load_sectors", Origin::emulated, Origin::hardware, {}}},
    {"gld_transactions", {"load_sectors", {}, {}, {}}},
    {"sm_clock:higher", {"sm_clock", {}, {}, Better::higher}},
    {"l1tex__t_sectors.sum", {"l1tex__t_sectors.sum", {}, {}, {}}},
    {"l1tex__t_sectors.sum.hardware:lower",
     {"l1tex__t_sectors.sum", Origin::hardware, Origin::hardware, Better::lower}},
};

const std::vector<std::string> bad_requests = {
    "", ".emulated", "time:faster", "time:", "time.x/hardware", "time/hardware", "time.measured/"};

struct BetterCase {
  const char* metric;
  Better better;
};
std::ostream& operator<<(std::ostream& out, const BetterCase& each) {
  return out << each.metric;
}

const BetterCase better_cases[] = {
    {"time", Better::lower},
    {"bandwidth", Better::higher},
    {"load_sectors", Better::lower},
    {"shared_store_wavefronts", Better::lower},
    {"atomic_sectors", Better::lower},
    {"instructions", Better::lower},
    {"dram_read_bytes", Better::lower},
    {"load_efficiency", Better::higher},
    {"load_bytes", Better::neither},
    {"useful_bytes", Better::neither},
    {"sm_clock", Better::neither},
    {"power", Better::neither},
    {"samples", Better::neither},
    {"executed_share", Better::neither},
    {"l1tex__t_sectors.sum", Better::lower},
    {"lts__t_sector_hit_rate.pct", Better::neither},
};

/// The metrics chosen for pairs of these points.
std::vector<ComparedMetric> chosen(const StoredPoint& before, const StoredPoint& after,
                                   const std::vector<MetricRequest>& asked = {}) {
  const std::vector<PointPair> pairs = {{&before.point, &after.point}};
  return choose_metrics(pairs, asked, {});
}

BOOST_DATA_TEST_CASE(requests_are_read, data::make(requests), each) {
  BOOST_TEST((read_metric_request(each.text) == each.request));
}

BOOST_DATA_TEST_CASE(bad_requests_are_refused, data::make(bad_requests), text) {
  BOOST_CHECK_THROW(read_metric_request(text), std::invalid_argument);
}

BOOST_DATA_TEST_CASE(costs_are_better_when_lower, data::make(better_cases), each) {
  BOOST_TEST((better_in_comparison({each.metric, Origin::hardware}) == each.better));
}

BOOST_AUTO_TEST_CASE(timed_runs_are_compared_by_their_speed) {
  const StoredPoint point = timed_point({}, 100);
  const auto metrics = chosen(point, point);
  BOOST_REQUIRE(metrics.size() == 1);
  BOOST_TEST(metrics[0].before.name == "bandwidth");
  BOOST_TEST(metrics[0].threshold == 0.05);
  BOOST_TEST(metrics[0].is_speed);
  StoredPoint without = point;
  without.point.metrics.resize(3);
  BOOST_TEST(chosen(point, without)[0].before.name == "time");
  StoredPoint other_bytes = point;
  other_bytes.point.metrics.push_back({"useful_bytes", Origin::measured, 5});
  BOOST_TEST(chosen(point, other_bytes)[0].before.name == "time");
}

BOOST_AUTO_TEST_CASE(others_are_compared_by_the_emulators_counts) {
  const StoredPoint point = counted_point({}, 4096);
  const auto metrics = chosen(point, point);
  BOOST_REQUIRE(metrics.size() == 2);
  BOOST_TEST(metrics[0].before.name == "load_sectors");
  BOOST_TEST(metrics[0].threshold == 0);
  BOOST_TEST(metrics[1].before.name == "instructions");
  BOOST_TEST(metrics[1].threshold == 0.05);
}

BOOST_AUTO_TEST_CASE(transactions_count_where_they_are_not_the_sectors) {
  StoredPoint before = counted_point({}, 4);
  StoredPoint after = before;
  before.point.metrics.push_back({"load_transactions", Origin::emulated, 4});
  after.point.metrics.push_back({"load_transactions", Origin::emulated, 4});
  BOOST_TEST(chosen(before, after)[0].before.name == "load_sectors");
  before.point.metrics.back().value = 3;
  after.point.metrics.back().value = 2;
  const auto metrics = chosen(before, after);
  BOOST_REQUIRE(metrics.size() == 3);
  BOOST_TEST(metrics[0].before.name == "load_transactions");
  BOOST_TEST((metrics[0].better == Better::lower));
  BOOST_TEST(metrics[1].before.name == "load_sectors");
}

BOOST_AUTO_TEST_CASE(totals_that_the_emulator_leaves_out_are_zero) {
  const StoredPoint before = counted_point({}, 4096);
  StoredPoint after = before;
  after.point.metrics.push_back({"atomic_sectors", Origin::emulated, 32});
  const auto metrics = chosen(before, after);
  BOOST_REQUIRE(metrics.size() == 3);
  BOOST_TEST(metrics[1].before.name == "atomic_sectors");
  BOOST_TEST(compared_figure(before.point, metrics[1].before).value().value == 0);
  const StoredPoint timed = timed_point({}, 100);
  BOOST_TEST(!compared_figure(timed.point, metrics[1].before).has_value());
}

BOOST_AUTO_TEST_CASE(origins_differ_only_when_asked_for) {
  StoredPoint hardware = timed_point({}, 100);
  hardware.point.metrics = {{"load_sectors", Origin::hardware, 4096}};
  const StoredPoint emulated = counted_point({}, 4096);
  try {
    chosen(emulated, hardware, {{"load_sectors", {}, {}, {}}});
    BOOST_FAIL("emulated and hardware were compared");
  } catch (const ComparisonError& error) {
    BOOST_TEST(contains(error.what(), "--metric load_sectors.emulated/hardware"));
  }
  const auto metrics =
      chosen(emulated, hardware, {{"load_sectors", Origin::emulated, Origin::hardware, {}}});
  BOOST_REQUIRE(metrics.size() == 1);
  BOOST_TEST(metrics[0].threshold == 0.05);
  BOOST_TEST(heading_of(metrics[0]) == "load_sectors, emulated in A, hardware in B");
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_said) {
  const StoredPoint point = timed_point({}, 100);
  const StoredPoint counted = counted_point({}, 1);
  const auto message = [](const StoredPoint& a, const StoredPoint& b, const char* metric) {
    try {
      std::vector<MetricRequest> asked;
      if (*metric != '\0') asked.push_back(read_metric_request(metric));
      chosen(a, b, asked);
    } catch (const ComparisonError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  BOOST_TEST(contains(message(point, point, "tmie"), "did you mean 'time'?"));
  BOOST_TEST(contains(message(point, counted, "time"), "only A has the metric time"));
  BOOST_TEST(contains(message(counted, point, "time"), "only B has the metric time"));
  BOOST_TEST(contains(message(point, counted, ""), "share neither a time nor counts"));
}

BOOST_AUTO_TEST_CASE(a_time_of_few_samples_has_no_interval_and_other_figures_are_exact) {
  StoredPoint point = timed_point({}, 100);
  BOOST_TEST(compared_figure(point.point, {"time", Origin::measured})->interval.has_value());
  point.point.metrics.erase(point.point.metrics.begin() + 1, point.point.metrics.begin() + 3);
  BOOST_TEST(!compared_figure(point.point, {"time", Origin::measured})->interval.has_value());
  BOOST_TEST(!compared_figure(point.point, {"bandwidth", Origin::measured})->interval.has_value());
  BOOST_TEST(compared_figure(point.point, {"sm_clock", Origin::measured})->interval.has_value());
  point.point.metrics[0].value = -1;
  BOOST_TEST(!compared_figure(point.point, {"time", Origin::measured}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sweep::testing
