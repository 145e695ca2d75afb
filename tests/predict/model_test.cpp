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

BOOST_AUTO_TEST_CASE(a_part_of_a_line_is_written_as_the_whole) {
  Demand demand = full_gpu();
  demand.dram_write_bytes = 32e6;
  demand.dram_write_lines = 1e6;
  const double in_part = predict(demand, round_gpu()).of(Bound::dram);
  demand.dram_write_bytes = 128e6;
  BOOST_TEST(in_part == predict(demand, round_gpu()).of(Bound::dram),
             boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(reads_and_writes_take_turns) {
  TimingProfile gpu = round_gpu();
  gpu.dram_turn = {10, 10, 10};
  Demand demand = full_gpu();
  demand.dram_read_bytes = 1e9;
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) == 1e-3, boost::test_tools::tolerance(1e-9));
  demand.dram_write_bytes = 1e9;
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) == 2.2e-3, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(few_bytes_of_each_region_take_as_long_as_the_regions) {
  Demand demand = full_gpu();
  demand.dram_read_bytes = 1e6;
  demand.dram_read_regions = 1e6;
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::dram) == 1e-3,
             boost::test_tools::tolerance(1e-3));
  std::swap(demand.dram_read_bytes, demand.dram_write_bytes);
  std::swap(demand.dram_read_regions, demand.dram_write_regions);
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::dram) == 1e-3,
             boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(spills_go_as_far_as_caches_are_too_small) {
  TimingProfile gpu = round_gpu();
  gpu.l1_bytes = 1000;
  gpu.l2_bytes = 1e6;
  Demand demand = full_gpu();
  demand.warps = demand.blocks / 32;  // a thread each, 8 a multiprocessor
  demand.spill_load_sectors = 4e6;
  demand.spill_store_sectors = 4e6;
  const auto sectors_through_l2 = [&] { return predict(demand, gpu).of(Bound::l2) * 4000e9 / 32; };
  demand.local_bytes = 100;
  BOOST_TEST(sectors_through_l2() == 4e6, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) == 0);
  demand.local_bytes = 500;
  BOOST_TEST(sectors_through_l2() == 7e6, boost::test_tools::tolerance(1e-9));
  const double some = predict(demand, gpu).of(Bound::dram);
  demand.local_bytes = 2500;
  BOOST_TEST(predict(demand, gpu).of(Bound::dram) > some);
}

BOOST_AUTO_TEST_CASE(a_block_ends_with_the_last_warp_of_each_scheduler) {
  Demand demand;
  demand.blocks = 1;
  demand.warps = 16;
  demand.instructions = 16e6;
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::latency) == 4e-3,
             boost::test_tools::tolerance(0.01));
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

BOOST_AUTO_TEST_CASE(a_long_block_has_a_multiprocessor_for_itself) {
  Demand demand = full_gpu();
  demand.instructions = 4e8;
  demand.longest_paths = 80;  // ten times its share of a multiprocessor
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::issue) == 10e-3,
             boost::test_tools::tolerance(1e-9));
  demand.longest_paths = 1;
  demand.launches = 16;  // of 50 blocks, which half of the multiprocessors have
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::issue) == 2e-3,
             boost::test_tools::tolerance(1e-9));
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

BOOST_AUTO_TEST_CASE(a_wait_ends_when_the_last_of_its_sectors_has_come) {
  Demand demand = full_gpu();
  demand.global_waits = 6400;
  demand.load_sectors = 6400 * 4.0;
  demand.l1_hits = 0.5;
  demand.l2_hits = 1;
  TimingProfile gpu = round_gpu();
  gpu.l1_latency = {100, 100, 100};
  gpu.l2_latency = {500, 500, 500};
  gpu.sector = gpu.turnover = gpu.turnover_warp = {0, 0, 0};
  // Of four that lie together two are taken for chances of their own.
  BOOST_TEST(predict(demand, gpu).of(Bound::latency) == 400e-9, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(an_instruction_waits_for_the_one_that_it_needs) {
  Demand demand;
  demand.blocks = demand.warps = 1;
  demand.instructions = 1e6;
  demand.dependent_steps = 5e5;
  TimingProfile gpu = round_gpu();
  gpu.step = {5, 5, 5};
  const auto seconds = [&] { return predict(demand, gpu).of(Bound::latency); };
  BOOST_TEST(seconds() == 3e-3, boost::test_tools::tolerance(0.01));
  demand.fp64 = 1e6;  // twice as long
  BOOST_TEST(seconds() == 5.5e-3, boost::test_tools::tolerance(0.01));
  demand.fp64 = 0;
  gpu.alu = {2, 2, 2};
  demand.alu = 1e6;
  BOOST_TEST(seconds() == 4e-3, boost::test_tools::tolerance(0.01));
  demand.global_waits = 2e5;  // which hide all of that
  gpu.dram_latency = gpu.l2_latency = {0, 0, 0};
  BOOST_TEST(seconds() == 1e-3, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(the_longest_block_of_each_launch_tells_how_long_a_path_is) {
  Demand demand;
  demand.blocks = demand.warps = 4;
  demand.launches = 2;
  demand.instructions = 4e6;
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::latency) == 2e-3,
             boost::test_tools::tolerance(0.01));
  demand.longest_paths = 3;
  BOOST_TEST(predict(demand, round_gpu()).of(Bound::latency) == 3e-3,
             boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(what_flows_begins_when_the_first_data_have_come) {
  Demand demand = full_gpu();
  demand.global_waits = 6400;
  demand.dram_read_bytes = 1e9;
  TimingProfile gpu = round_gpu();
  const double without = predict(demand, gpu).seconds;
  gpu.dram_latency = {50001, 50001, 50001};
  BOOST_TEST(predict(demand, gpu).seconds == without + 50e-6, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(a_line_of_which_a_sector_is_written_costs_as_much_as_two_more) {
  Demand demand = full_gpu();
  demand.l2_write_sectors = 4e6;
  demand.l2_write_lines = 1e6;
  const auto seconds = [&] { return predict(demand, round_gpu()).of(Bound::l2); };
  const double whole = seconds();
  BOOST_TEST(whole == 4e6 * 32 / 4000e9, boost::test_tools::tolerance(1e-9));
  demand.l2_write_lines = 4e6;
  BOOST_TEST(seconds() == 2 * whole, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(of_many_lines_some_lie_in_one_slice) {
  TimingProfile gpu = round_gpu();
  gpu.atomic_same = {100, 100, 100};  // as a hundred slices
  Demand demand = full_gpu();
  demand.busiest_line = 1e4;
  const auto slices = [&](double lines) {
    demand.atomic_sectors = lines * demand.busiest_line;
    return predict(demand, gpu).of(Bound::atomics) / 1e-3;
  };
  BOOST_TEST(slices(1) == 1, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(slices(100) > 3);
  BOOST_TEST(slices(100) < 5);
  BOOST_TEST(slices(1e6) == 1e4, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(one_address_takes_one_operation_after_the_other) {
  Demand demand = full_gpu();
  demand.busiest_line = 1e6;
  const Prediction prediction = predict(demand, round_gpu());
  BOOST_TEST(prediction.of(Bound::atomics) == 1e-3, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sweep::model_test
