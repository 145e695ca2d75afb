#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "report/findings.h"
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
     {"asks in its loads for 8 times the sectors that the bytes fill: 32 a request, where 4 would "
      "do "
      "(emulated)"}},
    {{{"store_efficiency", Origin::hardware, 80},
      {"store_efficiency", Origin::emulated, 12.5},
      {"store_sectors_per_request", Origin::hardware, 5}},
     {"asks in its stores for 1.2 times the sectors that the bytes fill: 5 a request, where 4 "
      "would "
      "do"}},
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
    {140, "is served by caches: its bandwidth exceeds the memory's theoretical peak of 4814 GB/s"},
};

std::string all_limits(const RunResults& results) {
  std::string all;
  for (const std::string& sentence : describe_limits(results)) {
    all += sentence + '\n';
  }
  return all;
}

}  // namespace

BOOST_DATA_TEST_CASE(names_what_is_wasted, boost::unit_test::data::make(waste_cases), each) {
  const PointRecord point = ok_point("copy", {}, each.metrics).point;
  BOOST_TEST(describe_waste(point, {}) == each.words, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(says_where_predictions_part_from_what_was_measured) {
  constexpr double device_memory = 9;
  RunResults results = stride_results();
  double distance = 1;
  for (StoredPoint& stored : results.points) {
    const auto time = measured_figure(stored.point, "time");
    if (!time) continue;
    const double predicted = *time / distance;
    for (const auto& [name, value] : {std::pair("time", predicted),
                                      {"time_low", predicted / 1.1},
                                      {"time_high", predicted * 1.1},
                                      {"bottleneck", device_memory},
                                      {"next_bound", 10.0}}) {
      stored.point.metrics.push_back({name, Origin::predicted, value});
    }
    distance = 2;
  }
  const std::string words = all_limits(results);
  BOOST_TEST(contains(words, ", 1 hold the measured one in their interval; farthest, at "), words);
  BOOST_TEST(contains(words, "us were predicted, bound by device memory, and "), words);
  BOOST_TEST(contains(words, "is predicted to be bound by device memory"), words);
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

/// A device of 1000 GB/s and 100 multiprocessors.
Device small_device() {
  Device device;
  device.memory_clock_hz = 1'000'000'000;
  device.memory_bus_bits = 4000;
  device.multiprocessors = 100;
  return device;
}

/// A point of 1000 us and so many % of that device's peak.
PointRecord timed_share(double share, std::vector<Metric> counts) {
  std::vector<Metric> metrics = {{"time", Origin::measured, 1000},
                                 {"percent_of_peak", Origin::measured, share},
                                 {"sm_clock", Origin::measured, 1000}};
  metrics.insert(metrics.end(), counts.begin(), counts.end());
  return ok_point("p", {{"BLOCKS", integer(50)}}, metrics).point;
}

std::string waste_of(const PointRecord& point) {
  const std::vector<std::string> waste = describe_waste(point, small_device());
  BOOST_TEST(waste.size() <= 1U);
  return waste.empty() ? "" : waste.front();
}

BOOST_AUTO_TEST_CASE(what_memory_bounds_waits_for_nothing_else) {
  const std::vector<Metric> wasteful = {{"load_efficiency", Origin::emulated, 25},
                                        {"load_sectors", Origin::emulated, 100e6},
                                        {"store_sectors", Origin::emulated, 0}};
  BOOST_TEST(waste_of(timed_share(87.7, wasteful)) == "");
  // 3.2 GB in 1 ms are 320 % of the peak.
  BOOST_TEST(waste_of(timed_share(50, wasteful)) ==
             "asks in its loads for 4 times the sectors that the bytes fill (emulated), of which "
             "caches serve 68 % at least");
  BOOST_TEST(waste_of(timed_share(5, {{"load_efficiency", Origin::emulated, 25},
                                      {"load_sectors", Origin::emulated, 10e6},
                                      {"store_sectors", Origin::emulated, 0}})) ==
             "asks in its loads for 4 times the sectors that the bytes fill (emulated), of which "
             "caches may serve part");
}

BOOST_AUTO_TEST_CASE(what_memory_moved_decides_whether_it_bounds) {
  RunResults results = stride_results();
  results.run.provenance.device = small_device();
  for (StoredPoint& stored : results.points) {
    stored.point.metrics = timed_share(10, {{"dram_read_bytes", Origin::hardware, 8e8},
                                            {"dram_write_bytes", Origin::hardware, 0}})
                               .metrics;
  }
  BOOST_TEST(contains(all_limits(results),
                      "reaches 10.0 % of the device's theoretical peak of 1000 GB/s; memory moves "
                      "80.0 % of it and is what bounds it"));
}

BOOST_AUTO_TEST_CASE(bank_conflicts_are_a_cause_where_they_take_time) {
  const auto conflicts = [](double wavefronts) {
    PointRecord point = timed_share(10, {{"shared_efficiency", Origin::emulated, 50},
                                         {"shared_conflicts", Origin::emulated, wavefronts / 2},
                                         {"shared_load_wavefronts", Origin::emulated, wavefronts},
                                         {"shared_store_wavefronts", Origin::emulated, 0}});
    point.key.pattern_text =
        "/* pattern:\nparameters: {BLOCKS: 1}\nlaunch: {grid: BLOCKS, block: 32}\n*/\n";
    return point;
  };
  // 50 multiprocessors do 50 million passes in the time.
  BOOST_TEST(waste_of(conflicts(40e6)) ==
             "takes 2 times the passes through shared memory that its bytes need, for 20,000,000 "
             "bank conflicts (emulated), and these passes take 80 % of its time at least");
  BOOST_TEST(waste_of(conflicts(1e6)) == "");
  PointRecord unknown = conflicts(40e6);
  unknown.key.pattern_text = "not a pattern";
  BOOST_TEST(waste_of(unknown) == "");
}

BOOST_AUTO_TEST_CASE(of_each_group_the_best_and_the_slowest) {
  const std::string limits = all_limits(compared_results());
  BOOST_TEST(contains(
      limits, "The slowest of copy, BLOCK = 1024, has 3721 GB/s: 4.7 % less than the best."));
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
  BOOST_TEST(contains(
      limits,
      "The worst asks in its loads for 3 times the sectors that the bytes fill (emulated)."));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::testing
