#include <algorithm>
#include <boost/test/data/test_case.hpp>

#include "engine/cuda/cuda_backend.h"
#include "engine/run/measurer.h"
#include "engine/spec/pattern.h"
#include "tests/cuda/gpu_fixture.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace gpu_execution {
namespace {

/// Initialise, launch once, verify: the mismatch, or "correct".
std::string result_of(const Workload& workload) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution = backend->prepare(workload, {});
  execution->initialise();
  execution->launch();
  return execution->verify().value_or("correct");
}

/// A kernel on one buffer of 1000 ints that start as their index.
std::string on_integers(const std::string& statement, const std::string& verify) {
  return "/* pattern:\n"
         "buffers: {data: {type: int, length: 1000, init: \"int(i)\"}}\n"
         "launch: {grid: 8, block: 128}\n"
         "useful: {read: 4000}\n"
         "verify: \"" +
         verify +
         "\"\n*/\n"
         "__global__ void kernel(int* data) {\n"
         "  const int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (t < 1000) { " +
         statement + " }\n}\n";
}

/// A kernel of the user's on 1024 ints, launched so in blocks of 128.
std::string launched(const std::string& launch, const std::string& statement) {
  return "/* pattern:\n"
         "parameters: {GRID: 8}\n"
         "kernel: work\n"
         "buffers: {out: {type: int, length: 128 * GRID, init: \"0\"}}\n"
         "constants: {\"user::table\": {init: i * 3}, offset: {init: 5}}\n"
         "launch: {grid: GRID, block: 128" +
         launch +
         "}\n"
         "useful: {write: 4096}\n"
         "verify: \"out[i] == i % 64 * 3 + 5\"\n*/\n"
         "#include <cooperative_groups.h>\n"
         "namespace cg = cooperative_groups;\n"
         "namespace user { __constant__ int table[8][8]; }\n"
         "__device__ int offset;\n"
         "__global__ void work(int* out) {\n"
         "  extern __shared__ int words[];\n"
         "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
         "  const int value = user::table[i / 8 % 8][i % 8] + offset;\n  " +
         statement + "\n}\n";
}

bool has_clusters() {
  return first_gpu().compute_capability >= 90;
}

std::string failure_of(const std::string& text, const Bindings& given = {}) {
  try {
    return result_of(compiled_workload("kernel", text, given));
  } catch (const ExecutionFailure& failure) {
    return failure.what();
  }
}

}  // namespace
}  // namespace gpu_execution

BOOST_AUTO_TEST_SUITE(gpu_execution, *boost::unit_test::precondition(has_gpu))

BOOST_AUTO_TEST_CASE(a_device_describes_itself) {
  const Device& device = first_gpu();
  BOOST_TEST(!device.name.empty());
  BOOST_TEST(device.uuid.starts_with("GPU-"));
  BOOST_TEST(device.compute_capability >= 50);
  BOOST_TEST(device.multiprocessors > 0);
  BOOST_TEST(device.l2_bytes > 0U);
  BOOST_TEST(device.memory_bytes > 1U << 30U);
  BOOST_TEST(device.peak_bandwidth() > 1e10);
}

BOOST_AUTO_TEST_CASE(the_driver_says_what_a_kernel_takes) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution =
      backend->prepare(compiled_workload("kernel", on_integers("data[t] += 5;", "true")), {});
  const Observation observed = execution->observe();
  const auto value = [&](std::string_view name) {
    for (const Metric& metric : observed.metrics) {
      if (metric.name == name && metric.origin == Origin::measured) return metric.value;
    }
    return -1.0;
  };
  BOOST_TEST(value("registers") > 0);
  BOOST_TEST(value("static_shared_bytes") == 0);
  BOOST_TEST(value("local_bytes") == 0);
  BOOST_TEST(value("resident_blocks") > 0);
  BOOST_TEST(value("occupancy") > 0);
  BOOST_TEST(value("occupancy") <= 100);
  // The driver's own figure is that of the rules.
  BOOST_TEST(
      value("resident_blocks") ==
      std::min({value("blocks_by_slots"), value("blocks_by_warps"), value("blocks_by_registers")}));
}

BOOST_AUTO_TEST_CASE(launches_draw_energy) {
  const auto backend = make_cuda_backend(first_gpu());
  if (!backend->energy_joules()) return;  // older than Volta, or NVML is not there
  MeasureRules rules;
  rules.energy_seconds = 1;
  const Measurement measured =
      measure(*backend, compiled_workload("kernel", on_integers("data[t] += 5;", "true")), rules,
              steady_clock(), [](std::string_view) {});
  const auto& metrics = measured.point.metrics;
  const auto energy = std::ranges::find(metrics, "energy", &Metric::name);
  const auto time = std::ranges::find(metrics, "time", &Metric::name);
  BOOST_TEST_REQUIRE((energy != metrics.end()));
  // Launches as short as this one wait for each other, at most 100 us.
  BOOST_TEST(energy->value * 1e-3 > time->value * 1e-6);  // 1 W
  BOOST_TEST(energy->value * 1e-3 < 2000 * 100e-6);
}

BOOST_AUTO_TEST_CASE(init_and_one_launch_give_what_verify_says) {
  BOOST_TEST(result_of(compiled_workload(
                 "kernel", on_integers("data[t] += 5;", "data[i] == i + 5"))) == "correct");
}

BOOST_AUTO_TEST_CASE(a_named_kernel_gets_the_arguments_that_the_header_lists) {
  const Workload workload = compiled_workload(
      "any",
      "/* pattern:\nparameters: {T: {type: element, default: int}, BY: 5}\n"
      "buffers: {data: {type: T, length: 1000, init: \"int(i)\"}}\n"
      "kernel: \"math::add<T, BY>\"\n"
      "arguments: [true, {fields: {end: data + 1000, step: 1.5}}, data, null, 1000]\n"
      "launch: {grid: 8, block: 128}\nuseful: {read: 4000}\n"
      "verify: \"data[i] == i + 5\"\n*/\n"
      "struct Range { char name; double step; const int* end; };\n"
      "namespace math {\ntemplate <class T, int by>\n"
      "__global__ void add(bool is_on, Range range, T* to, void* none, short n) {\n"
      "  const int t = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  const bool is_right = is_on && range.name == 0 && range.step == 1.5 &&\n"
      "                        range.end == to + n && none == nullptr;\n"
      "  if (t < n && is_right) to[t] = t + by;\n}\n}\n");
  BOOST_TEST(!workload.launches.front().packing_entry.empty());
  BOOST_TEST(result_of(workload) == "correct");
  // Samples are taken on copies of the buffers, whose addresses are others.
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution = backend->prepare(workload, {});
  execution->initialise();
  execution->launch();
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    for (const Sample& sample : execution->sample(cache, 5)) BOOST_TEST(sample.seconds > 0);
  }
  BOOST_TEST(!execution->verify());
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_counted_and_shown) {
  BOOST_TEST(result_of(compiled_workload(
                 "kernel", on_integers("if (t != 700) data[t] += 5;", "data[i] == i + 5"))) ==
             "wrong result: 1 of 1,000 elements of 'data' fail the check data[i] == i + 5; the "
             "first is i = 700: 700, expected 705");
}

BOOST_AUTO_TEST_CASE(a_condition_that_is_no_equality_is_checked_too) {
  BOOST_TEST(result_of(compiled_workload(
                 "kernel", on_integers("data[t] += 5;", "data[i] > i && data[i] < 1000"))) ==
             "wrong result: 5 of 1,000 elements of 'data' fail the check data[i] > i && data[i] < "
             "1000; the first is i = 995");
}

BOOST_AUTO_TEST_CASE(a_buffer_without_init_is_poisoned) {
  const std::string text = R"cuda(/* pattern:
buffers:
  out: {type: uint16_t, length: 1000}
launch: {grid: 1, block: 32}
useful: {write: 64}
verify: "out[i] == (i < 32 ? i : 0xffff)"
*/
__global__ void fill(uint16_t* out) { out[threadIdx.x] = threadIdx.x; }
)cuda";
  BOOST_TEST(result_of(compiled_workload("fill", text)) == "correct");
}

BOOST_AUTO_TEST_CASE(structs_arguments_three_dimensions_and_large_shared_memory_work_together) {
  const std::string text = R"cuda(/* pattern:
parameters: {SHARED: 65536}
structs: {Pair: 16}
buffers:
  in: {type: Pair, length: 4096, init: "Pair{i, 0.5}"}
  out: {type: double, length: 4096}
arguments:
  bias: {type: int64_t, value: 1 << 40}
  scale: {type: float, value: 2}
launch: {grid: [4, 2, 2], block: [8, 4, 8], shared: SHARED}
useful: {read: 4096 * sizeof(Pair), write: 4096 * 8}
verify: {out: "out[i] == 2.0 * (i + 0.5) + (1ll << 40)"}
*/
struct Pair { unsigned long long index; double half; };
__global__ void mix(const Pair* in, double* out, int64_t bias, float scale) {
  extern __shared__ double staged[];
  const int block = (blockIdx.z * 2 + blockIdx.y) * 4 + blockIdx.x;
  const int thread = (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
  const int i = block * 256 + thread;
  // The last slots of the shared memory asked for.
  double* slot = &staged[SHARED / 8 - 256 + thread];
  *slot = in[i].index + in[i].half;
  out[i] = scale * *slot + bias;
}
)cuda";
  BOOST_TEST(result_of(compiled_workload("mix", text)) == "correct");
}

BOOST_AUTO_TEST_CASE(elements_of_sizes_that_the_compiler_says_are_pointers_too) {
  const std::string text = R"cuda(/* pattern:
parameters: {N: 256}
buffers:
  data: {type: float, length: 2 * N}
  rows: {type: "float*", length: 2, init: "(float*)data + i * N"}
  pairs: {type: Pair, length: N, init: "{char(i % 3), double(i)}"}
kernel: fill
arguments: [rows, pairs]
launch: {grid: 2, block: N}
useful: {read: N * 16, write: 2 * N * 4}
verify: {data: "data[i] == i % N % 3 + float(i % N)"}
*/
struct Pair { char first; double second; };
namespace a {
__global__ void fill(float** rows) {}
__global__ void fill(float** rows, const Pair* pairs, float by = 1.0f) {
  const Pair pair = pairs[threadIdx.x];
  rows[blockIdx.x][threadIdx.x] = pair.first + by * pair.second;
}
}
)cuda";
  BOOST_TEST(result_of(compiled_workload("fill", text)) == "correct");
}

BOOST_DATA_TEST_CASE(the_shipped_patterns_are_correct_with_every_element_type,
                     data::make({"copy", "offset", "stride"}), name) {
  const PatternLibrary library({SWEEP_SOURCE_DIR "/patterns"});
  Diagnostics diagnostics;
  const PatternPtr pattern = library.load(name, {}, diagnostics);
  BOOST_REQUIRE(pattern != nullptr);
  const auto nvrtc = std::make_shared<Nvrtc>();
  const auto backend = make_cuda_backend(first_gpu());
  std::vector<Configuration> configurations;
  for (const std::string& type : ElementType::names()) {
    Bindings given = integers({{"BYTES", 1 << 22}, {"STRIDE", 3}, {"OFFSET", 5}});
    given.set("T", *ElementType::find(type));
    configurations.push_back(resolve(pattern, given));
  }
  const auto outcomes = Compiler(nvrtc, first_gpu().compute_capability).compile(configurations);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const auto& compiled = std::get<CompiledConfiguration>(outcomes[i]);
    const auto execution = backend->prepare(make_workload(configurations[i], compiled), {});
    execution->initialise();
    execution->launch();
    BOOST_TEST(execution->verify().value_or("correct") == "correct", to_string(configurations[i]));
  }
}

BOOST_AUTO_TEST_CASE(samples_take_time_in_either_state_of_the_cache) {
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution =
      backend->prepare(compiled_workload("kernel", on_integers("data[t] += 5;", "true")), {});
  execution->initialise();
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    BOOST_TEST(execution->sample(cache, 1).front().seconds > 0.0);
    BOOST_TEST(execution->sample(cache, 1).front().seconds < 1.0);
  }
}

BOOST_AUTO_TEST_CASE(constants_are_filled_before_the_launch) {
  BOOST_TEST(failure_of(launched("", "out[i] = value;")) == "correct");
}

BOOST_AUTO_TEST_CASE(blocks_of_a_cooperative_launch_wait_for_each_other) {
  const std::string text = launched(", cooperative: true",
                                    "out[(i + 64) % (128 * GRID)] = value;\n  "
                                    "cg::this_grid().sync();\n  "
                                    "if (out[i] == 0) out[i] = -1;");
  BOOST_TEST(failure_of(text) == "correct");
  BOOST_TEST(failure_of(text, integers({{"GRID", 1 << 20}}))
                 .starts_with("bad launch: the grid of a cooperative launch has 1,048,576 blocks, "
                              "of which the device holds "));
}

BOOST_AUTO_TEST_CASE(blocks_of_a_cluster_reach_each_others_shared_memory) {
  const std::string text =
      launched(", shared: 512, cluster: CLUSTER",
               "words[threadIdx.x] = value;\n"
               "  cg::cluster_group cluster = cg::this_cluster();\n"
               "  cluster.sync();\n"
               "  const unsigned other = cluster.block_rank() ^ 1;\n"
               "  out[i] = cluster.map_shared_rank(words, other)[threadIdx.x];\n"
               "  cluster.sync();");
  const auto with = [&](int blocks, int grid) {
    std::string made = text;
    made.replace(made.find("CLUSTER"), 7, std::to_string(blocks));
    return failure_of(made, integers({{"GRID", grid}}));
  };
  if (!has_clusters()) {
    BOOST_TEST(with(2, 8) == no_clusters);
    return;
  }
  BOOST_TEST(with(2, 8) == "correct");
  BOOST_TEST(with(8, 64) == "correct");
  BOOST_TEST(with(16, 64) == "correct");  // more than what is portable
  BOOST_TEST(with(4, 10) ==
             "bad launch: the grid's x extent is 10, which is no multiple of the cluster's 4");
  BOOST_TEST(
      with(32, 64).starts_with("bad launch: the cluster's size, with what its blocks need, is 32, "
                               "the device takes at most "));
}

BOOST_AUTO_TEST_CASE(steps_follow_each_other_and_are_timed_together_and_apart) {
  const std::string text = R"cuda(/* pattern:
parameters: {N: 1 Mi}
buffers:
  a: {type: int, length: N}
  b: {type: int, length: N, init: "0"}
steps:
  - {kernel: fill<1>, arguments: [a], grid: N / 256, block: 256}
  - kernel: hop
    arguments: [a, b, distance]
    grid: N / 256 / distance
    block: 256
    repeat: {distance: {from: 1, to: 8, multiply: 2}}
useful: {read: N * 4}
verify: {b: "b[i] == 1 + 2 + 4 + 8"}
*/
template <int VALUE> __global__ void fill(int* a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = VALUE;
}
__global__ void hop(const int* a, int* b, int distance) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    b[i] += a[i] * distance;
  }
}
)cuda";
  const Workload workload = compiled_workload("kernel", text);
  BOOST_TEST(workload.launches.size() == 5U);
  BOOST_TEST(result_of(workload) == "correct");
  const auto backend = make_cuda_backend(first_gpu());
  const auto execution = backend->prepare(workload, {});
  execution->initialise();
  execution->launch();
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    const double together = execution->sample(cache, 1).front().seconds;
    const std::vector<double> apart = execution->launch_seconds(cache);
    BOOST_REQUIRE(apart.size() == 5U);
    double sum = 0;
    for (const double each : apart) {
      BOOST_TEST(each > 0.0);
      sum += each;
    }
    BOOST_TEST(sum > together / 2);
    BOOST_TEST(sum < together * 5);
  }
}

BOOST_AUTO_TEST_SUITE_END()
