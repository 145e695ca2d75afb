#include "engine/predict/model.h"

#include <boost/test/unit_test.hpp>

namespace sweep::model_test {

/// A GPU with round figures.
TimingProfile round_gpu() {
  TimingProfile gpu;
  gpu.multiprocessors = 100;
  for (const TimingKey& key : timing_keys()) gpu.*key.constant = {1, 1, 1};
  gpu.clock = {1000, 1000, 1000};  // a cycle takes 1 ns
  gpu.dram_read = gpu.dram_write = {1000, 1000, 1000};
  gpu.l2_read = gpu.l2_write = {4000, 4000, 4000};
  gpu.spread_memory = {10, 10, 10};
  return gpu;
}

/// As many blocks as are resident at once.
Demand full_gpu() {
  Demand demand;
  demand.blocks = 800;
  demand.warps = 6400;
  demand.resident_blocks = 8;
  return demand;
}

BOOST_AUTO_TEST_SUITE(model_of_times)

BOOST_AUTO_TEST_CASE(nothing_to_do_takes_the_launch) {
  Demand demand;
  const Prediction prediction = predict(demand, round_gpu());
  BOOST_TEST(prediction.seconds == 1e-6, boost::test_tools::tolerance(0.01));
  BOOST_TEST(static_cast<int>(prediction.first_bounds()[0]) == static_cast<int>(Bound::launch));
}

BOOST_AUTO_TEST_CASE(bytes_of_device_memory_take_their_time) {
  Demand demand = full_gpu();
  demand.dram_read_bytes = 1e9;
  const Prediction prediction = predict(demand, round_gpu());
  BOOST_TEST(prediction.seconds == 1e-3, boost::test_tools::tolerance(0.01));
  BOOST_TEST(static_cast<int>(prediction.first_bounds()[0]) == static_cast<int>(Bound::dram));
  BOOST_TEST(prediction.high / prediction.seconds == 1.1, boost::test_tools::tolerance(0.01));
  BOOST_TEST(prediction.seconds / prediction.low == 1.1, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(two_alike_hinder_each_other) {
  Demand demand = full_gpu();
  demand.dram_read_bytes = 1e9;
  demand.shared_wavefronts = 1e8;
  const double together = predict(demand, round_gpu()).seconds;
  BOOST_TEST(together > 1.05e-3);
  BOOST_TEST(together < 1.3e-3);
}

BOOST_AUTO_TEST_CASE(what_goes_to_memory_goes_through_l2_on_its_way) {
  Demand demand = full_gpu();
  demand.dram_read_bytes = 1e9;
  demand.l2_read_sectors = 4e9 / 32;
  BOOST_TEST(predict(demand, round_gpu()).seconds == 1e-3, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(writes_without_neighbours_take_longer) {
  Demand demand = full_gpu();
  demand.l2_write_sectors = 1e6;
  demand.dram_write_bytes = 32e6;
  const Prediction whole = predict(demand, round_gpu());
  demand.isolated_writes = 1e6;
  const Prediction isolated = predict(demand, round_gpu());
  BOOST_TEST(isolated.of(Bound::dram) == whole.of(Bound::dram) + 1e-3,
             boost::test_tools::tolerance(1e-9));
  // Those that stay in L2 take nothing there.
  demand.dram_write_bytes = 0;
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::dram) == 0);
}

BOOST_AUTO_TEST_CASE(local_memory_goes_as_far_as_caches_are_too_small) {
  TimingProfile gpu = round_gpu();
  gpu.l1_bytes = 1000;
  gpu.l2_bytes = 1e6;
  Demand demand = full_gpu();
  demand.warps = demand.blocks / 32;  // a thread each, 8 a multiprocessor
  demand.local_load_sectors = 4e6;
  demand.local_store_sectors = 4e6;
  const auto sectors_through_l2 = [&] { return predict(demand, gpu).of(Bound::l2) * 4000e9 / 32; };
  demand.local_bytes = 100;
  BOOST_TEST(sectors_through_l2() == 4e6, boost::test_tools::tolerance(1e-9));
  demand.local_bytes = 500;
  BOOST_TEST(sectors_through_l2() == 7e6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) == 0);
  demand.local_bytes = 2500;
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) > 0);
}

BOOST_AUTO_TEST_CASE(a_warp_alone_takes_its_instructions_one_after_the_other) {
  Demand demand;
  demand.blocks = demand.warps = 1;
  demand.instructions = 1e6;
  BOOST_TEST(predict(demand, round_gpu()).seconds == 1e-3, boost::test_tools::tolerance(0.01));
  demand.shared_wavefronts = 1e6;
  BOOST_TEST(predict(demand, round_gpu()).seconds == 3e-3, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(a_block_more_than_all_have_room_for_costs_time) {
  Demand demand = full_gpu();
  demand.instructions = 4e8;  // a million cycles of each quarter
  const double even = predict(demand, round_gpu()).of(Bound::issue);
  BOOST_TEST(even == 1e-3, boost::test_tools::tolerance(1e-9));
  demand.blocks = 101;
  const double uneven = predict(demand, round_gpu()).of(Bound::issue);
  BOOST_TEST(uneven / even == 200.0 / 101, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_path_is_as_long_as_what_it_waits_for) {
  Demand demand = full_gpu();
  demand.global_waits = 6400 * 10.0;  // ten a warp
  TimingProfile gpu = round_gpu();
  gpu.dram_latency = {700, 700, 700};
  gpu.l2_latency = {300, 300, 300};
  gpu.turnover = gpu.turnover_warp = {0, 0, 0};
  const auto latency = [&] { return predict(demand, gpu).of(Bound::latency); };
  BOOST_TEST(latency() == 7e-6, boost::test_tools::tolerance(1e-9));
  demand.l2_hits = 1;
  BOOST_TEST(latency() == 3e-6, boost::test_tools::tolerance(1e-9));
  demand.blocks *= 3;  // waves one after the other
  demand.warps *= 3;
  demand.global_waits *= 3;
  BOOST_TEST(latency() == 9e-6, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(one_address_takes_one_operation_after_the_other) {
  Demand demand = full_gpu();
  demand.busiest_line = 1e6;
  const Prediction prediction = predict(demand, round_gpu());
  BOOST_TEST(prediction.of(Bound::atomics) == 1e-3, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::model_test
