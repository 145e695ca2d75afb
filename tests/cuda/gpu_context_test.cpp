#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/cuda/cuda_backend.h"
#include "engine/cuda/cuda_context.h"
#include "engine/cuda/cuda_execution.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;

namespace gpu_context {
namespace {

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;

const char* const counting = R"cuda(/* pattern:
buffers: {data: {type: int, length: 256}}
launch: {grid: 1, block: 256}
useful: {write: 1024}
verify: "data[i] == 1"
*/
__device__ int launches;
__global__ void counting(int* data) {
  if (threadIdx.x == 0) ++launches;
  __syncthreads();
  data[threadIdx.x] = launches;
}
)cuda";

const char* const plain = R"cuda(/* pattern:
parameters: {ADDED: 1}
buffers: {data: {type: int, length: 256, init: "int(i)"}}
launch: {grid: 1, block: 256}
useful: {write: 1024}
verify: "data[i] == int(i) + ADDED"
*/
__global__ void plain(int* data) { data[threadIdx.x] += ADDED; }
)cuda";

/// Initialise, launch once, verify: the mismatch, or "correct".
std::string outcome(CudaContext& context, const Workload& workload) {
  CudaExecution execution(context, workload);
  execution.initialise();
  execution.launch();
  return execution.verify().value_or("correct");
}

}  // namespace
}  // namespace gpu_context

BOOST_AUTO_TEST_SUITE(gpu_context, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(clocks_have_plausible_steps) {
  const CudaContext context(first_gpu());
  BOOST_TEST_MESSAGE("event clock step " << context.event_step * 1e9 << " ns, timer step "
                                         << context.stamps.timer_step() << " ns");
  BOOST_TEST(context.event_step >= 1e-9);
  BOOST_TEST(context.event_step <= 1e-6);
  BOOST_TEST(context.stamps.timer_step() > 0U);
  BOOST_TEST(context.stamps.timer_step() < 10'000'000U);
}

BOOST_AUTO_TEST_CASE(a_held_stream_waits_for_its_release) {
  using namespace std::chrono_literals;
  CudaContext context(first_gpu());
  StreamHold hold(context.blocking_kernel, 5s);
  record(context.end, context.stream.get());
  const auto begin = std::chrono::steady_clock::now();
  std::thread opener([&] {
    std::this_thread::sleep_for(50ms);
    hold.release();
  });
  synchronize(context.stream.get());
  const auto waited = std::chrono::steady_clock::now() - begin;
  opener.join();
  BOOST_TEST((waited > 40ms));
  BOOST_TEST((waited < 4s));
  BOOST_TEST(!context.blocking_kernel.gave_up());
}

BOOST_AUTO_TEST_CASE(a_gate_gives_up_when_nobody_opens_it) {
  CudaContext context(first_gpu());
  {
    const StreamHold hold(context.blocking_kernel, std::chrono::milliseconds(20));
    record(context.end, context.stream.get());
    synchronize(context.stream.get());
    BOOST_TEST(context.blocking_kernel.gave_up());
  }
  {
    const StreamHold hold(context.blocking_kernel, std::chrono::seconds(5));
    record(context.end, context.stream.get());
  }
  synchronize(context.stream.get());
  BOOST_TEST(!context.blocking_kernel.gave_up());
}

BOOST_AUTO_TEST_CASE(stamps_see_every_multiprocessor_and_give_the_clock) {
  CudaContext context(first_gpu());
  constexpr std::size_t flushes = 20;
  context.stamps.queue_reset(2);
  context.stamps.queue(0);
  for (std::size_t i = 0; i < flushes; ++i) context.flush.run(context.stream.get());
  context.stamps.queue(1);
  context.stamps.queue_fetch(2);
  synchronize(context.stream.get());
  const auto seen = std::ranges::count_if(
      context.stamps.round(0), [](const ClockStamp& stamp) { return stamp.nanoseconds != 0; });
  BOOST_TEST_MESSAGE(seen << " of " << first_gpu().multiprocessors << " multiprocessors seen");
  BOOST_TEST(seen > first_gpu().multiprocessors / 2);
  const double clock =
      mean_sm_clock(context.stamps.round(0), context.stamps.round(1), context.stamps.timer_step());
  BOOST_TEST_MESSAGE("mean clock " << clock / 1e6 << " MHz");
  BOOST_TEST(clock > 100e6);
  BOOST_TEST(clock < 5e9);
}

BOOST_AUTO_TEST_CASE(the_pool_keeps_blocks_that_later_sizes_fit_into) {
  CudaContext context(first_gpu());
  BufferPool& pool = context.buffers;
  pool.acquire({64 * mebi, mebi});
  const std::uint64_t first = pool.allocations();
  BOOST_TEST(first == 2U);
  pool.acquire({mebi, 64 * mebi});
  pool.acquire({32 * mebi});
  pool.acquire({});
  BOOST_TEST(pool.allocations() == first);
  pool.acquire({64 * mebi, mebi, 16 * mebi});
  BOOST_TEST(pool.allocations() == first + 1);
  const auto three = pool.acquire({64 * mebi, mebi, 16 * mebi});
  BOOST_TEST(pool.allocations() == first + 1);
  const auto more = pool.acquire_more(8 * mebi);
  BOOST_REQUIRE(more.has_value());
  BOOST_TEST((std::ranges::find(three, *more) == three.end()));
  BOOST_TEST(pool.allocations() == first + 2);
}

BOOST_AUTO_TEST_CASE(the_pool_frees_what_is_idle_before_memory_lacks) {
  CudaContext context(first_gpu());
  std::size_t free = 0;
  std::size_t total = 0;
  Driver::get().memory_info(&free, &total);
  const std::uint64_t tenth = free / 10;
  // The first two fit; the third only where one of them was, or both.
  BOOST_TEST(context.buffers.acquire({4 * tenth, 4 * tenth}).size() == 2U);
  BOOST_TEST(context.buffers.acquire({8 * tenth}).size() == 1U);
  BOOST_TEST(context.buffers.acquire({tenth, 2 * tenth, 5 * tenth}).size() == 3U);
  BOOST_TEST(!context.buffers.acquire_more(9 * tenth).has_value());
  BOOST_TEST(context.buffers.acquire({8 * tenth}).size() == 1U);
  BOOST_CHECK_THROW(context.buffers.acquire({11 * tenth}), ExecutionFailure);
  BOOST_TEST(context.buffers.acquire({mebi}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_program_stays_loaded_while_others_take_turns) {
  CudaContext context(first_gpu());
  const Workload one = compiled_workload("plain", plain);
  const Workload two = compiled_workload("plain", plain);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(outcome(context, one) == "correct");
    BOOST_TEST(outcome(context, two) == "correct");
  }
  BOOST_TEST(context.modules.loads() == 2U);
}

BOOST_AUTO_TEST_CASE(the_program_unused_for_longest_makes_way) {
  const CudaContext context(first_gpu());
  ModuleCache modules;
  std::vector<std::shared_ptr<const Program>> programs;
  for (std::size_t i = 0; i <= ModuleCache::capacity; ++i) {
    programs.push_back(std::make_shared<const Program>(Program{
        {}, ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n"}));
    modules.get(programs.back());
    modules.get(programs.front());
  }
  BOOST_TEST(modules.loads() == ModuleCache::capacity + 1);
  modules.get(programs[1]);
  BOOST_TEST(modules.loads() == ModuleCache::capacity + 2);
}

BOOST_AUTO_TEST_CASE(variables_of_a_program_start_anew_with_every_execution) {
  CudaContext context(first_gpu());
  const Workload workload = compiled_workload("counting", counting);
  for (int i = 0; i < 3; ++i) BOOST_TEST(outcome(context, workload) == "correct");
}

BOOST_AUTO_TEST_CASE(a_device_tells_its_state) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto begin = std::chrono::steady_clock::now();
  const DeviceState state = backend->state();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  BOOST_TEST_MESSAGE("state() took " << took.count() << " us: SM " << state.sm_clock_hz / 1e6
                                     << " MHz, memory " << state.memory_clock_hz / 1e6 << " MHz, "
                                     << state.temperature_celsius << " C, " << state.power_watts
                                     << " W, " << state.throttle_reasons.size()
                                     << " throttle reasons");
  const auto plausible = [](double value, double low, double high) {
    return value == 0 || (value > low && value < high);
  };
  BOOST_TEST(plausible(state.sm_clock_hz, 100e6, 5e9));
  BOOST_TEST(plausible(state.memory_clock_hz, 100e6, 50e9));
  BOOST_TEST(plausible(state.temperature_celsius, 5, 120));
  BOOST_TEST(plausible(state.power_watts, 1, 3000));
  for (const std::string& sentence : backend->disturbances()) BOOST_TEST_MESSAGE(sentence);
}

BOOST_AUTO_TEST_SUITE_END()
