#include "engine/predict/fit.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <random>

namespace sweep {
namespace {

constexpr unsigned multiprocessors = 132;

TimingProfile h100() {
  TimingProfile profile = read_timing_profile(shipped_profile("h100")).value();
  profile.multiprocessors = multiprocessors;
  return profile;
}

/// A warp in each of some blocks, one on a multiprocessor.
Demand warps(double count) {
  Demand demand;
  demand.blocks = demand.warps = count;
  return demand;
}

/// What microbenchmarks ask for, as far as the model has terms for it.
std::vector<TimedPoint> microbenchmarks() {
  std::vector<TimedPoint> points;
  const auto add = [&](const std::string& sweep, const Demand& demand) {
    points.push_back({"profile-" + sweep, demand, 0});
  };
  for (const double size : {1.0, 2.0, 4.0, 8.0}) {
    Demand demand = warps(1);
    demand.global_waits = 1e4 * size;
    demand.l1_hits = 1;
    add("latency", demand);
    demand.load_sectors = 32 * demand.global_waits;
    add("sectors", demand);
    demand.load_sectors = 0;
    demand.l1_hits = 0;
    demand.l2_hits = 1;
    add("latency", demand);
    demand.l2_hits = 0;
    add("memory-latency", demand);

    demand = warps(1);
    demand.shared_waits = 1e4 * size;
    add("shared-latency", demand);
    demand = warps(1);
    demand.barriers = 1e4 * size;
    add("barriers", demand);
    demand.warps = 32;
    demand.barriers *= 32;
    add("barriers", demand);

    demand = {};
    demand.dram_read_bytes = 1e9 * size;
    add("memory", demand);
    demand = {};
    demand.dram_write_bytes = 1e9 * size;
    add("memory", demand);
    demand.dram_read_bytes = 1e9 * size;
    add("memory", demand);
    demand = {};
    demand.l2_read_sectors = 1e8 * size;
    add("camping", demand);
    demand = {};
    demand.l2_write_sectors = 1e8 * size;
    add("writes", demand);
    demand = {};
    demand.dram_read_regions = 1e7 * size;
    demand.dram_read_bytes = 32 * demand.dram_read_regions;
    add("stride", demand);
    demand = {};
    demand.shared_wavefronts = 1e8 * size;
    add("shared", demand);
    demand = {};
    demand.busiest_line = 1e6 * size;
    add("atomics", demand);
    demand = {};
    demand.atomic_sectors = 1e8 * size;
    demand.busiest_line = 1;
    add("atomics", demand);

    for (const auto count : {&Demand::alu, &Demand::fma, &Demand::fp64, &Demand::special}) {
      demand = {};
      demand.*count = 1e9 * size;
      add("arithmetic", demand);
    }

    add("launches", warps(size));
    demand = warps(size);
    demand.cold_launches = 1;
    add("cold-launches", demand);
    demand = warps(1e6 * size);
    demand.resident_blocks = 32;
    add("launches", demand);
    demand.resident_blocks = 1;
    add("launches", demand);
    add("turnover", demand);
    demand.warps *= 32;
    add("turnover", demand);
  }
  for (const double size : {1.0, 2.0, 4.0}) {
    Demand chain;
    chain.blocks = chain.warps = 1;
    chain.instructions = chain.dependent_steps = 1e6 * size;
    add("arithmetic", chain);
  }
  return points;
}

/// The times that a profile predicts, off by some percent.
void take_times(std::vector<TimedPoint>& points, const TimingProfile& profile, double noise) {
  std::mt19937 random(1);
  std::normal_distribution<double> error(0, noise);
  for (TimedPoint& point : points) {
    point.seconds = predict(point.demand, profile).seconds * std::exp(error(random));
  }
}

bool is_among_what_points_tell(const TimingConstant& constant) {
  return constant.from.starts_with("profile-");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fit)

BOOST_AUTO_TEST_CASE(constants_that_times_were_made_from_are_found_again) {
  // Each constant is off by another factor.
  TimingProfile truth = h100();
  double factor = 0.6;
  for (const TimingKey& key : timing_keys()) {
    // Those that no sweep tells are what they are known to be.
    if (key.name == "clock" || key.name == "issue" || key.name == "tensor") continue;
    if (key.name == "l1_wavefront") continue;
    (truth.*key.constant).value *= factor;
    factor = factor > 1.5 ? 0.6 : factor * 1.2;
  }
  std::vector<TimedPoint> points = microbenchmarks();
  take_times(points, truth, 0.01);
  const TimingProfile found = fit_profile(points, h100());
  int told = 0;
  for (const TimingKey& key : timing_keys()) {
    const TimingConstant& constant = found.*key.constant;
    if (!is_among_what_points_tell(constant)) continue;
    BOOST_TEST_CONTEXT(key.name) {
      ++told;
      // The memory's turns are some percent of a time, which is off by one.
      const bool is_small = key.name == "dram_turn";
      BOOST_TEST(constant.value == (truth.*key.constant).value,
                 boost::test_tools::tolerance(is_small ? 0.5 : 0.03));
      BOOST_TEST(constant.low < constant.value);
      BOOST_TEST(constant.value < constant.high);
      BOOST_TEST(constant.high < (is_small ? 3 : 1.5) * constant.low);
    }
  }
  BOOST_TEST(told == 26);
  for (const SweepFit& fit : errors_of(points, found)) {
    BOOST_TEST(fit.median_error < 0.02, fit.sweep << ' ' << fit.median_error);
  }
}

BOOST_AUTO_TEST_CASE(one_point_that_is_far_off_changes_little) {
  std::vector<TimedPoint> points = microbenchmarks();
  take_times(points, h100(), 0.01);
  for (TimedPoint& point : points) {
    if (point.sweep != "profile-shared") continue;
    point.seconds *= 10;
    break;
  }
  const TimingProfile found = fit_profile(points, h100());
  BOOST_TEST(found.shared_wavefront.value == h100().shared_wavefront.value,
             boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(what_no_point_tells_keeps_its_value_and_origin) {
  std::vector<TimedPoint> points = microbenchmarks();
  std::erase_if(points, [](const TimedPoint& point) { return point.sweep == "profile-atomics"; });
  take_times(points, h100(), 0.01);
  const TimingProfile start = scaled_profile(h100(), 66, 990, 1676);
  const TimingProfile found = fit_profile(points, start);
  BOOST_TEST(found.atomic_same.value == start.atomic_same.value);
  BOOST_TEST(found.atomic_same.from == "H100 scaled");
  BOOST_TEST(found.tensor.value == start.tensor.value);
  BOOST_TEST(found.dram_read.from == "profile-memory");
}

BOOST_AUTO_TEST_CASE(a_gpu_begins_with_another_ones_constants_by_its_own_figures) {
  const TimingProfile known = h100();
  const TimingProfile start =
      scaled_profile(known, 66, known.clock / 2, known.peak_bandwidth.value / 4);
  BOOST_TEST(start.dram_read.value == known.dram_read.value / 4);
  BOOST_TEST(start.l2_read.value == known.l2_read.value / 4);
  BOOST_TEST(start.atomic_same.value == known.atomic_same.value * 2);
  BOOST_TEST(start.l1_latency.value == known.l1_latency.value);
  BOOST_TEST(start.dram_latency.value == known.dram_latency.value / 2);
  BOOST_TEST(start.multiprocessors == 66u);
}

BOOST_AUTO_TEST_CASE(every_sweep_of_a_profile_is_shipped) {
  for (const std::string_view name : profile_sweeps()) {
    const auto file = std::filesystem::path(SWEEP_SOURCE_DIR) / "sweeps" / name;
    BOOST_TEST(std::filesystem::exists(file.string() + ".yaml"), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep
