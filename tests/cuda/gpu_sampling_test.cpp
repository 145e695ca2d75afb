#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <chrono>

#include "engine/cuda/cuda_context.h"
#include "engine/cuda/cuda_execution.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace gpu_sampling {
namespace {

/// One thread follows STEPS links that are 4 KiB apart: its time is the latency of memory.
const char* const chase = R"cuda(/* pattern:
parameters: {STEPS: 64, LENGTH: 1 Mi}
buffers:
  links: {type: uint32_t, length: LENGTH, init: "uint32_t(i + 1024)"}
  out: {type: uint32_t, length: 1}
launch: {grid: 1, block: 1}
useful: {read: STEPS * 4}
verify: {out: "out[i] == STEPS * 1024u"}
*/
__global__ void chase(const uint32_t* links, uint32_t* out) {
  uint32_t at = 0;
  for (int step = 0; step < STEPS; ++step) at = links[at];
  out[0] = at;
}
)cuda";

const char* const increment = R"cuda(/* pattern:
parameters: {LENGTH: 1024}
buffers: {data: {type: int, length: LENGTH, init: "int(i)"}}
launch: {grid: LENGTH / 256, block: 256}
useful: {read: LENGTH * 4, write: LENGTH * 4}
verify: "data[i] == int(i) + 1"
*/
__global__ void increment(int* data) { data[size_t(blockIdx.x) * 256 + threadIdx.x] += 1; }
)cuda";

/// Reads a range once, and a stream of six times its size, which exceeds the L2.
const char* const beside_a_stream = R"cuda(/* pattern:
parameters: {RANGE: 16 Mi, WINDOW: 0, TIMES: 6}
buffers:
  range: {type: uint4, length: RANGE / 4 Ki * 256, init: "splat<uint4>(1)"}
  stream: {type: uint4, length: TIMES * (RANGE / 4 Ki * 256), init: "splat<uint4>(1)"}
  out: {type: uint32_t, length: RANGE / 4 Ki * 256}
launch:
  grid: RANGE / 4 Ki
  block: 256
  access_policy_window: {buffer: range, bytes: "WINDOW / 4 Ki * 4 Ki"}
useful: {read: (1 + TIMES) * RANGE}
verify: {out: "out[i] == 1 + TIMES"}
*/
__global__ void beside_a_stream(const uint4* range, const uint4* stream, uint32_t* out) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  uint32_t sum = range[i].x;
#pragma unroll
  for (int k = 0; k < TIMES; ++k) sum += stream[i + k * (RANGE / 4096 * 256)].x;
  out[i] = sum;
}
)cuda";

double median_of(std::vector<Sample> samples) {
  BOOST_REQUIRE(!samples.empty());
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::seconds);
  return middle->seconds;
}

/// An execution that has been initialised and launched once.
struct Started {
  Started(CudaContext& context, const Workload& workload) : execution(context, workload) {
    execution.initialise();
    execution.launch();
  }
  CudaExecution execution;
};

}  // namespace
}  // namespace gpu_sampling

BOOST_AUTO_TEST_SUITE(gpu_sampling, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(a_cold_cache_costs_and_a_warm_one_does_not) {
  CudaContext context(first_gpu());
  Started started(context, compiled_workload("chase", chase));
  CudaExecution& execution = started.execution;
  const double cold = median_of(execution.sample(CacheState::cold, 20));
  const int cold_launches = execution.launches_per_sample();
  const double warm = median_of(execution.sample(CacheState::warm, 20));
  BOOST_TEST_MESSAGE("64 links: cold " << cold * 1e6 << " us, warm " << warm * 1e6 << " us");
  BOOST_TEST(warm < 0.8 * cold);
  // The warm samples in between changed nothing.
  const double again = median_of(execution.sample(CacheState::cold, 20));
  BOOST_TEST(again == cold, boost::test_tools::tolerance(0.1));
  BOOST_TEST(execution.launches_per_sample() == cold_launches);
}

BOOST_AUTO_TEST_CASE(every_launch_of_a_cold_batch_finds_a_cold_cache) {
  CudaContext context(first_gpu());
  // Short enough for a batch; the time of a link is that of a long launch of one.
  const auto seconds = [&](int steps, CacheState cache, int& launches) {
    Started started(context, compiled_workload("chase", chase, integers({{"STEPS", steps}})));
    const double median = median_of(started.execution.sample(cache, 20));
    launches = started.execution.launches_per_sample();
    return median;
  };
  int few = 0;
  int many = 0;
  const double cold_link =
      (seconds(16, CacheState::cold, few) - seconds(1, CacheState::cold, many)) / 15;
  BOOST_TEST(few > 1);
  BOOST_TEST(many > 1);
  const double long_link =
      (seconds(512, CacheState::cold, many) - seconds(256, CacheState::cold, few)) / 256;
  BOOST_TEST(many == 1);
  const double warm_link =
      (seconds(512, CacheState::warm, many) - seconds(256, CacheState::warm, few)) / 256;
  BOOST_TEST_MESSAGE("a link: cold " << cold_link * 1e9 << " ns in batches, " << long_link * 1e9
                                     << " ns alone; warm " << warm_link * 1e9 << " ns");
  BOOST_TEST(cold_link > (warm_link + long_link) / 2);
}

BOOST_AUTO_TEST_CASE(what_persists_does_so_from_launch_to_launch_and_not_in_cold_samples) {
  CudaContext context(first_gpu());
  const auto most = Driver::get().device_attribute.value(
      CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, context.primary.device());
  if (most == 0) return;
  const auto limit = [] {
    return Driver::get().context_limit.value(CU_LIMIT_PERSISTING_L2_CACHE_SIZE);
  };
  const std::size_t before = limit();
  const auto seconds = [&](std::int64_t window, CacheState cache) {
    Started started(context,
                    compiled_workload("beside_a_stream", beside_a_stream,
                                      integers({{"WINDOW", window}, {"RANGE", most / 2}})));
    BOOST_TEST((window == 0) == (limit() == before));
    return median_of(started.execution.sample(cache, 20));
  };
  const double warm = seconds(0, CacheState::warm);
  const double persisting = seconds(most / 2, CacheState::warm);
  BOOST_TEST(limit() == before);
  const double cold = seconds(0, CacheState::cold);
  const double reset = seconds(most / 2, CacheState::cold);
  BOOST_TEST_MESSAGE("warm " << warm * 1e6 << " us, with a window " << persisting * 1e6
                             << " us; cold " << cold * 1e6 << " us, with a window " << reset * 1e6
                             << " us");
  BOOST_TEST(persisting < 0.95 * warm);
  BOOST_TEST(reset > 0.95 * cold);
}

BOOST_DATA_TEST_CASE(a_tiny_kernel_is_timed_in_batches_long_enough_for_the_clock,
                     data::make({false, true}), warm) {
  const CacheState cache = warm ? CacheState::warm : CacheState::cold;
  CudaContext context(first_gpu());
  Started started(context, compiled_workload("increment", increment));
  const auto samples = started.execution.sample(cache, 30);
  const int launches = started.execution.launches_per_sample();
  const double median = median_of(samples);
  BOOST_TEST_MESSAGE(cache_state_names.at(static_cast<std::size_t>(cache))
                     << ": " << launches << " launches a sample, " << median * 1e6 << " us each");
  BOOST_TEST(launches > 1);
  BOOST_TEST(median > 0.2e-6);
  BOOST_TEST(median < 50e-6);
  BOOST_TEST((launches == most_launches_per_sample ||
              median * launches > 0.5 * sample_target(context.event_step)));
}

BOOST_AUTO_TEST_CASE(buffers_too_large_for_copies_are_timed_in_rounds) {
  constexpr int five_gibi_of_integers = 5 << 28;
  CudaContext context(first_gpu());
  if (context.device.memory_bytes < std::uint64_t{8} << 30U) return;
  Started started(context,
                  compiled_workload("chase", chase,
                                    integers({{"STEPS", 8}, {"LENGTH", five_gibi_of_integers}})));
  const double median = median_of(started.execution.sample(CacheState::cold, 10));
  BOOST_TEST_MESSAGE(started.execution.launches_per_sample()
                     << " rounds a sample, " << median * 1e6 << " us each");
  BOOST_TEST(started.execution.launches_per_sample() > 1);
  BOOST_TEST(started.execution.launches_per_sample() <= most_rounds_per_sample);
  BOOST_TEST(median > 0.5e-6);
  BOOST_TEST(median < 100e-6);
}

BOOST_DATA_TEST_CASE(as_many_samples_come_as_are_asked_for, data::make({1, 5, 64, 65, 200}),
                     count) {
  CudaContext context(first_gpu());
  Started started(context, compiled_workload("increment", increment));
  const auto samples = started.execution.sample(CacheState::cold, count);
  BOOST_TEST(samples.size() == static_cast<std::size_t>(count));
  for (const Sample& sample : samples) BOOST_TEST(sample.seconds > 0);
}

BOOST_AUTO_TEST_CASE(samples_know_the_clock_they_were_taken_at) {
  CudaContext context(first_gpu());
  Started started(context,
                  compiled_workload("increment", increment, integers({{"LENGTH", 1 << 28}})));
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    for (const Sample& sample : started.execution.sample(cache, 10)) {
      BOOST_TEST(sample.sm_clock_hz > 100e6);
      BOOST_TEST(sample.sm_clock_hz < 5e9);
    }
  }
}

BOOST_AUTO_TEST_CASE(samples_behind_a_gate_that_gave_up_do_not_count) {
  CudaContext context(first_gpu());
  const auto patience = context.blocking_kernel.patience;
  const Workload workload = compiled_workload("increment", increment);
  {
    Started started(context, workload);
    context.blocking_kernel.patience = std::chrono::nanoseconds(0);
    // 64 samples take the host far longer to queue than the kernel to give up.
    BOOST_CHECK_EXCEPTION(started.execution.sample(CacheState::cold, 64), ExecutionFailure,
                          [](const ExecutionFailure& failure) {
                            return std::string(failure.what()).starts_with("nothing was timed: ");
                          });
  }
  BOOST_TEST(!context.poisoned);
  context.blocking_kernel.patience = patience;
  Started started(context, workload);
  BOOST_TEST(started.execution.sample(CacheState::cold, 3).size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_device_is_busy_for_some_of_the_time) {
  CudaContext context(first_gpu());
  const Workload workload =
      compiled_workload("increment", increment, integers({{"LENGTH", 1 << 26}}));
  const auto begin = std::chrono::steady_clock::now();
  CudaExecution execution(context, workload);
  BOOST_TEST(execution.busy_seconds() == 0);
  double last = 0;
  const auto grows = [&] {
    const bool does = execution.busy_seconds() > last;
    last = execution.busy_seconds();
    return does;
  };
  execution.initialise();
  BOOST_TEST(grows());
  execution.launch();
  BOOST_TEST(grows());
  BOOST_TEST(execution.verify().value_or("correct") == "correct");
  BOOST_TEST(grows());
  double timed = 0;
  for (const Sample& sample : execution.sample(CacheState::cold, 50)) timed += sample.seconds;
  BOOST_TEST(grows());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  BOOST_TEST_MESSAGE("busy " << last * 1e3 << " ms of " << wall.count() * 1e3 << " ms, timed "
                             << timed * 1e3 << " ms");
  BOOST_TEST(last >= timed);
  BOOST_TEST(last <= wall.count());
}

BOOST_AUTO_TEST_CASE(a_configuration_is_correct_as_often_as_it_is_measured) {
  CudaContext context(first_gpu());
  const Workload workload = compiled_workload("increment", increment);
  const auto run = [&] {
    const auto begin = std::chrono::steady_clock::now();
    CudaExecution execution(context, workload);
    execution.initialise();
    execution.launch();
    BOOST_TEST(!execution.verify().has_value());
    execution.sample(CacheState::cold, 10);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    return wall.count() - execution.busy_seconds();
  };
  run();
  std::vector<double> costs;
  for (int i = 0; i < 21; ++i) costs.push_back(run());
  std::ranges::nth_element(costs, costs.begin() + 10);
  BOOST_TEST_MESSAGE("a configuration costs the engine " << costs[10] * 1e6 << " us");
}

BOOST_AUTO_TEST_SUITE_END()
