#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <cmath>
#include <optional>

#include "engine/cuda/cuda_backend.h"
#include "engine/run/worker.h"
#include "tests/cuda/cupti_precondition.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(gpu_counters)

namespace {

/// A copy of N floats with STRIDE between neighbouring lanes' reads; what FAULT makes of it ends
/// badly.
const char* const copying = R"cuda(/* pattern:
parameters: {N: 1 Mi, STRIDE: 1, FAULT: 0}
buffers:
  in: {type: float, length: N * STRIDE, init: "float(i % 101)"}
  out: {type: float, length: N}
launch: {grid: N / 256, block: 256}
useful: {read: 4 * N, write: 4 * N}
verify: {out: "out[i] == float(i * STRIDE % 101)"}
*/
__global__ void copying(const float* in, float* out) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  out[i + (size_t(FAULT) << 40)] = in[i * STRIDE];
}
)cuda";

/// A column of a tile in shared memory: every lane in the same bank.
const char* const column = R"cuda(/* pattern:
buffers: {out: {type: float, length: 1024}}
launch: {grid: 1, block: 1024}
useful: {write: 4096}
verify: "out[i] == float(i % 32 * 32 + i / 32)"
*/
__global__ void column(float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x / 32][threadIdx.x % 32] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}
)cuda";

/// A copy of N floats whose loads or stores take another way: KIND 0 the usual one, 1 loads and 2
/// stores by addresses of which only the value says what memory they lead to, 3 loads by cp.async,
/// 4 some warps of which no lane, and some of which half the lanes take part.
const char* const ways = R"cuda(/* pattern:
parameters: {N: 64 Ki, KIND: 0}
buffers:
  in: {type: float, length: N, init: "float(i % 101)"}
  out: {type: float, length: N}
launch: {grid: N / 256, block: 256}
useful: {read: 4 * N, write: 4 * N}
verify: {out: "true"}
*/
__global__ void ways(const float* in, float* out) {
  __shared__ float tile[256];
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  tile[threadIdx.x] = 1;
  __syncthreads();
  float value = 2;
  if constexpr (KIND == 1) {
    const float* from = threadIdx.x / 64 % 2 == 0 ? tile + threadIdx.x : in + i;
    asm volatile("ld.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    out[i] = value;
  } else if constexpr (KIND == 2) {
    float* to = threadIdx.x / 64 % 2 == 0 ? tile + threadIdx.x : out + i;
    asm volatile("st.f32 [%0], %1;" ::"l"(to), "f"(in[i]) : "memory");
  } else if constexpr (KIND == 3) {
    const auto to = unsigned(__cvta_generic_to_shared(tile + threadIdx.x));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + i) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = tile[threadIdx.x];
  } else if constexpr (KIND == 4) {
    const int takes_part = threadIdx.x / 32 % 2 == 0 && threadIdx.x % 2 == 0;
    asm volatile(
        "{ .reg .pred p; setp.ne.s32 p, %1, 0; @p ld.global.f32 %0, [%2]; @p st.global.f32 [%3], %0; }"
        : "+f"(value)
        : "r"(takes_part), "l"(in + i), "l"(out + i)
        : "memory");
  } else {
    out[i] = in[i];
  }
}
)cuda";

/// A copy of a module that has a variable, and so is loaded anew for each launch.
const char* const variable = R"cuda(/* pattern:
parameters: {N: 64 Ki, ADDED: 0}
buffers:
  in: {type: float, length: N, init: "float(i % 101)"}
  out: {type: float, length: N}
launch: {grid: N / 256, block: 256}
useful: {read: 4 * N, write: 4 * N}
verify: {out: "out[i] == float(i % 101 + ADDED)"}
*/
__device__ int added = ADDED;
__global__ void variable(const float* in, float* out) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  if (in[i] < 0) added = threadIdx.x;
  out[i] = in[i] + added;
}
)cuda";

Workload copy_by(std::int64_t kind) {
  return compiled_workload("ways", ways, integers({{"KIND", kind}}));
}

Workload copy_of(std::int64_t elements, std::int64_t stride = 1, std::int64_t fault = 0) {
  return compiled_workload("copying", copying,
                           integers({{"N", elements}, {"STRIDE", stride}, {"FAULT", fault}}));
}

CounterResults counted(Backend& backend, const std::vector<Workload>& workloads,
                       const std::vector<std::string>& names, CacheState cache = CacheState::cold) {
  const CounterRequest request{names, cache};
  return backend.count(workloads, request, [](std::string_view) {});
}

std::optional<double> value(const Observation& observation, const std::string& name) {
  for (const Metric& metric : observation.metrics) {
    if (metric.name == name) return metric.value;
  }
  return std::nullopt;
}

boost::test_tools::assertion_result may_ask(boost::unit_test::test_unit_id unit) {
  return has_gpu(unit) && cupti_loads();
}

/// The precondition of the tests of figures: a GPU whose counters may be read.
boost::test_tools::assertion_result may_count(boost::unit_test::test_unit_id unit) {
  if (!may_ask(unit)) return false;
  static const std::vector<std::string> problems = [] {
    const auto backend = make_cuda_backend(first_gpu());
    return counted(*backend, {copy_of(1 << 10)}, {"memory"}).problems;
  }();
  for (const std::string& problem : problems) BOOST_TEST_MESSAGE(problem);
  return problems.empty();
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_stands_in_the_way_is_said_once,
                     *boost::unit_test::precondition(may_ask)) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto first = counted(*backend, {copy_of(1 << 10)}, {"memory"});
  BOOST_TEST(first.workloads.size() == 1U);
  BOOST_TEST(first.workloads.front().metrics.empty() == !first.problems.empty());
  BOOST_TEST(counted(*backend, {copy_of(1 << 10)}, {"memory"}).problems.empty());
  BOOST_TEST(backend->usable());
}

BOOST_AUTO_TEST_CASE(a_copy_has_the_requests_and_sectors_of_its_size,
                     *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    const auto results = counted(*backend, {copy_of(1 << 20)}, {"memory"}, cache);
    BOOST_TEST(results.problems.empty());
    const Observation& observation = results.workloads.front();
    BOOST_TEST(value(observation, "load_requests").value() == (1 << 20) / 32);
    BOOST_TEST(value(observation, "load_sectors").value() == (1 << 20) / 8);
    BOOST_TEST(value(observation, "load_sectors_per_request").value() == 4.0);
    BOOST_TEST(value(observation, "store_requests").value() == (1 << 20) / 32);
    BOOST_TEST(value(observation, "store_sectors").value() == (1 << 20) / 8);
    for (const Metric& metric : observation.metrics)
      BOOST_TEST((metric.origin == Origin::hardware));
  }
}

BOOST_AUTO_TEST_CASE(each_of_many_workloads_has_its_own_figures,
                     *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  // More than one session takes.
  std::vector<Workload> workloads;
  const std::vector<Workload> strides = {copy_of(1 << 12, 1), copy_of(1 << 12, 2),
                                         copy_of(1 << 12, 8), copy_of(1 << 13, 1)};
  for (std::size_t i = 0; i < 600; ++i) workloads.push_back(strides[i % strides.size()]);
  const auto results = counted(*backend, workloads, {"memory"});
  BOOST_TEST(results.problems.empty());
  const std::vector<double> sectors = {(1 << 12) / 8, (1 << 12) / 4, 1 << 12, (1 << 13) / 8};
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    BOOST_TEST(value(results.workloads[i], "load_sectors").value_or(-1) == sectors[i % 4]);
  }
}

BOOST_AUTO_TEST_CASE(modules_that_are_loaded_anew_are_counted_in_several_passes,
                     *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  std::vector<Workload> workloads;
  for (std::int64_t added = 0; added < 8; ++added) {
    workloads.push_back(compiled_workload("variable", variable, integers({{"ADDED", added}})));
  }
  for (int round = 0; round < 2; ++round) {
    const auto results = counted(*backend, workloads, {"memory", "cache", "dram"});
    BOOST_TEST(results.problems.empty());
    for (const Observation& observation : results.workloads) {
      BOOST_TEST(value(observation, "store_requests").value_or(-1) == (64 << 10) / 32);
      BOOST_TEST(value(observation, "l2_write_sectors").value_or(-1) >= (64 << 10) / 8);
    }
  }
}

BOOST_AUTO_TEST_CASE(requests_are_those_of_the_counter_of_requests,
                     *boost::unit_test::precondition(may_count)) {
  constexpr std::int64_t kinds = 5;
  const std::string counter = "l1tex__t_requests_pipe_lsu_mem_global_op_";
  const auto backend = make_cuda_backend(first_gpu());
  std::vector<Workload> workloads;
  for (std::int64_t kind = 0; kind < kinds; ++kind) workloads.push_back(copy_by(kind));
  const auto quick = counted(*backend, workloads, {"memory"});
  const auto exact = counted(*backend, workloads, {counter + "ld.sum", counter + "st.sum"});
  BOOST_TEST(quick.problems.empty());
  constexpr double warps = (64 << 10) / 32;
  const std::vector<double> loads = {warps, warps / 2, warps, warps, warps / 2};
  const std::vector<double> stores = {warps, warps, warps / 2, warps, warps / 2};
  for (std::size_t kind = 0; kind < workloads.size(); ++kind) {
    BOOST_TEST_CONTEXT("kind " << kind) {
      const Observation& observation = quick.workloads[kind];
      BOOST_TEST(value(observation, "load_requests").value_or(-1) == loads[kind]);
      BOOST_TEST(value(observation, "store_requests").value_or(-1) == stores[kind]);
      const Observation& literal = exact.workloads[kind];
      BOOST_TEST(value(literal, counter + "ld.sum").value_or(-2) == loads[kind]);
      BOOST_TEST(value(literal, counter + "st.sum").value_or(-2) == stores[kind]);
      BOOST_TEST(observation.metrics.size() == 6U);
    }
  }
}

BOOST_AUTO_TEST_CASE(every_set_gives_all_its_metrics, *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto results = counted(*backend, {copy_of(1 << 20)}, {"cache", "dram", "instructions"});
  BOOST_TEST(results.problems.empty());
  const Observation& observation = results.workloads.front();
  for (const std::string name : {"l1_hit_rate", "l2_hit_rate", "dram_throughput"}) {
    BOOST_TEST(value(observation, name).value_or(-1) >= 0.0, name);
    BOOST_TEST(value(observation, name).value_or(101) <= 100.0, name);
  }
  BOOST_TEST(value(observation, "l2_read_sectors").value() >= (1 << 20) / 8);
  BOOST_TEST(value(observation, "instructions").value() > 4 * (1 << 20) / 32);
  // The caches were emptied: what is read comes from device memory.
  BOOST_TEST(value(observation, "dram_read_bytes").value() > 0.9 * (4 << 20));
}

BOOST_AUTO_TEST_CASE(bank_conflicts_are_counted, *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto results = counted(*backend, {compiled_workload("column", column)}, {"shared"});
  const Observation& observation = results.workloads.front();
  BOOST_TEST(value(observation, "shared_load_requests").value() == 32.0);
  BOOST_TEST(value(observation, "shared_load_ideal_wavefronts").value() == 32.0);
  BOOST_TEST(value(observation, "shared_load_wavefronts").value() == 1024.0);
  BOOST_TEST(value(observation, "shared_load_conflicts").value() == 31 * 32.0);
  BOOST_TEST(value(observation, "shared_store_wavefronts_per_request").value() == 1.0);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_left_out_with_a_suggestion,
                     *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  const std::string wrong = "smsp__inst_execute.sum";
  const auto results =
      counted(*backend, {copy_of(1 << 12)}, {wrong, "load_sectors", "smsp__inst_executed.sum"});
  BOOST_REQUIRE(results.problems.size() == 1U);
  BOOST_TEST(results.problems.front().ends_with(
      "has no counter '" + wrong +
      "', so it is left out; did you mean 'smsp__inst_executed.sum'?"));
  BOOST_TEST(results.workloads.front().metrics.size() == 2U);
  BOOST_TEST(value(results.workloads.front(), "load_sectors").value() == (1 << 12) / 8);
}

BOOST_AUTO_TEST_CASE(what_cannot_run_is_left_out_and_the_others_counted,
                     *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto results = counted(
      *backend, {copy_of(1 << 12), copy_of(std::int64_t{1} << 38), copy_of(1 << 13)}, {"memory"});
  BOOST_TEST(value(results.workloads[0], "load_sectors").value() == (1 << 12) / 8);
  BOOST_TEST(results.workloads[1].metrics.empty());
  BOOST_REQUIRE(results.workloads[1].notes.size() == 1U);
  BOOST_TEST(
      results.workloads[1].notes.front().starts_with("its hardware counters were not read: "));
  BOOST_TEST(value(results.workloads[2], "load_sectors").value() == (1 << 13) / 8);
  BOOST_TEST(backend->usable());
}

BOOST_AUTO_TEST_CASE(counting_leaves_timing_as_it_was, *boost::unit_test::precondition(may_count)) {
  const auto backend = make_cuda_backend(first_gpu());
  LocalMeasurer measurer(*backend);
  MeasureRules rules;
  rules.seconds = 0.2;
  Workload workload = copy_of(64 << 20);
  workload.useful.device = 512 << 20;
  const auto time = [&] {
    const PointRecord point = measurer.measure(workload, rules).point;
    BOOST_TEST(point.reason == "");
    const auto found = std::ranges::find(point.metrics, "time", &Metric::name);
    return found != point.metrics.end() ? found->value : 0;
  };
  time();
  const double before = time();
  BOOST_TEST(counted(*backend, {workload}, {"memory"}).problems.empty());
  const double after = time();
  BOOST_TEST(std::abs(after / before - 1) < 0.05, before << " us before, " << after << " after");
}

BOOST_AUTO_TEST_CASE(a_kernel_that_faults_while_counted_costs_its_session_and_the_next_works,
                     *boost::unit_test::precondition(may_count)) {
  WorkerMeasurer measurer({SWEEP_PROGRAM, "worker", "0"});
  const CounterRequest request{{"memory"}, CacheState::cold};
  const std::vector<Workload> faulty = {copy_of(1 << 12), copy_of(1 << 12, 1, 1)};
  const CounterResults failed = measurer.count(faulty, request);
  BOOST_REQUIRE(failed.problems.size() == 1U);
  BOOST_TEST(failed.problems.front().find("illegal address") != std::string::npos);
  const std::vector<Workload> good = {copy_of(1 << 12)};
  const CounterResults next = measurer.count(good, request);
  BOOST_TEST(next.problems.empty());
  BOOST_TEST(value(next.workloads.front(), "load_sectors").value() == (1 << 12) / 8);
}

BOOST_AUTO_TEST_SUITE_END()
