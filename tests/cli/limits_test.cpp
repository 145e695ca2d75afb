// What is too large, no text, or oddly named comes to an error that says so, or works.
#include <sys/stat.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <ostream>

#include "engine/system/machine_memory.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace limits {
namespace {

/// A pattern `small` and a sweep `small.yaml` over it.
struct SmallSweep : TemporaryFolder {
  SmallSweep() {
    write("small.cu", pattern());
    write("small.yaml", "pattern: small\naxes: {BLOCK: [32, 64]}\n");
  }

  static std::string pattern(const std::string& statement = "data[i] = 1;",
                             const std::string& length = "N") {
    return "/* pattern:\nparameters: {N: {default: 64, min: 0}, BLOCK: {default: 32}}\n"
           "buffers: {data: {type: int, length: " +
           length +
           ", init: \"i\"}}\n"
           "launch: {grid: N / BLOCK, block: BLOCK}\nuseful: {write: N * 4}\n"
           "verify: \"data[i] == (i < N ? 1 : int(i))\"\n*/\n"
           "__global__ void small(int* data) {\n"
           "  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;\n  " +
           statement + "\n}\n";
  }

  void pipe(const std::string& name) const {
    BOOST_REQUIRE(mkfifo((path() / name).c_str(), 0600) == 0);
  }

  Outcome program(const std::vector<std::string>& arguments) const {
    return run_program(arguments, path());
  }
  Outcome run(const std::string& sweep, const std::vector<std::string>& more = {}) const {
    return program(with(with({"run", "--device", "emulator"}, more), {"--", sweep}));
  }
};

struct NoDatabase {
  std::vector<std::string> arguments;
  friend std::ostream& operator<<(std::ostream& out, const NoDatabase& row) {
    return out << row.arguments.front();
  }
};

const std::vector<NoDatabase> readers_of_databases = {
    {{"report", "pipe"}},
    {{"compare", "pipe", "pipe"}},
    {{"export", "--format", "json", "pipe"}},
    {{"list", "runs", "pipe"}},
};

}  // namespace
}  // namespace limits

BOOST_FIXTURE_TEST_SUITE(limits, limits::SmallSweep)

BOOST_DATA_TEST_CASE_F(SmallSweep, a_pipe_is_no_database, data::make(readers_of_databases), row) {
  pipe("pipe");
  const Outcome refused = program(row.arguments);
  BOOST_TEST(refused.code == 65);
  BOOST_TEST(contains(refused.err, "'pipe' is not a file, so no results database either"),
             refused.err);
}

BOOST_AUTO_TEST_CASE(more_configurations_than_the_limit_are_counted_and_refused) {
  write("many.yaml",
        "pattern: small\naxes: {N: {from: 1, to: 5000}, BLOCK: {from: 1, to: 5000}}\n");
  const std::string refused =
      "many.yaml: error: this sweep has 25,000,000 configurations; the limit is 1,000,000\n"
      "  help: add constraints under where:, shorten the axes, fix some with --set NAME=VALUE, or "
      "allow more with --max-configurations 25000000\n";
  for (const std::vector<std::string>& command : {std::vector<std::string>{"check", "many.yaml"},
                                                  {"run", "many.yaml"},
                                                  {"show", "sweep", "many.yaml"}}) {
    const Outcome outcome = program(command);
    BOOST_TEST(outcome.code == 65);
    BOOST_TEST(outcome.err == refused);
  }
}

BOOST_AUTO_TEST_CASE(the_limit_is_an_option) {
  const Outcome refused = run("small.yaml", {"--max-configurations", "1"});
  BOOST_TEST(refused.code == 65);
  BOOST_TEST(contains(refused.err, "this sweep has 2 configurations; the limit is 1\n"));
  const Outcome shown = program({"show", "sweep", "small.yaml", "--max-configurations", "2"});
  BOOST_TEST(shown.code == 0);
  for (const char* wrong : {"0", "-1", "many", "1e6", "99999999999999999999"}) {
    const Outcome usage = run("small.yaml", {"--max-configurations", wrong});
    BOOST_TEST(usage.code == 2);
    BOOST_TEST(usage.err == "sweep: --max-configurations " + std::string(wrong) +
                                ": write a whole number from 1 to 1000000000\n");
  }
}

BOOST_AUTO_TEST_CASE(results_need_a_name_that_files_can_have) {
  const std::string text = "pattern: small\n";
  const std::string named = "sweep: files with results are named after the sweep, but its name ";
  write(std::string(201, 'x') + ".yaml", text);
  const Outcome longer = run(std::string(201, 'x') + ".yaml");
  BOOST_TEST(longer.code == 65);
  BOOST_TEST(longer.err == named + "has 201 bytes, and they can have 200; rename the file\n");
  write("two\nlines.yaml", text);
  BOOST_TEST(run("two\nlines.yaml").err == named + "holds a control character; rename the file\n");
  write("la\xE4tin.yaml", text);
  BOOST_TEST(run("la\xE4tin.yaml").err == named + "is not UTF-8 text; rename the file\n");
  BOOST_TEST(!std::filesystem::exists(path() / "results"));
}

BOOST_AUTO_TEST_CASE(an_empty_output_folder_is_refused) {
  const Outcome refused = run("small.yaml", {"--output", ""});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(refused.err == "sweep: --output: name a folder, for example results\n");
}

BOOST_AUTO_TEST_CASE(a_message_has_a_bound_and_says_how_much_is_missing) {
  const std::string name(22'000, 'x');
  const std::vector<std::vector<std::string>> commands = {
      {name}, {"run", name}, {"check", "--arch", name, "small.cu"}};
  for (const std::vector<std::string>& command : commands) {
    const Outcome refused = program(command);
    BOOST_TEST(refused.code != 0);
    BOOST_TEST(refused.err.size() < 5'000U, refused.err.size());
    BOOST_TEST(contains(refused.err, " more bytes)"), refused.err);
  }
}

BOOST_AUTO_TEST_CASE(odd_names_work, *boost::unit_test::precondition(has_compiler)) {
  for (const std::string name : {"a b", "it's \"$x\" `y` %s {}", "-dash", ".hidden",
                                 "gr\xC3\xB6\xC3\x9F"
                                 "e \xE6\xB8\xAC"}) {
    write(name + ".yaml",
          "pattern: small\naxes: {BLOCK: [32, 64]}\n"
          "report: {charts: [{line: {x: BLOCK, y: instructions}}]}\n");
    const Outcome done = run(name + ".yaml", {"-o", "out " + name});
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(done.code == 0, done.err);
      for (const char* ending : {".db", ".md", ".csv", ".html"}) {
        BOOST_TEST(std::filesystem::exists(path() / ("out " + name) / (name + ending)));
      }
    }
  }
  write(std::string(200, 'x') + ".yaml", "pattern: small\n");
  BOOST_TEST(run(std::string(200, 'x') + ".yaml").code == 0);
}

BOOST_AUTO_TEST_CASE(folders_with_quotes_do_not_disturb_the_compiler,
                     *boost::unit_test::precondition(has_compiler)) {
  for (const std::string folder : {"a\"b\\c", "two\nlines",
                                   "gr\xC3\xB6\xC3\x9F"
                                   "e"}) {
    write(folder + "/small.cu", pattern());
    write(folder + "/wrong/small.cu", pattern("data[i] = oops;"));
    BOOST_TEST_CONTEXT(folder) {
      const Outcome good = program({"check", "--run", folder + "/small.cu"});
      BOOST_TEST(good.code == 0, good.err);
      const Outcome wrong = program({"check", folder + "/wrong/small.cu"});
      BOOST_TEST(wrong.code == 65);
      BOOST_TEST(contains(wrong.err, "small.cu:10:13: error: identifier \"oops\" is undefined\n"),
                 wrong.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(lines_keep_their_numbers_with_other_line_ends,
                     *boost::unit_test::precondition(has_compiler)) {
  std::string text;
  for (const char c : pattern("data[i] = /* \xE6\xB8\xAC */ oops;")) {
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  for (const std::string& begin : {std::string(), std::string("\xEF\xBB\xBF")}) {
    write("small.cu", begin + text);
    const Outcome wrong = program({"check", "small.cu"});
    BOOST_TEST(
        contains(wrong.err, "  data[i] = /* \xE6\xB8\xAC */ oops;\n" + std::string(23, ' ') + "^"),
        wrong.err);
    BOOST_TEST(contains(wrong.err, "small.cu:10:"), wrong.err);
  }
}

BOOST_AUTO_TEST_CASE(buffers_that_no_machine_has_are_failed_points,
                     *boost::unit_test::precondition(has_compiler)) {
  write("small.cu", pattern("data[i] = 1;", "1024 Gi"));
  const Outcome refused = run("small.yaml");
  BOOST_TEST(refused.code == 1);
  BOOST_TEST(contains(refused.err,
                      "out of memory: the buffers need 4 TiB; the emulator takes "
                      "up to 1 TiB"),
             refused.err);
}

BOOST_AUTO_TEST_CASE(executing_all_of_buffers_larger_than_the_memory_is_refused_at_once,
                     *boost::unit_test::precondition(has_compiler)) {
  if (machine_memory().total >> 40U != 0) {
    BOOST_TEST_MESSAGE("skipped: this machine has a TiB of memory");
    return;
  }
  write("small.cu", pattern("data[i] = 1;", "255 Gi"));
  const Outcome refused = run("small.yaml", {"--exact"});
  BOOST_TEST(refused.code == 1);
  BOOST_TEST(contains(refused.err, "out of memory: the buffers have 1020 GiB, of this machine's "),
             refused.err);
}

BOOST_AUTO_TEST_SUITE_END()
