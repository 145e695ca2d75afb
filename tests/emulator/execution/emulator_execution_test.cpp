#include <fmt/format.h>

#include <boost/test/data/test_case.hpp>

#include "tests/contains.h"
#include "tests/emulator/execution/emulated_pattern.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace emulator_execution {
namespace {

/// A kernel over N floats, in blocks of 256, that copies `in` to `out` but for `statement`.
std::string copying(const std::string& statement,
                    const std::string& verify = "out[i] == float(i % 101)") {
  return "/* pattern:\n"
         "parameters: {N: {default: 64 Ki}}\n"
         "buffers:\n"
         "  in: {type: float, length: N, init: \"float(i % 101)\"}\n"
         "  out: {type: float, length: N}\n"
         "launch: {grid: N / 256, block: 256}\n"
         "useful: {read: N * 4, write: N * 4}\n"
         "verify: {out: \"" +
         verify +
         "\"}\n*/\n"
         "__global__ void kernel(const float* in, float* out) {\n"
         "  __shared__ float tile[256];\n"
         "  const size_t t = threadIdx.x;\n"
         "  const size_t i = size_t(blockIdx.x) * 256 + t;\n"
         "  float v = in[i];\n"
         "  " +
         statement +
         "\n"
         "  out[i] = v;\n}\n";
}

/// A kernel over 1024 floats, in blocks of 128, of the user's that is launched so, with these
/// constants.
std::string launched(const std::string& launch, const std::string& statement,
                     const std::string& constants = "{}") {
  return "/* pattern:\n"
         "parameters: {B: 128}\n"
         "kernel: work\n"
         "buffers: {out: {type: float, length: 1024}}\n"
         "constants: " +
         constants + "\nlaunch: {grid: 1024 / B, block: B" + launch +
         "}\n"
         "useful: {write: 4096}\n"
         "verify: \"out[i] == float(i % 12)\"\n*/\n"
         "#include <cooperative_groups.h>\n"
         "namespace user { __constant__ float table[3][4]; }\n"
         "__device__ int offset;\n"
         "__global__ void work(float* out) {\n"
         "  const int i = blockIdx.x * B + threadIdx.x;\n"
         "  out[i] = i % 12;\n  " +
         statement + "\n}\n";
}

EmulatorSettings checking() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.checks_kernel = true;
  return settings;
}

EmulatorSettings exact() {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.is_exact = true;
  return settings;
}

struct FaultCase {
  const char* statement;
  const char* message;
  friend std::ostream& operator<<(std::ostream& out, const FaultCase& one) {
    return out << one.statement;
  }
};

const FaultCase fault_cases[] = {
    {"v = in[i + 1];", "out of bounds: reads 4 bytes at in[65536]; in has 65536 elements"},
    {"v = in[i - 1];", "out of bounds: reads 4 bytes at in[-1]"},
    {"((volatile float*)out)[65536 + t] = v;", "out of bounds: writes 4 bytes at out[65536]"},
    {"v = *(const volatile float*)((const char*)in + 4 * i + 2);", "misaligned address"},
    {"v += ((volatile float*)out)[i ^ 1];", "which nothing wrote"},
    {"v += tile[t];", "of shared memory, which nothing wrote"},
    {"tile[t] = v; v = tile[t ^ 32];", "of shared memory, which nothing wrote"},

    {"tile[t] = v; v = tile[t ^ 1];", "without a barrier between"},
    {"tile[t] = v; __syncthreads(); v = tile[t + 1];",
     "out of bounds of 'tile': reads 4 bytes at byte 1024"},
    {"tile[t / 2] = v; __syncthreads(); v += 0 * tile[0];", "a race"},
    {"if (t == 5) __trap();", "thread (5, 0, 0): the kernel stopped itself with a trap"},
    {"assert(t < 200);", "assert(t < 200) failed"},
    {"volatile float* p = tile; if (t % 2) { p[t] = v; __syncthreads(); } else { __syncthreads(); "
     "p[t] = v; }",
     "lanes of one warp wait at different barriers"},
};

struct HarmlessCase {
  const char* statement;
  friend std::ostream& operator<<(std::ostream& out, const HarmlessCase& one) {
    return out << one.statement;
  }
};

const HarmlessCase harmless_cases[] = {
    {"tile[t] = v; v = tile[t];"},
    {"tile[t] = v; __syncthreads(); v = tile[t ^ 255]; v = in[i];"},
    {"tile[t] = v; __syncwarp(); v = tile[t ^ 1]; v = tile[t];"},
    {"tile[3] = 7; __syncthreads(); v += 0 * tile[3];"},
    {"if (t < 100) return; __syncthreads();"},
};

}  // namespace
}  // namespace emulator_execution

BOOST_AUTO_TEST_SUITE(emulator_execution, *boost::unit_test::precondition(has_nvrtc))

BOOST_AUTO_TEST_CASE(a_kernel_is_executed_checked_and_counted) {
  const Emulated result = emulate(copying(""));
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("load_requests") == 2048);
  BOOST_TEST(result.metrics.at("load_sectors") == 8192);
  BOOST_TEST(result.metrics.at("load_sectors_per_request") == 4);
  BOOST_TEST(result.metrics.at("store_sectors_per_request") == 4);
  BOOST_TEST(result.metrics.at("efficiency") == 100);
  BOOST_TEST(result.metrics.at("executed_share") == 100);
  BOOST_TEST(result.metrics.at("blocks") == 256);
  BOOST_TEST(result.metrics.at("warps") == 2048);
  BOOST_TEST(result.metrics.at("global_waits") == 2048);
  BOOST_TEST(result.metrics.at("shared_waits") == 0);
  BOOST_TEST(result.metrics.at("barriers") == 0);
  BOOST_TEST(result.notes.empty());
}

BOOST_DATA_TEST_CASE(what_a_kernel_must_not_do_is_named, data::make(fault_cases), one) {
  const Emulated result = emulate(copying(one.statement), {}, checking());
  BOOST_TEST(contains(result.outcome, one.message), result.outcome);
  BOOST_TEST(contains(result.outcome, "kernel.cu:15"), result.outcome);
  BOOST_TEST(contains(result.outcome, "block ("), result.outcome);
}

BOOST_DATA_TEST_CASE(what_does_no_harm_is_not_reported, data::make(harmless_cases), one) {
  const std::string verify = contains(one.statement, "return")
                                 ? "i % 256 < 100 || out[i] == float(i % 101)"
                                 : "out[i] == float(i % 101)";
  const Emulated result = emulate(copying(one.statement, verify), {}, checking());
  const bool reads_unwritten = contains(result.outcome, "nothing wrote");
  BOOST_TEST((result.outcome == "correct" || reads_unwritten), result.outcome);
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_shown) {
  BOOST_TEST(emulate(copying("if (i == 700) v = -1;")).outcome ==
             "wrong result: 1 of 65,536 elements of 'out' fail the check out[i] == float(i % 101); "
             "the first is i = 700: -1, expected 94");
}

BOOST_AUTO_TEST_CASE(a_kernel_that_never_ends_is_stopped) {
  EmulatorSettings settings = emulator_settings(90, 2);
  settings.instruction_limit = 100'000;
  const Emulated result =
      emulate(copying("while (((volatile float*)in)[0] >= 0) {}"), {}, settings);
  BOOST_TEST(contains(result.outcome, "the kernel does not end"), result.outcome);
  BOOST_TEST(contains(result.outcome, "kernel.cu:15"), result.outcome);
}

BOOST_AUTO_TEST_CASE(a_large_grid_is_sampled_and_scaled_to_what_all_of_it_gives) {
  const Bindings large = integers({{"N", 1 << 24}});
  const Emulated sampled = emulate(copying(""), large);
  const Emulated whole = emulate(copying(""), large, exact());
  BOOST_TEST(sampled.outcome == "correct");
  BOOST_TEST(whole.outcome == "correct");
  BOOST_TEST(sampled.metrics.at("executed_share") < 50);
  BOOST_TEST(whole.metrics.at("executed_share") == 100);
  for (const auto& [name, value] : whole.metrics) {
    if (name == "executed_share" || name == "verified_share") continue;
    BOOST_TEST(sampled.metrics.at(name) == value, name);
  }
  BOOST_REQUIRE(sampled.notes.size() == 1);
  BOOST_TEST(contains(sampled.notes.front(), "totals are scaled"));
}

BOOST_AUTO_TEST_CASE(counts_that_differ_from_block_to_block_are_not_scaled) {
  const std::string text = copying("if (blockIdx.x % 3 == 1) v += 0 * in[(i * 7) % N];");
  const Emulated result = emulate(text, integers({{"N", 1 << 24}}));
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.count("load_sectors") == 0U);
  BOOST_TEST(result.metrics.count("load_sectors_per_request") == 1U);
  BOOST_REQUIRE(result.notes.size() == 1);
  BOOST_TEST(contains(result.notes.front(), "they differ from block to block"));
}

BOOST_AUTO_TEST_CASE(a_wrong_element_is_found_among_those_of_executed_blocks) {
  const Emulated result = emulate(copying("if (t == 9) v = -1;"), integers({{"N", 1 << 24}}));
  BOOST_TEST(contains(result.outcome, "wrong result: "), result.outcome);
  BOOST_TEST(contains(result.outcome, "the first is i = 9: -1, expected 9"), result.outcome);
}

BOOST_AUTO_TEST_CASE(a_check_that_needs_other_blocks_is_not_held_against_a_sample) {
  const Emulated result =
      emulate(copying("",
                      "out[i] == out[i + 1 < N ? i + 1 : i] - (i % 101 == 100 || i + 1 == N ? "
                      "out[i + 1 < N ? i + 1 : i] - out[i] : 1)"),
              integers({{"N", 1 << 24}}));
  BOOST_TEST(result.outcome == "correct");
}

BOOST_AUTO_TEST_CASE(buffers_get_their_first_values_in_their_order) {
  const auto outcome = [](const char* init_of_a, const char* init_of_b) {
    return emulate(fmt::format("/* pattern:\n"
                               "buffers:\n"
                               "  a: {{type: int, length: 4096, init: \"{}\"}}\n"
                               "  b: {{type: int, length: 4096, init: \"{}\"}}\n"
                               "launch: {{grid: 16, block: 256}}\n"
                               "useful: {{read: 4096}}\n"
                               "verify: {{b: \"b[i] == a[i] + 1\"}}\n*/\n"
                               "__global__ void kernel(int* a, int* b) {{\n"
                               "  b[blockIdx.x * 256 + threadIdx.x] += 1;\n}}\n",
                               init_of_a, init_of_b))
        .outcome;
  };
  BOOST_TEST(outcome("i", "a[i]") == "correct");
  for (const char* init_of_b : {"i", "a[i]", "a[i < 4095 ? i + 1 : i]"}) {
    const std::string message = outcome("b[i]", init_of_b);
    BOOST_TEST(contains(message, "the init of a reaches for b, which is filled after it"), message);
  }
}

BOOST_AUTO_TEST_CASE(a_launch_that_a_device_refuses_is_refused) {
  const auto outcome = [](const std::string& launch) {
    return emulate(
               "/* pattern:\n"
               "buffers: {out: {type: int, length: 1}}\n"
               "launch: {" +
               launch +
               "}\n"
               "useful: {write: 4}\nverify: true\n*/\n"
               "__global__ void kernel(int* out) { *out = 1; }\n")
        .outcome;
  };
  const std::string shared = outcome("grid: 1, block: 32, shared: 300 Ki");
  BOOST_TEST(contains(shared, "bad launch: dynamic shared memory in bytes is 307200"), shared);
  const std::string size = outcome("grid: 1, block: 2048");
  BOOST_TEST(contains(size, "bad launch: the block's size is 2048"), size);
  // 2^64 threads, a number that has no lower bits.
  const std::string wrapped = outcome("grid: 1, block: [512 Mi, 512 Mi, 64]");
  BOOST_TEST(contains(wrapped, "bad launch: the block's x extent is 536870912"), wrapped);
}

BOOST_AUTO_TEST_CASE(an_instruction_without_emulation_is_named_with_its_line) {
  const Emulated result = emulate(
      copying("asm volatile(\"multimem.red.relaxed.sys.global.add.u32 [%0], 1;\" :: \"l\"(in));"));
  BOOST_TEST(contains(result.outcome,
                      "kernel.cu:15: the emulator does not execute the instruction "
                      "multimem.red"),
             result.outcome);
}

BOOST_AUTO_TEST_CASE(caches_are_followed_on_request) {
  const Emulated result = emulate(copying("v = in[i]; v += 0 * ((const volatile float*)in)[i];"),
                                  {}, emulator_settings(90, 2), CacheState::cold);
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("dram_read_bytes") == 65536 * 4);
  BOOST_TEST(result.metrics.at("dram_write_bytes") == 65536 * 4);
}

BOOST_AUTO_TEST_CASE(shared_accesses_that_ptxas_joins_count_as_one) {
  const std::string text =
      "/* pattern:\n"
      "buffers: {out: {type: float, length: 32}}\n"
      "launch: {grid: 1, block: 32}\n"
      "useful: {write: 128}\nverify: true\n*/\n"
      "__global__ void kernel(float* out) {\n"
      "  __shared__ __align__(16) float s[128];\n"
      "  for (int k = 0; k < 4; ++k) s[threadIdx.x + 32 * k] = float(k);\n"
      "  __syncthreads();\n"
      "  const auto p = unsigned(__cvta_generic_to_shared(s + 4 * threadIdx.x));\n"
      "  float a, b, c, d;\n"
      "  asm(\"ld.shared.f32 %0, [%1];\" : \"=f\"(a) : \"r\"(p));\n"
      "  asm(\"ld.shared.f32 %0, [%1 + 4];\" : \"=f\"(b) : \"r\"(p));\n"
      "  asm(\"ld.shared.f32 %0, [%1 + 8];\" : \"=f\"(c) : \"r\"(p));\n"
      "  asm(\"ld.shared.f32 %0, [%1 + 12];\" : \"=f\"(d) : \"r\"(p));\n"
      "  out[threadIdx.x] = a + b * 2 + c * 3 + d * 4;\n}\n";
  const Emulated result = emulate(text);
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.notes.empty());
  BOOST_TEST(result.metrics.at("shared_load_requests") == 1);
  BOOST_TEST(result.metrics.at("shared_load_wavefronts") == 4);
  BOOST_TEST(result.metrics.at("shared_load_conflicts") == 0);
  // The PTX alone, as models of other machine code count it, has four loads of four words a bank.
  const Emulated older = emulate(text, {}, emulator_settings(60, 1));
  BOOST_TEST(older.metrics.at("shared_load_requests") == 4);
  BOOST_TEST(older.metrics.at("shared_load_wavefronts") == 16);
}

BOOST_AUTO_TEST_CASE(what_a_kernel_takes_is_read_from_its_machine_code) {
  const Emulated result = emulate(copying("tile[t] = v; __syncthreads(); v = tile[t];"));
  BOOST_TEST(result.outcome == "correct");
  BOOST_TEST(result.metrics.at("registers") >= 8);
  BOOST_TEST(result.metrics.at("static_shared_bytes") == 1024);
  BOOST_TEST(result.metrics.at("dynamic_shared_bytes") == 0);
  BOOST_TEST(result.metrics.at("local_bytes") == 0);
  BOOST_TEST(result.metrics.at("spill_loads") == 0);
  // Eight blocks of 256 threads fill a multiprocessor.
  BOOST_TEST(result.metrics.at("resident_blocks") == 8);
  BOOST_TEST(result.metrics.at("occupancy") == 100);
  EmulatorSettings beside = emulator_settings(90, 2);
  beside.tells_resources = false;
  const Emulated counted = emulate(copying(""), {}, beside);
  BOOST_TEST(!counted.metrics.contains("registers"));
  BOOST_TEST(counted.metrics.contains("spill_loads"));
}

BOOST_AUTO_TEST_CASE(floating_point_operations_are_those_of_all_threads) {
  const auto count = [](const char* statement, std::optional<CacheState> caches = {}) {
    return emulate(copying(statement, "true"), {}, emulator_settings(90, 2), caches).metrics;
  };
  constexpr double threads = 65536;
  BOOST_TEST(count("").at("float_operations") == 0);
  BOOST_TEST(count("v = __fmul_rn(v, 3.5f);").at("float_operations") == threads);
  BOOST_TEST(count("v = fmaf(v, 3.5f, 1.25f);").at("float_operations") == 2 * threads);
  BOOST_TEST(count("v = fmaf(v, 3.5f, 1.25f);", CacheState::cold).at("arithmetic_intensity") ==
             0.25);
}

struct LaunchCase {
  const char* launch;
  const char* statement;
  const char* outcome;
  const char* constants = "{}";
  friend std::ostream& operator<<(std::ostream& out, const LaunchCase& one) {
    return out << one.launch << one.statement << one.constants;
  }
};

const LaunchCase launch_cases[] = {
    {", cluster: 4, cooperative: true", "", "correct"},
    {", cluster: 3", "",
     "bad launch: the grid's x extent is 8, which is no multiple of the cluster's 3"},
    {", cluster: [4, 2]", "",
     "bad launch: the grid's y extent is 1, which is no multiple of the cluster's 2"},
    {", shared: 100000, cluster: 8", "", "correct"},
    {", cooperative: true", "cooperative_groups::this_grid().sync();", "correct"},
    {", cluster: 4", "out[i] = cooperative_groups::this_cluster().block_rank();", "wrong result"},
    {"", "out[i] = user::table[i % 12 / 4][i % 4] - offset;", "correct",
     "{\"user::table\": {init: i + B}, offset: {init: B}}"},
    {"", "out[i] = user::table[0][0];", "wrong result", "{\"user::table\": {init: i + B}}"},
    {"", "", "correct", "{offset: {init: B}}"},
};

BOOST_DATA_TEST_CASE(launches_and_constants_are_the_header_s, data::make(launch_cases), one) {
  const std::string text = launched(one.launch, one.statement, one.constants);
  const std::string outcome = emulate(text).outcome;
  BOOST_TEST(contains(outcome, one.outcome), outcome);
}

BOOST_AUTO_TEST_CASE(each_configuration_of_a_program_has_constants_of_its_own) {
  const PatternPtr pattern =
      pattern_from_text("kernel", launched("", "out[i] = user::table[i % 12 / 4][i % 4] - B;",
                                           "{\"user::table\": {init: i + B}}"));
  const auto configurations = configurations_with(pattern, "B", {64, 128});
  const auto outcomes = Compiler(nvrtc(), 90).compile(configurations);
  EmulatorBackend backend(emulator_settings(90, 1));
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const auto& compiled = std::get<CompiledConfiguration>(outcomes[i]);
    BOOST_TEST(compiled.program == std::get<CompiledConfiguration>(outcomes[0]).program);
    const auto execution = backend.prepare(make_workload(configurations[i], compiled), {});
    execution->initialise();
    execution->launch();
    BOOST_TEST(execution->verify().value_or("correct") == "correct");
  }
}

namespace {

/// A scan in place over N ints: one kernel log2(N) times, to and fro, after one that fills `a`.
std::string scan_in_steps(const std::string& distance, const std::string& verify = "i + 1") {
  return "/* pattern:\n"
         "parameters: {N: 1 Ki}\n"
         "buffers: {a: {type: int, length: N}, b: {type: int, length: N, init: \"0\"}}\n"
         "steps:\n"
         "  - {kernel: fill<1>, arguments: [a], grid: N / 128, block: 128}\n"
         "  - kernel: user::hop\n"
         "    arguments: [a, b, distance]\n"
         "    grid: N / 128\n"
         "    block: [min(128, 64 * distance), 1]\n"
         "    repeat: {distance: {from: " +
         distance +
         "}}\n"
         "useful: {read: 4 * N}\n"
         "verify: {b: \"(i < N ? b[i] : 0) == " +
         verify +
         "\"}\n*/\n"
         "template <int VALUE> __global__ void fill(int* a) {\n"
         "  a[blockIdx.x * blockDim.x + threadIdx.x] = VALUE;\n}\n"
         "namespace user { __global__ void hop(int* a, int* b, unsigned distance) {\n"
         "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * "
         "blockDim.x) {\n"
         "    b[i] += a[i] * distance;\n  }\n} }\n";
}

}  // namespace

BOOST_AUTO_TEST_CASE(steps_follow_each_other_and_their_counts_are_sums) {
  // 1 + 2 + 4 + ... + 512, and 10 + 7 + 4 + 1.
  BOOST_TEST(emulate(scan_in_steps("1, to: N / 2, multiply: 2", "1023")).outcome == "correct");
  BOOST_TEST(emulate(scan_in_steps("10, to: 1, step: -3", "22")).outcome == "correct");
  const Emulated emulated = emulate(scan_in_steps("1, to: 3", "6"));
  BOOST_TEST(emulated.outcome == "correct");
  // Of `a` one step stores 4 KiB, and each of three loads a and b and stores b.
  BOOST_TEST(emulated.metrics.at("load_sectors") == 3 * 2 * 128);
  BOOST_TEST(emulated.metrics.at("store_sectors") == (1 + 3) * 128);
  BOOST_TEST(emulated.metrics.at("executed_share") == 100);
  BOOST_TEST(contains(emulate(scan_in_steps("1, to: 3", "7")).outcome, "wrong result: 1,024"));
  BOOST_TEST(contains(emulate(scan_in_steps("1, to: 500")).outcome,
                      "the steps come to more than 400 launches"));
  BOOST_TEST(contains(emulate(scan_in_steps("0, to: 5, multiply: 2")).outcome,
                      "'distance' does not move from 0"));
}

BOOST_AUTO_TEST_CASE(an_access_policy_window_is_ignored_and_a_note_says_so) {
  const auto notes = [](const std::string& bytes) {
    return emulate(launched(", access_policy_window: {buffer: out, bytes: " + bytes + "}", ""))
        .notes;
  };
  const std::string note = "the emulator ignores access policy windows: in its L2 nothing persists";
  BOOST_TEST(std::ranges::count(notes("4096"), note) == 1);
  BOOST_TEST(std::ranges::count(notes("0"), note) == 0);
}

BOOST_AUTO_TEST_CASE(a_grid_that_is_not_resident_at_once_cannot_be_cooperative) {
  std::string text = launched(", cooperative: true", "");
  text.replace(text.find("grid: 1024 / B"), 14, "grid: 1 Mi");
  BOOST_TEST(contains(emulate(text).outcome,
                      "the grid of a cooperative launch has 1,048,576 blocks, of which the device "
                      "holds 2,"));
}

BOOST_AUTO_TEST_SUITE_END()
