#include "report/limit_words.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/contains.h"
#include "tests/report/example_results.h"
#include "tests/report/tuned_results.h"

namespace sweep::testing {
BOOST_AUTO_TEST_SUITE(limit_words)

namespace {

struct WasteCase {
  std::vector<Metric> metrics;
  std::vector<std::string> words;
};
std::ostream& operator<<(std::ostream& out, const WasteCase& each) {
  return out << (each.words.empty() ? "nothing" : each.words.front());
}

const WasteCase waste_cases[] = {
    {{}, {}},
    {{{"load_efficiency", Origin::hardware, 100},
      {"load_sectors_per_request", Origin::hardware, 4}},
     {}},
    {{{"load_efficiency", Origin::emulated, 12.5},
      {"load_sectors_per_request", Origin::emulated, 32}},
     {"loads 8 times the bytes that it wants: 32 sectors a request, where 4 would do (emulated)"}},
    {{{"store_efficiency", Origin::hardware, 80},
      {"store_efficiency", Origin::emulated, 12.5},
      {"store_sectors_per_request", Origin::hardware, 5}},
     {"stores 1.2 times the bytes that it wants: 5 sectors a request, where 4 would do"}},
    {{{"shared_efficiency", Origin::hardware, 3.125},
      {"shared_conflicts", Origin::hardware, 31000}},
     {"takes 32 times the passes through shared memory that its bytes need, for 31,000 bank "
      "conflicts"}},
    {{{"shared_efficiency", Origin::hardware, 50}, {"shared_conflicts", Origin::hardware, 0}}, {}},
    {{{"load_lanes_per_request", Origin::emulated, 8}},
     {"loads with 8 of a warp's 32 threads (emulated)"}},
    {{{"local_load_sectors", Origin::emulated, 1000},
      {"local_store_sectors", Origin::emulated, 24}},
     {"moves 1,024 sectors of local memory, as spilled registers do (emulated)"}},
    // What no count can be.
    {{{"local_load_sectors", Origin::emulated, 1e300}},
     {"moves 1,000,000,000,000,000,000 sectors of local memory, as spilled registers do "
      "(emulated)"}},
};

struct ShareCase {
  double share = 0;
  const char* words = "";
};
std::ostream& operator<<(std::ostream& out, const ShareCase& each) {
  return out << each.share;
}

constexpr ShareCase share_cases[] = {
    {12.5, "reaches 12.5 % of the device's theoretical peak of 4814 GB/s: memory is far from "},
    {60, "reaches 60.0 % of the device's theoretical peak of 4814 GB/s: memory is not saturated"},
    {88.25, "reaches 88.2 % of the device's theoretical peak of 4814 GB/s: it is bound by memory"},
    {140, "reaches 140.0 % of the device's theoretical peak of 4814 GB/s: its data comes from "},
};

std::string all_limits(const RunResults& results) {
  std::string all;
  for (const std::string& sentence : describe_limits(results, judge(results))) {
    all += sentence + '\n';
  }
  return all;
}

}  // namespace

BOOST_DATA_TEST_CASE(names_what_is_wasted, boost::unit_test::data::make(waste_cases), each) {
  const PointRecord point = ok_point("copy", {}, each.metrics).point;
  BOOST_TEST(describe_waste(point) == each.words, boost::test_tools::per_element());
}

BOOST_DATA_TEST_CASE(names_the_share_of_the_peak, boost::unit_test::data::make(share_cases), each) {
  RunResults results = stride_results();
  for (StoredPoint& stored : results.points) {
    for (Metric& metric : stored.point.metrics) {
      if (metric.name == "percent_of_peak") metric.value = each.share;
    }
  }
  BOOST_TEST_MESSAGE(all_limits(results));
  BOOST_TEST(contains(all_limits(results), each.words));
}

BOOST_AUTO_TEST_CASE(of_each_group_the_best_and_the_slowest) {
  const std::string limits = all_limits(compared_results());
  BOOST_TEST(contains(
      limits, "The slowest of copy, pattern = copy, BLOCK = 1024, has 3721 GB/s: 4.9 % slower."));
  BOOST_TEST(contains(all_limits(tuned_results()), "The best of T = float reaches 89.3 %"));
}

BOOST_AUTO_TEST_CASE(without_times_the_range_of_the_main_count) {
  RunResults results = emulated_results();
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    results.points[i].point.metrics = {
        {"efficiency", Origin::emulated, 100.0 / static_cast<double>(i + 1)},
        {"load_efficiency", Origin::emulated, 100.0 / static_cast<double>(i + 1)}};
  }
  const std::string limits = all_limits(results);
  BOOST_TEST(contains(limits, "Emulated efficiency goes from 100.0 % ("));
  BOOST_TEST(contains(limits, "The worst loads 3 times the bytes that it wants (emulated)."));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
