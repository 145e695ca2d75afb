#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <ostream>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/example_records.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace hostile_files {
namespace {

/// A pattern `hostile` whose statements begin on line 10.
std::string hostile(const std::string& statements, const std::string& before = "\n") {
  return "/* pattern:\n"
         "parameters: {K: {default: 1}}\n"
         "buffers: {data: {type: int, length: 64, init: \"0\"}}\n"
         "launch: {grid: 1, block: 64}\n"
         "useful: {write: 256}\n"
         "verify: {data: \"true\"}\n*/\n" +
         before + "__global__ void hostile(int* data) {\n" + statements + "\n}\n";
}

/// What a kernel may try against the process that emulates it.
const std::vector<std::string> attacks = {
    "*reinterpret_cast<volatile int*>(0x1234ull) = 1;",
    "*reinterpret_cast<volatile int*>(~0ull - 3) = 1;",
    "data[K * (1ll << 40)] = 1;",
    "data[-K] = 1;",
    "data[0] = data[K * (1ll << 61)];",
    "__shared__ int words[4]; words[K * 100000] = 1; data[0] = words[K * 100001];",
    "__shared__ int words[4]; *const_cast<volatile int*>(words + data[1] - 4) = 1;",
    "int local[4] = {1, 2, 3, 4}; data[0] = local[K * 100000 + data[1]];",
    "volatile int local[4]; local[data[1] - 100000] = 7;",
    "atomicAdd(reinterpret_cast<int*>(0x7fff00000000ull) + threadIdx.x, 1);",
    "atomicCAS(data + K * (1 << 28), 0, 1);",
    "__shared__ int words[4]; atomicAdd(words + K * 100000, 1); data[0] = words[0];",
    "*reinterpret_cast<int4*>(data + 60 + K * 4 + threadIdx.x * 4) = int4{};",
    "asm volatile(\"{ .reg .u32 x; ld.param.u32 x, [hostile_none+4096]; }\");",
    "int x; asm volatile(\"ld.const.u32 %0, [%1];\" : \"=r\"(x) : \"l\"(1ll << 40)); data[0] = x;",
    "__shared__ int words[64]; const unsigned at = K * (1u << 30);"
    "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(at), \"l\"(data));"
    "asm volatile(\"cp.async.wait_all;\"); data[0] = words[0];",
    "__shared__ int words[64]; asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
    "\"r\"(0), \"l\"(1ll << 44)); asm volatile(\"cp.async.wait_all;\"); data[0] = words[0];",
    "void (*jump)() = reinterpret_cast<void (*)()>(0x41414141ull * K); jump();",
    "data[0] = down(K, data);",
    "while (K > 0) asm volatile(\"\" ::: \"memory\");",
    "char* more = static_cast<char*>(malloc(1ull << 60)); more[0] = 1;",
    "extern __shared__ int far[]; far[K * (1 << 26)] = 1;",
    "__trap();",
    "asm volatile(\"exit; bra NOWHERE;\");",
};

constexpr const char* recursion =
    "__device__ __noinline__ int down(int x, volatile int* p) {"
    " return p[0] < 0 ? x : down(x + 1, p) * p[1] + p[2]; }\n";

}  // namespace
}  // namespace hostile_files

BOOST_AUTO_TEST_SUITE(hostile_files_suite, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_kernel_that_attacks_the_emulator_is_told_about,
                     data::make(hostile_files::attacks), statements) {
  const TemporaryFolder folder;
  folder.write("hostile.cu", hostile_files::hostile(statements, hostile_files::recursion));
  const Outcome check = run_program({"check", "--run", "hostile.cu"}, folder.path());
  BOOST_TEST(check.code == 65, check.out + check.err);
  BOOST_TEST(contains(check.err, "error: "), check.err);
  BOOST_TEST(!contains(check.err, "internal error"), check.err);
}

BOOST_AUTO_TEST_CASE(files_outside_of_the_patterns_folder_need_a_word_of_the_user) {
  const TemporaryFolder folder;
  folder.write("lib/lib.cuh", "constexpr int of_lib = 1;\n");
  folder.write("mine/hostile.cu", hostile_files::hostile("data[threadIdx.x] = of_lib;",
                                                         "#include \"../lib/lib.cuh\"\n"));
  folder.write("mine/wide.yaml", "pattern: hostile\naxes: {K: [1]}\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", "mine/hostile.cu"},
        {"check", "mine/wide.yaml"},
        {"explain", "mine/hostile.cu"},
        {"explain", "hostile", "--patterns", "mine"},
        {"run", "mine/wide.yaml", "--device", "emulator", "--quiet"}}) {
    const Outcome refused = run_program(words, folder.path());
    BOOST_TEST(refused.code == 65, refused.out);
    BOOST_TEST(contains(refused.err, "../lib/lib.cuh is outside of the pattern's folder"),
               refused.err);
    BOOST_TEST(contains(refused.err, "help: --include DIR"), refused.err);
    std::vector<std::string> allowed = words;
    allowed.insert(allowed.end(), {"--include", "lib"});
    const Outcome done = run_program(allowed, folder.path());
    BOOST_TEST(done.code == 0, done.err);
  }
  const Outcome missing =
      run_program({"check", "mine/hostile.cu", "--include", "nowhere"}, folder.path());
  BOOST_TEST(missing.code == 66);
  BOOST_TEST(contains(missing.err, "--include nowhere: no such folder"), missing.err);
}

BOOST_AUTO_TEST_CASE(no_message_quotes_a_file_that_a_line_directive_names) {
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret.txt", "the secret line\n").string();
  folder.write("mine/hostile.cu",
               hostile_files::hostile("\n#line 1 \"" + secret + "\"\ndata[64 + K] = 1;"));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", "--run", "mine/hostile.cu"},
        {"explain", "mine/hostile.cu"}}) {
    const Outcome outcome = run_program(words, folder.path());
    BOOST_TEST(outcome.code != 0);
    BOOST_TEST(!contains(outcome.out + outcome.err, "the secret line"), outcome.err);
  }
}

BOOST_AUTO_TEST_CASE(a_sweep_cannot_name_a_pattern_or_a_result_by_a_path) {
  const TemporaryFolder folder;
  folder.write("mine/hostile.yaml", "pattern: ../other/hostile\naxes: {K: [1]}\n");
  folder.write("other/hostile.cu", hostile_files::hostile("data[threadIdx.x] = 1;"));
  const Outcome run =
      run_program({"run", "mine/hostile.yaml", "--device", "emulator"}, folder.path());
  BOOST_TEST(run.code == 65);
  BOOST_TEST(contains(run.err, "there is no pattern '../other/hostile'"), run.err);
  folder.write("other/good.yaml", "pattern: hostile\n");
  BOOST_TEST(run_program({"check", "other/good.yaml"}, folder.path()).code == 0);
  for (const char* text : {"pattern: hostile\nreplay: ../x.db", "pattern: hostile\noutput: ../x",
                           "pattern: hostile\nrecording: /etc/passwd",
                           "pattern: !!binary aG9zdGlsZQ==", "pattern: &a [*a]",
                           "<<: {pattern: hostile}", "pattern: hostile\n<<: {summary: x}"}) {
    folder.write("other/keys.yaml", std::string(text) + "\n");
    const Outcome refused = run_program({"check", "other/keys.yaml"}, folder.path());
    BOOST_TEST(refused.code == 65, text << refused.err);
  }
}

namespace {

/// What a report says of a database with one point, changed by an SQL statement.
Outcome report_of_damaged(const std::string& change) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "damaged.db";
  {
    Store store(path, Store::Mode::read_write);
    const std::int64_t run = store.begin_run(testing::example_provenance());
    store.add_point(run, 0, testing::example_point(1));
    store.end_run(run, RunState::finished);
  }
  sqlite::Database(path, sqlite::Access::write).execute(change);
  return run_program({"report", "damaged.db"}, folder.path());
}

}  // namespace

BOOST_AUTO_TEST_CASE(no_message_takes_a_control_into_a_pipe) {
  const std::string title = "' || char(27) || ']0;title' || char(7) || '";
  const std::vector<std::string> changes = {
      "UPDATE point SET samples = '[" + title + "'",
      "UPDATE point SET parameters = '" + title + "'",
      "UPDATE point SET metric_values = '[1," + title + "'",
      "ALTER TABLE point RENAME COLUMN samples TO \"\x1b]0;title\x07\""};
  for (const std::string& change : changes) {
    const Outcome report = report_of_damaged(change);
    BOOST_TEST(report.code > 60, change << report.err);
    BOOST_TEST(!contains(report.err, "\x1b"), report.err);
    BOOST_TEST(!contains(report.err, "json.exception"), report.err);
  }
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"check", "--arch", "\x1b[31m9.0", "stride"},
        {"report", "\x1b]0;title\x07.db"},
        {"\x1b[2J"}}) {
    const Outcome refused = run_program(command);
    BOOST_TEST(refused.code != 0);
    BOOST_TEST(!contains(refused.err, "\x1b"), refused.err);
  }
}

BOOST_AUTO_TEST_CASE(json_that_is_damaged_is_told_in_words_with_its_place) {
  const Outcome parameters =
      report_of_damaged("UPDATE point SET parameters = '{\"STRIDE\": oops}'");
  BOOST_TEST(contains(parameters.err, "a point's parameters: no JSON at byte 12: "),
             parameters.err);
  const Outcome kind =
      report_of_damaged("UPDATE point SET parameters = '{\"T\": {\"element\": 3}}'");
  BOOST_TEST(contains(kind.err, "a point's parameters: type must be string, but is number"),
             kind.err);
}

BOOST_AUTO_TEST_CASE(names_in_a_database_choose_no_file) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "a" / "b");
  const fs::path here = folder.path() / "a" / "b";
  {
    Store store(here / "evil.db", Store::Mode::read_write);
    Provenance provenance = testing::example_provenance();
    provenance.sweep_name = "../../escaped";
    const std::int64_t run = store.begin_run(provenance);
    PointRecord point = testing::example_point(1);
    point.key.pattern_name = "../../../etc/passwd";
    point.key.pattern_text = hostile_files::hostile("", "#include \"/etc/passwd\"\n");
    store.add_point(run, 0, point);
    store.end_run(run, RunState::finished);
  }
  for (const char* format : {"md", "csv", "html", "json", "svg"}) {
    const Outcome made = run_program({"report", "evil.db", "--format", format, "-o", "out"}, here);
    BOOST_TEST(made.code >= 0, made.err);
    BOOST_TEST(made.code != 70, made.err);
    std::error_code ignored;
    fs::remove_all(here / "out", ignored);
  }
  for (const char* format : {"header", "yaml", "json"}) {
    const Outcome made = run_program({"export", "evil.db", "--format", format}, here);
    BOOST_TEST(made.code >= 0, made.err);
    BOOST_TEST(made.code != 70, made.err);
    BOOST_TEST(!contains(made.out + made.err, "root:"), made.out);
  }
  BOOST_TEST(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  BOOST_TEST(std::distance(fs::directory_iterator(folder.path() / "a"), fs::directory_iterator()) ==
             1);
}

BOOST_AUTO_TEST_SUITE_END()
