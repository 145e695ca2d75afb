#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <ostream>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace check_run {
namespace {

/// A pattern `faulty` whose statements begin on line 10.
std::string faulty(const std::string& statements, const std::string& verify = "true") {
  return "/* pattern:\n"
         "parameters: {K: {default: 1}}\n"
         "buffers: {data: {type: int, length: 64, init: \"0\"}, raw: {type: int, length: 64}, "
         "limits: {type: int, length: 64, init: \"i\"}}\n"
         "launch: {grid: 1, block: 64}\n"
         "useful: {write: 256}\n"
         "verify: {data: \"" +
         verify +
         "\"}\n*/\n"
         "__global__ void faulty(int* data, int* raw, const int* limits) {\n"
         "  __shared__ int words[64];\n" +
         statements + "\n}\n";
}

struct FaultCase {
  const char* statements;
  const char* verify;
  const char* place;
  const char* message;
};

std::ostream& operator<<(std::ostream& out, const FaultCase& example) {
  return out << example.message;
}

const std::vector<FaultCase> faults = {
    {"data[threadIdx.x + K] = 1;", "true",
     "faulty.cu:10:1: error: ", "out of bounds: writes 4 bytes at data[64]; data has 64 elements"},
    {"raw[0] = 1;\n  *reinterpret_cast<int2*>(data + threadIdx.x / 4 + K) = int2{1, 2};", "true",
     "faulty.cu:11:3: error: ", "misaligned address: an access of 8 bytes"},
    {"data[threadIdx.x] = raw[threadIdx.x];", "true",
     "faulty.cu:10:1: error: ", "it reads raw[0], which nothing wrote"},
    {"data[threadIdx.x] = words[threadIdx.x];", "true",
     "faulty.cu:10:1: error: ", "of shared memory, which nothing wrote"},
    {"if (threadIdx.x < 32) words[threadIdx.x] = 1;\ndata[threadIdx.x] = words[threadIdx.x % 32];",
     "true", "faulty.cu:11:1: error: ", "a race: it reads byte 0 of shared memory"},
    {"if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 64;\");\ndata[threadIdx.x] = words[0] = 1;",
     "true", "faulty.cu:10:1: error: ", "deadlock: block (0, 0, 0)"},
    {"while (K > 0) asm volatile(\"\" ::: \"memory\");", "true",
     "faulty.cu:10:1: error: ", "the kernel does not end"},
    {"if (threadIdx.x == 7) __trap();", "true",
     "faulty.cu:10:1: error: ", "thread (7, 0, 0): the kernel stopped itself with a trap"},
    {"data[threadIdx.x] = 1;\n"
     "asm volatile(\"multimem.red.relaxed.sys.global.add.u32 [%0], 1;\" :: \"l\"(data));",
     "true", "faulty.cu:11:1: error: ", "the emulator does not execute the instruction multimem"},
    {"while (threadIdx.x == 0 && reinterpret_cast<volatile int*>(data)[0] == 0) {}", "true",
     "faulty.cu:10:1: error: ", "the kernel does not end"},
    {"__shared__ int other[64];\nother[threadIdx.x] = words[threadIdx.x] = 1;\n"
     "__syncthreads();\ndata[threadIdx.x] = words[threadIdx.x + 16 * K] + other[K];",
     "true", "faulty.cu:13:1: error: ",
     "thread (48, 0, 0): out of bounds of 'words': reads 4 bytes at byte "
     "256 of 256, which is byte 0 of 'other'"},
    {"if (threadIdx.x < 32) {\n__syncthreads();\n} else {\n__syncthreads();\n}", "true",
     "faulty.cu:13:1: error: ",
     "thread (32, 0, 0): threads of one block wait at different barriers, others of them at "
     "faulty.cu:11 (bar.sync)"},
    {"__shared__ long long bar;\nconst unsigned at = __cvta_generic_to_shared(&bar);\n"
     "for (int i = 0; i <= K; ++i)\nif (threadIdx.x == 0)\n"
     "asm volatile(\"mbarrier.init.shared.b64 [%0], 1;\" :: \"r\"(at));",
     "true", "faulty.cu:14:1: error: ", "it initialises the mbarrier at byte 0 of 'bar'"},
    {"int own[16];\nfor (int i = 0; i < 8; ++i) own[i * K] = i;\n"
     "data[threadIdx.x] = own[limits[threadIdx.x] % 16];",
     "true", "faulty.cu:12:1: error: ",
     "thread (8, 0, 0): it reads byte 32 of its local memory, which it has not written, and writes "
     "it to global memory at faulty.cu:12"},
    {"int sum = limits[threadIdx.x];\nif (threadIdx.x >= 40) return;\n"
     "for (int d = 16; d > 0; d /= 2)\nsum += __shfl_down_sync(0xffffffff, sum, d);\n"
     "if (threadIdx.x % 32 == 0) data[threadIdx.x / 32] = sum;",
     "true", "faulty.cu:13:1: error: ",
     "thread (32, 0, 0): with the mask 0xffffffff it takes a value from lane 16, which has exited, "
     "and writes it to global memory at faulty.cu:14"},
    {"data[threadIdx.x] = __shfl_sync(0xffff, limits[threadIdx.x], 3);", "true",
     "faulty.cu:10:1: error: ",
     "thread (16, 0, 0): its mask 0x0000ffff does not name the lane itself, 16"},
    {"const_cast<int*>(limits)[threadIdx.x] = 1;", "true",
     "faulty.cu:10:1: error: ", "it writes limits[0], which the kernel takes as const"},
    {"data[threadIdx.x] = 1;", "data[i] == 2",
     "faulty.cu:6:17: error: ", "wrong result: 64 of 64 elements of 'data' fail the check"},
};

/// Writes `name`.cu, which copies N floats in blocks of 256 by `statement`, and a sweep of it.
void write_copy(const TemporaryFolder& folder, const std::string& name,
                const std::string& statement) {
  folder.write(name + ".cu",
               "/* pattern:\n"
               "parameters: {N: {default: 1 Mi}}\n"
               "buffers: {a: {type: float, length: N, init: \"i\"}, c: {type: float, length: N}}\n"
               "launch: {grid: N / 256, block: 256}\n"
               "useful: {read: N * 4, write: N * 4}\n"
               "verify: {c: \"c[i] == a[i]\"}\n*/\n"
               "__global__ void " +
                   name +
                   "(const float* a, float* c) {\n"
                   "  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;\n  " +
                   statement + "\n}\n");
  folder.write(name + ".yaml", "pattern: " + name + "\naxes: {N: 1 Mi}\n");
}

/// Adds batches of vectors of LEN elements that lie INC apart; rows of the result are LD apart, and
/// `row` places them.
void write_batched(const TemporaryFolder& folder, const std::string& row) {
  folder.write("batched.cu", R"cuda(/* pattern:
parameters:
  LEN:   {default: 1 Ki}
  INC:   {default: 1}
  LD:    {default: LEN * INC}
  BATCH: {default: 4 Ki}
buffers:
  a: {type: float, length: BATCH * LEN, init: "1"}
  b: {type: float, length: BATCH * LEN, init: "2"}
  c: {type: float, length: BATCH * LD, init: "0"}
launch: {grid: [LEN / 256, BATCH], block: 256}
useful: {read: BATCH * LEN * 8, write: BATCH * LEN * 4}
verify: {c: "c[i] == (i % INC == 0 ? 3 : 0)"}
*/
__global__ void batched(const float* a, const float* b, float* c) {
  const size_t i = blockIdx.x * 256 + threadIdx.x;
  const size_t from = size_t(blockIdx.y) * LEN + i;
  c[size_t(blockIdx.y) * )cuda" + row +
                                 " + i * INC] = a[from] + b[from];\n}\n");
  folder.write("batched.yaml", "pattern: batched\naxes: {INC: [1, 4]}\n");
}

struct RareCase {
  const char* name;
  const char* statement;
  const char* message;
};

std::ostream& operator<<(std::ostream& out, const RareCase& example) {
  return out << example.name;
}

/// Mistakes in one of 4,096 blocks.
const RareCase rare_mistakes[] = {
    {"store", "c[i + (blockIdx.x == 137 && threadIdx.x == 0 ? N : 0)] = a[i];",
     "rare.cu:10:3: error: block (137, 0, 0), thread (0, 0, 0): out of bounds: writes 4 bytes at "},
    {"element", "c[i] = i == 777777 ? 0 : a[i];",
     "rare.cu:6:14: error: wrong result: 1 of 1,048,576 elements of 'c' fail the check c[i] == "
     "a[i]; the first is i = 777777: 0, expected 777777"},
    {"block", "c[i] = blockIdx.x == 2001 ? 0 : a[i];",
     "rare.cu:6:14: error: wrong result: 256 of 1,048,576 elements of 'c' fail the check"},
};

}  // namespace
}  // namespace check_run

BOOST_AUTO_TEST_SUITE(check_run, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_mistake_of_the_kernel_is_shown_at_its_line, data::make(faults), example) {
  const TemporaryFolder folder;
  folder.write("faulty.cu", faulty(example.statements, example.verify));
  const Outcome checked = run_program({"check", "--run", "faulty.cu"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err, example.place), checked.err);
  BOOST_TEST(contains(checked.err, example.message), checked.err);
  BOOST_TEST(contains(checked.err, "help: seen with faulty K=1"), checked.err);
  BOOST_TEST(contains(checked.out, "compiles for compute capability"));
  BOOST_TEST(!contains(checked.out, "executes"));
}

BOOST_AUTO_TEST_CASE(a_mistake_is_shown_once_with_how_many_make_it) {
  const TemporaryFolder folder;
  folder.write("faulty.cu", faulty("data[threadIdx.x + K] = 1;"));
  folder.write("shifts.yaml", "pattern: faulty\naxes: {K: {from: 0, to: 5}}\n");
  const Outcome checked = run_program({"check", "--run", "shifts.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65);
  const std::size_t first = checked.err.find("error: ");
  BOOST_REQUIRE(first != std::string::npos);
  BOOST_TEST(checked.err.find("error: ", first + 1) == std::string::npos);
  BOOST_TEST(contains(checked.err, "help: seen in 5 of 6 configurations, first with faulty K=1"));
}

BOOST_AUTO_TEST_CASE(the_sweeps_values_for_the_emulator_are_used) {
  const TemporaryFolder folder;
  folder.write("faulty.cu", faulty("data[threadIdx.x + K] = 1;"));
  folder.write("good.yaml", "pattern: faulty\naxes: {K: [1, 2]}\nemulator: {set: {K: 0}}\n");
  const Outcome checked = run_program({"check", "--run", "good.yaml"}, folder.path());
  BOOST_TEST(checked.code == 0, checked.err);
  BOOST_TEST(contains(checked.out, "good.yaml: good: 2 configurations compile for "));
  BOOST_TEST(contains(checked.out, "good.yaml: good: 1 configuration executes without a mistake"));
}

BOOST_AUTO_TEST_CASE(the_shipped_sweeps_execute_without_a_mistake) {
  const Outcome checked = run_program({"check", "--run", "sweeps/stride.yaml"});
  BOOST_TEST(checked.code == 0, checked.err);
  BOOST_TEST(contains(checked.out, " execute without a mistake"));
}

BOOST_AUTO_TEST_CASE(init_kernel_and_verify_have_the_same_random_numbers) {
  const TemporaryFolder folder;
  folder.write("random.cu", R"cuda(/* pattern:
parameters: {SEED: 5, N: 1000}
buffers:
  index: {type: uint32_t, length: N, init: "permuted(i, N, SEED)"}
  in: {type: uint64_t, length: N, init: "random_bits(SEED, i) + random_below(7, SEED, i)"}
  out: {type: uint64_t, length: N, init: "0"}
launch: {grid: 4, block: 250}
useful: {read: N * 12, write: N * 8}
verify:
  out: "out[permuted(i, N, SEED)] == random_bits(SEED, i) + random_below(7, SEED, i) + 1"
*/
__global__ void random(const uint32_t* index, const uint64_t* in, uint64_t* out) {
  const uint32_t i = blockIdx.x * 250 + threadIdx.x;
  out[index[i]] = in[i] + 1;
}
)cuda");
  folder.write("seeds.yaml", "pattern: random\naxes: {SEED: [0, 1, 5], N: [1000]}\n");
  const Outcome checked = run_program({"check", "--run", "seeds.yaml"}, folder.path());
  BOOST_TEST(checked.code == 0, checked.err);
  BOOST_TEST(contains(checked.out, "3 configurations execute without a mistake"), checked.out);
}

BOOST_AUTO_TEST_CASE(a_batch_whose_rows_lie_in_wrong_places_is_found_or_not_called_good) {
  const TemporaryFolder folder;
  write_batched(folder, "LEN");
  const Outcome whole = run_program({"check", "--run", "batched.yaml"}, folder.path());
  BOOST_TEST(whole.code == 65);
  BOOST_TEST(
      contains(whole.err, "wrong result: 3,144,960 of 16,777,216 elements of 'c' fail the check"),
      whole.err);
  const Outcome quick =
      run_program({"check", "-q", "--run", "--quick", "batched.yaml"}, folder.path());
  BOOST_TEST(quick.code == 0, quick.err);
  BOOST_TEST(!contains(quick.out, "good"), quick.out);
  BOOST_TEST(contains(quick.out,
                      "batched.yaml: 2 configurations execute without a mistake, but only 0.19"),
             quick.out);
  BOOST_TEST(contains(quick.out,
                      " % of the blocks were executed, so that mistakes of the others are not "
                      "found, and the result is verified for 0.0"),
             quick.out);
  BOOST_TEST(contains(quick.out,
                      " % of the elements only (--quick executes some blocks; --exact "
                      "executes and verifies all)"),
             quick.out);
  write_batched(folder, "LD");
  const Outcome good = run_program({"check", "--run", "batched.yaml"}, folder.path());
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(contains(good.out, "batched.yaml: good: 2 configurations execute without a mistake\n"),
             good.out);
}

BOOST_DATA_TEST_CASE(a_mistake_of_one_block_of_many_is_found, data::make(rare_mistakes), example) {
  const TemporaryFolder folder;
  write_copy(folder, "rare", example.statement);
  const Outcome checked = run_program({"check", "--run", "rare.cu"}, folder.path());
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err, example.message), checked.err);
}

BOOST_AUTO_TEST_CASE(what_does_not_compile_for_the_emulator_is_not_good) {
  const TemporaryFolder folder;
  folder.write("faulty.cu", faulty("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1000\n"
                                   "asm volatile(\"nonsense;\");\n#endif\n"
                                   "data[threadIdx.x] = 1;"));
  const auto check = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"check", "faulty.cu", "--arch", "10.0"});
    return run_program(more, folder.path());
  };
  BOOST_TEST(check({}).code == 0);
  const Outcome checked = check({"--run"});
  BOOST_TEST(checked.code == 65);
  BOOST_TEST(contains(checked.err,
                      "nothing is executed: it does not compile for compute "
                      "capability 9.0"),
             checked.err);
  BOOST_TEST(contains(checked.err, "nonsense"), checked.err);
  BOOST_TEST(!contains(checked.out, "executes"), checked.out);
  BOOST_TEST(check({"--run", "--model", "10.0"}).code == 0);
}

BOOST_AUTO_TEST_CASE(sizes_that_the_emulators_values_make_wrong_are_not_good) {
  const TemporaryFolder folder;
  write_copy(folder, "copied", "c[i] = a[i];");
  folder.write("copied.yaml", "pattern: copied\naxes: {N: 1 Mi}\nemulator: {set: {N: 100}}\n");
  const Outcome checked = run_program({"check", "--run", "copied.yaml"}, folder.path());
  BOOST_TEST(checked.code == 65, checked.out);
  BOOST_TEST(contains(checked.err, "grid"), checked.err);
}

BOOST_AUTO_TEST_CASE(a_patterns_values_are_set) {
  const TemporaryFolder folder;
  folder.write("faulty.cu", faulty("data[threadIdx.x + K] = 1;"));
  BOOST_TEST(run_program({"check", "--run", "faulty.cu"}, folder.path()).code == 65);
  const Outcome good = run_program({"check", "--run", "faulty.cu", "--set", "K=0"}, folder.path());
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(contains(good.out, "faulty.cu: good: 1 configuration executes without a mistake"));
  const Outcome bad = run_program({"check", "--run", "faulty.cu", "--set", "K=7"}, folder.path());
  BOOST_TEST(bad.code == 65);
  BOOST_TEST(contains(bad.err, "help: seen with faulty K=7"), bad.err);
}

BOOST_AUTO_TEST_CASE(totals_that_depend_on_data_say_so) {
  const TemporaryFolder folder;
  const auto notes_of = [&](const std::string& name, const std::string& statement) {
    write_copy(folder, name, statement);
    const std::vector<std::string> words = {"run",      name + ".yaml", "--device",
                                            "emulator", "--set",        "N=4Mi"};
    const Outcome run = run_program(words, folder.path());
    std::string out = run.out;
    std::ranges::replace(out, '\n', ' ');
    BOOST_TEST(contains(out, "totals are scaled to the whole grid"), out);
    return out;
  };
  const char* const dependent = "depends on data that it loads";
  const std::string gathered = notes_of("gathered", "c[i] = a[int(a[i])];");
  BOOST_TEST(contains(gathered, dependent), gathered);
  BOOST_TEST(contains(gathered, "gathered.cu:10"), gathered);
  BOOST_TEST(contains(notes_of("chosen", "if (a[i] >= 0) c[i] = a[i];"), dependent));
  BOOST_TEST(!contains(notes_of("copied", "c[i] = a[i];"), dependent));
}

BOOST_AUTO_TEST_CASE(check_and_run_agree_on_a_verify_that_reads_what_nothing_wrote) {
  const TemporaryFolder folder;
  write_copy(folder, "holes", "if (i % 8 != 5) c[i] = a[i];");
  const Outcome checked = run_program({"check", "--run", "holes.cu"}, folder.path());
  BOOST_TEST(checked.code == 65);
  const std::string message = "verify reads c[5], which nothing wrote";
  BOOST_TEST(contains(checked.err, "holes.cu:6:1: error: " + message), checked.err);
  const Outcome run =
      run_program({"run", "holes.yaml", "--set", "N=64Ki", "--device", "emulator"}, folder.path());
  BOOST_TEST(run.code == 1);
  BOOST_TEST(contains(run.err, "holes.cu:6: " + message), run.err);
}

BOOST_AUTO_TEST_CASE(what_some_blocks_leave_in_memory_that_all_share_is_no_result) {
  const TemporaryFolder folder;
  folder.write("sums.cu",
               "/* pattern:\n"
               "parameters: {STEPS: {default: 4000}}\n"
               "buffers: {sum: {type: int, length: 256, init: \"0\"}}\n"
               "launch: {grid: 256, block: 256}\n"
               "useful: {read: 1024}\n"
               "verify: {sum: \"sum[i] == 2048\"}\n*/\n"
               "__global__ void sums(int* sum) {\n"
               "  int more = 0;\n"
               "  for (int k = 0; k < STEPS; ++k) more |= int(clock()) < 0 && k < 0;\n"
               "  sum[threadIdx.x] += 8 + more;\n}\n");
  folder.write("sums.yaml", "pattern: sums\naxes: {STEPS: 4000}\nexpect: load_requests > 0\n");
  const Outcome run = run_program({"run", "sums.yaml", "--device", "emulator"}, folder.path());
  BOOST_TEST(!contains(run.err, "expected 2048"), run.err);
  BOOST_TEST(contains(run.err, "1 point measured, 0 failed, 1 verified in part; 0 reused"),
             run.err);
  BOOST_TEST(contains(run.out, "verified in part only, for 0 % of the elements at least"), run.out);
}

BOOST_AUTO_TEST_CASE(an_expectation_is_about_results_that_were_verified) {
  const TemporaryFolder folder;
  write_copy(folder, "copied", "c[i] = a[i];");
  const auto run = [&](const std::string& expect, const std::string& rest,
                       std::vector<std::string> options = {}) {
    folder.write("copied.yaml",
                 "pattern: copied\naxes: {N: [1 Mi, 4 Mi]}\nexpect: " + expect + "\n" + rest);
    std::vector<std::string> words = {"run", "copied.yaml", "--device", "emulator"};
    words.insert(words.end(), options.begin(), options.end());
    return run_program(words, folder.path());
  };
  const std::string sectors = "load_sectors_per_request == 4";
  const Outcome part = run(sectors, "");
  BOOST_TEST(part.code == 1);
  BOOST_TEST(contains(part.err, "copied.yaml:3:9: error: 'verified_share == 100 %': broken by "),
             part.err);
  BOOST_TEST(contains(part.err, "emulator: {set: {N: 1 Mi}}"), part.err);
  BOOST_TEST(run("[" + sectors + ", verified_share >= 0.01 %]", "").code == 0);
  BOOST_TEST(run(sectors, "emulator: {set: {N: 64 Ki}}\n").code == 0);
  BOOST_TEST(run(sectors, "", {"--exact"}).code == 0);
}

BOOST_AUTO_TEST_CASE(options_of_the_emulator_need_run) {
  const Outcome refused = run_program({"check", "patterns/stride.cu", "--model", "7.5"});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "add --run"));
  BOOST_TEST(run_program({"check", "--run", "patterns/stride.cu", "--model", "1.0"}).code == 0);
}

BOOST_AUTO_TEST_CASE(how_much_is_executed_is_said_once_and_with_run) {
  BOOST_TEST(contains(run_program({"check", "patterns/stride.cu", "--exact"}).err, "add --run"));
  const Outcome both = run_program({"check", "--run", "patterns/stride.cu", "--exact", "--quick"});
  BOOST_TEST(both.code == 2);
  BOOST_TEST(contains(both.err, "--exact and --quick exclude each other"));
  BOOST_TEST(contains(run_program({"check", "--help"}).out, "6 billion thread"));
}

BOOST_AUTO_TEST_SUITE_END()
