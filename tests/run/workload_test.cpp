#include "engine/run/workload.h"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "tests/pattern_from_text.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(workloads)

namespace {

const char* const text = R"cuda(/* pattern:
parameters: {N: 64, ROWS: 2, SHARED: 0, COUNT: 7}
structs: {Pair: 8}
buffers:
  in: {type: Pair, length: N, init: "Pair{1, 2}"}
  out: {type: double, length: 2 * N}
arguments:
  count: {type: int16_t, value: COUNT}
  scale: {type: double, value: 3}
  ratio: {type: float, value: 0.5}
launch: {grid: [N / 32, ROWS], block: [32, 1, 2], shared: SHARED}
useful: {read: N * sizeof(Pair), write: 2 * N * 8}
verify: {out: "out[i] == 1"}
*/
struct Pair { float x, y; };
__global__ void work(const Pair* in, double* out, int16_t count, double scale, float ratio) {}
)cuda";

CompiledConfiguration compiled() {
  return {std::make_shared<Program>(), {{{"kernel"}}, {"init", ""}, {"check"}, {}, {"", ""}}, {}};
}

Workload workload_with(const Bindings& given) {
  return make_workload(resolve(pattern_from_text("work", text), given), compiled());
}

std::string failure_with(const Bindings& given) {
  try {
    workload_with(given);
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
  return "no failure";
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_launch_may_have_clusters_and_wait_for_all_blocks) {
  std::string cooperative = text;
  cooperative.replace(cooperative.find("shared: SHARED"), 14,
                      "shared: SHARED, cluster: [ROWS, 1], cooperative: N > 64");
  const PatternPtr pattern = pattern_from_text("work", cooperative);
  const auto launch = [&](const Bindings& given) {
    return make_workload(resolve(pattern, given), compiled()).launches.front();
  };
  BOOST_TEST(!launch({}).is_cooperative);
  const LaunchPlan other = launch(integers({{"N", 128}, {"ROWS", 4}}));
  BOOST_TEST(other.is_cooperative);
  BOOST_TEST(other.cluster.x == 4U);
  BOOST_TEST(other.cluster.count() == 4U);
  BOOST_TEST(!make_workload(resolve(pattern_from_text("work", text), {}), compiled())
                  .launches.front()
                  .has_cluster());
}

BOOST_AUTO_TEST_CASE(a_launch_may_have_an_access_policy_window) {
  const auto plan = [](const std::string& keys, const Bindings& given = {}) {
    std::string windowed = text;
    windowed.replace(windowed.find("shared: SHARED"), 14,
                     "access_policy_window: {buffer: out, " + keys + "}");
    const PatternPtr pattern = pattern_from_text("work", windowed);
    return make_workload(resolve(pattern, given), compiled()).launches.front().window;
  };
  const AccessPolicyPlan plain = plan("bytes: 8 * N");
  BOOST_TEST(plain.buffer == 1U);
  BOOST_TEST(plain.bytes == 512U);
  BOOST_TEST(plain.hit_ratio == 1);
  BOOST_TEST(plain.set_aside == 512U);
  BOOST_TEST(plain.takes_less);
  const AccessPolicyPlan other =
      plan("bytes: 0, hit_ratio: COUNT / 10, set_aside: 4 Ki", integers({{"COUNT", 6}}));
  BOOST_TEST(other.bytes == 0U);
  BOOST_TEST(other.hit_ratio == 0.6);
  BOOST_TEST(other.set_aside == 4096U);
  BOOST_TEST(!other.takes_less);
  const auto failure = [&](const std::string& keys) {
    try {
      plan(keys);
    } catch (const ExecutionFailure& error) {
      return std::string(error.what());
    }
    return std::string("no failure");
  };
  BOOST_TEST(failure("bytes: 16 * N") == "no failure");
  BOOST_TEST(failure("bytes: 16 * N + 1") ==
             "bad launch: the access policy window has 1025 bytes, the buffer 'out' has 1024");
  BOOST_TEST(failure("bytes: 1, hit_ratio: COUNT") ==
             "bad launch: the hit ratio COUNT = 7 is not between 0 and 1");
  BOOST_TEST(failure("bytes: 1, hit_ratio: 1 / (COUNT - 7)") ==
             "bad launch: the hit ratio 1 / (COUNT - 7) is not between 0 and 1");
}

BOOST_AUTO_TEST_CASE(times_of_launches_are_summed_by_step) {
  std::vector<LaunchPlan> launches(4);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    launches[i].step = launches[i].kernel_entry = i == 0 ? "sums" : "add";
  }
  BOOST_TEST(note_on_steps(launches, std::vector<double>{12.3e-6, 1e-6, 2e-6, 4.5e-6}) ==
             "its steps, timed apart: sums 12.30 us, add 7.50 us (3 launches)");
}

BOOST_AUTO_TEST_CASE(a_program_of_another_pattern_is_refused) {
  const Configuration configuration = resolve(pattern_from_text("work", text), {});
  const CompiledConfiguration without_init{
      std::make_shared<Program>(), {{{"kernel"}}, {}, {"check"}}, {}};
  BOOST_CHECK_THROW(make_workload(configuration, without_init), ExecutionFailure);
  const CompiledConfiguration without_check{
      std::make_shared<Program>(), {{{"kernel"}}, {"init", ""}, {}}, {}};
  BOOST_CHECK_THROW(make_workload(configuration, without_check), ExecutionFailure);
}

BOOST_AUTO_TEST_CASE(sizes_follow_from_the_configuration) {
  const Workload workload = workload_with(integers({{"N", 96}, {"SHARED", 1024}}));
  BOOST_REQUIRE(workload.buffers.size() == 2U);
  BOOST_TEST(workload.buffers[0].length == 96U);
  BOOST_TEST(workload.buffers[0].bytes == 96U * 8);
  BOOST_TEST(workload.buffers[0].init_entry == "init");
  BOOST_TEST(workload.buffers[1].bytes == 2U * 96 * 8);
  BOOST_TEST(workload.buffers[1].init_entry.empty());
  BOOST_TEST(workload.launches.front().grid.x == 3U);
  BOOST_TEST(workload.launches.front().grid.y == 2U);
  BOOST_TEST(workload.launches.front().grid.z == 1U);
  BOOST_TEST(workload.launches.front().block.count() == 64U);
  BOOST_TEST(workload.launches.front().shared_bytes == 1024U);
  BOOST_REQUIRE(workload.verify.size() == 1U);
  BOOST_TEST(workload.verify[0].length == 192U);
  BOOST_TEST(workload.verify[0].check_entry == "check");
}

BOOST_AUTO_TEST_CASE(scalars_are_bytes_of_their_type) {
  const Workload workload = workload_with({});
  BOOST_REQUIRE(workload.scalars.size() == 3U);
  std::int16_t count = 0;
  double scale = 0;
  float half = 0;
  BOOST_REQUIRE(workload.scalars[0].size() == sizeof count);
  BOOST_REQUIRE(workload.scalars[1].size() == sizeof scale);
  std::memcpy(&count, workload.scalars[0].data(), sizeof count);
  std::memcpy(&scale, workload.scalars[1].data(), sizeof scale);
  BOOST_TEST(count == 7);
  BOOST_TEST(scale == 3.0);
  BOOST_REQUIRE(workload.scalars[2].size() == sizeof half);
  std::memcpy(&half, workload.scalars[2].data(), sizeof half);
  BOOST_TEST(half == 0.5F);
}

BOOST_AUTO_TEST_CASE(useful_bytes_are_reads_and_writes_together) {
  BOOST_TEST(useful_traffic_of(resolve(pattern_from_text("work", text), {})).device ==
             64U * 8 + 2 * 64 * 8);
}

BOOST_AUTO_TEST_CASE(sizes_that_make_no_sense_are_failures_with_a_reason) {
  BOOST_TEST(failure_with(integers({{"N", 0}})) ==
             "the buffer 'in' has a length of 0: it must be 1 or more");
  BOOST_TEST(failure_with(integers({{"ROWS", 0}})) ==
             "bad launch: grid ROWS = 0: an extent is at least 1 and at most 4294967295");
  BOOST_TEST(failure_with(integers({{"SHARED", -1}})) == "shared memory SHARED = -1 is negative");
  BOOST_TEST(failure_with(integers({{"COUNT", 40000}})) ==
             "the argument 'count' = 40000 does not fit the type int16_t");
  BOOST_TEST(
      failure_with(integers({{"N", std::int64_t{1} << 61}})) ==
      "the buffer 'in' of 2305843009213693952 elements of 8 bytes is larger than any memory");
}

namespace {

const PatternPtr& placed_pattern() {
  static const PatternPtr pattern = [] {
    std::string placed = text;
    placed.replace(placed.find("{N: 64,"), 7, "{WHERE: {type: place, default: device}, N: 64,");
    placed.replace(placed.find("2 * N}"), 6, "2 * N, place: WHERE, peer: ROWS}");
    return pattern_from_text("work", placed);
  }();
  return pattern;
}

Configuration placed(std::string_view place, std::int64_t peer) {
  Bindings given = integers({{"ROWS", peer}});
  given.set("WHERE", std::string(place));
  return resolve(placed_pattern(), given);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_buffer_has_the_place_that_its_expression_comes_to) {
  const Workload workload = make_workload(placed("managed_peer", 3), compiled());
  BOOST_TEST((workload.buffers[0].place == Place::device));
  BOOST_TEST((workload.buffers[1].place == Place::managed_peer));
  BOOST_TEST(workload.buffers[1].peer == 3);
  const UsefulTraffic useful = useful_traffic_of(placed("managed_peer", 3));
  BOOST_TEST((useful.place == Place::managed_peer));
  BOOST_TEST(useful.peer == 3);
  BOOST_TEST((useful_traffic_of(placed("compressed", 1)).place == Place::device));
}

BOOST_AUTO_TEST_CASE(what_a_device_has_no_place_for_is_left_out_with_the_reason) {
  Space space;
  space.configurations = {placed("device", 1), placed("peer", 1),    placed("peer", 2),
                          placed("peer", 3),   placed("managed", 1), placed("compressed", 1)};
  Space emulated = space;
  Device device;
  device.backend = "cuda";
  device.reach.peers = {{1, 0}};
  device.reach.has_managed_memory = true;
  const std::vector<Removed> removed = leave_out_unplaced(space, device);
  BOOST_TEST(space.configurations.size() == 3U);
  BOOST_REQUIRE(removed.size() == 3U);
  BOOST_TEST(removed[0].constraint == "there is no peer 2: this GPU reaches the memory of 1 other");
  BOOST_TEST(removed[2].constraint == "this GPU, or its driver, does not compress memory");
  BOOST_TEST(space.removed.size() == 3U);
  device.backend = "emulator";
  BOOST_TEST(leave_out_unplaced(emulated, device).empty());
}

BOOST_AUTO_TEST_CASE(a_copy_engine_copies_no_more_than_the_buffers_have) {
  std::string copied = text;
  copied.replace(copied.find("shared: SHARED"), 14,
                 "shared: SHARED, copy_engine: {from: out, to: in, bytes: COUNT}");
  const PatternPtr pattern = pattern_from_text("work", copied);
  const auto workload = [&](std::int64_t bytes) {
    return make_workload(resolve(pattern, integers({{"COUNT", bytes}})), compiled());
  };
  BOOST_TEST(workload(512).launches.front().copy.bytes == 512U);
  BOOST_TEST(workload(512).launches.front().copy.from == 1U);
  BOOST_TEST(workload(512).launches.front().copy.to == 0U);
  BOOST_CHECK_EXCEPTION(workload(513), ExecutionFailure, [](const ExecutionFailure& failure) {
    return std::string(failure.what()) ==
           "bad launch: the copy engine is to copy 513 bytes, the buffer 'in' has 512";
  });
}

BOOST_AUTO_TEST_SUITE_END()
