#include "engine/predict/predicted_metrics.h"

#include <boost/test/unit_test.hpp>

#include "engine/predict/gains.h"
#include "tests/contains.h"

namespace sweep::predicted_metrics_test {

TimingProfile h100() {
  auto profile = read_timing_profile(shipped_profile("h100"));
  profile->multiprocessors = 132;
  return *profile;
}

/// A copy of 256 MiB that misses the caches, as the emulator counts it.
std::vector<Metric> copy_counts() {
  constexpr double elements = 32.0 * 1024 * 1024;
  std::vector<Metric> metrics;
  const auto add = [&](const char* name, double value) {
    metrics.push_back({name, Origin::emulated, value});
  };
  add("blocks", elements / 2048);
  add("warps", elements / 128);
  add("resident_blocks", 4);
  add("instructions", 14 * elements / 32);
  add("load_requests", elements / 32);
  add("store_requests", elements / 32);
  add("load_sectors", elements / 8);
  add("l2_read_sectors", elements / 8);
  add("l2_write_sectors", elements / 8);
  add("dram_read_bytes", elements * 4);
  add("dram_write_bytes", elements * 4);
  add("global_waits", elements / 128);
  return metrics;
}

double predicted(const std::vector<Metric>& metrics, std::string_view name) {
  for (const Metric& metric : metrics) {
    if (metric.name == name && metric.origin == Origin::predicted) return metric.value;
  }
  return 0;
}

BOOST_AUTO_TEST_SUITE(predicted_metrics)

BOOST_AUTO_TEST_CASE(a_copy_is_bound_by_device_memory) {
  std::vector<Metric> metrics = copy_counts();
  predict_metrics(h100(), {.device = 256U << 20U}, metrics);
  BOOST_TEST(predicted(metrics, "bottleneck") == static_cast<double>(Bound::dram));
  BOOST_TEST(predicted(metrics, "bandwidth") > 2500);
  BOOST_TEST(predicted(metrics, "bandwidth") < 3300);
  BOOST_TEST(predicted(metrics, "time_low") < predicted(metrics, "time"));
  BOOST_TEST(predicted(metrics, "time_high") > predicted(metrics, "time"));
  BOOST_TEST(predicted(metrics, "next_bound") <= 100);
  const std::size_t count = metrics.size();
  predict_metrics(h100(), {.device = 256U << 20U}, metrics);
  BOOST_TEST(metrics.size() == count);
}

BOOST_AUTO_TEST_CASE(without_totals_or_caches_nothing_is_predicted) {
  for (const char* missing : {"l2_read_sectors", "instructions", "blocks"}) {
    std::vector<Metric> metrics = copy_counts();
    std::erase_if(metrics, [&](const Metric& metric) { return metric.name == missing; });
    const std::size_t count = metrics.size();
    predict_metrics(h100(), {.device = 1}, metrics);
    BOOST_TEST(metrics.size() == count);
    BOOST_TEST(describe_prediction(metrics, h100()).empty());
  }
}

BOOST_AUTO_TEST_CASE(gains_are_those_of_what_bounds) {
  std::vector<Metric> metrics = copy_counts();
  metrics.push_back({"shared_load_wavefronts", Origin::emulated, 1e9});
  metrics.push_back({"shared_efficiency", Origin::emulated, 10});
  const std::vector<Gain> gains = possible_gains(metrics, h100());
  BOOST_REQUIRE(!gains.empty());
  BOOST_TEST(gains[0].change == "without bank conflicts");
  BOOST_TEST(gains[0].factor > 5);
  const std::vector<std::string> words = describe_prediction(metrics, h100());
  BOOST_TEST(contains(words.at(0), "bound by shared memory"));
  BOOST_TEST(contains(words.at(1), "without bank conflicts: "));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::predicted_metrics_test
