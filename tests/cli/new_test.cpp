#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/cli/commands.h"
#include "engine/space/enumerate.h"
#include "engine/spec/keys.h"
#include "engine/spec/pattern.h"
#include "engine/text/read_source.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(new_files)

namespace {

const PatternLibrary& shipped() {
  static const PatternLibrary library({std::filesystem::path(SWEEP_SOURCE_DIR) / "patterns"});
  return library;
}

}  // namespace

BOOST_DATA_TEST_CASE(a_new_sweep_of_every_shipped_pattern_has_a_space,
                     data::make(shipped().names())) {
  Diagnostics diagnostics;
  const PatternPtr pattern = shipped().load(sample, {}, diagnostics);
  BOOST_TEST_REQUIRE(pattern != nullptr);
  const std::string text = new_sweep_text(pattern);
  const auto source = std::make_shared<Source>(Source{sample + ".yaml", text});
  try {
    const Sweep sweep = parse_sweep(source, source->name, shipped().lookup(), {});
    const Space space = enumerate(sweep);
    const auto count = space.configurations.size();
    BOOST_TEST(count >= 1U);
    BOOST_TEST(count <= 27U);
    BOOST_TEST((count > 1 || sweep.axes.empty()), text);
    const Configuration usual = resolve(pattern, {});
    BOOST_TEST(std::ranges::any_of(space.configurations, [&](const Configuration& each) {
      return each.parameters == usual.parameters;
    }));
    BOOST_TEST(sweep.report.tables.size() == 1U);
  } catch (const InputError& error) {
    BOOST_ERROR(render(error.diagnostics()) << text);
  }
  for (const Parameter& parameter : pattern->parameters) {
    BOOST_TEST(contains(text, "  " + parameter.name + ":") !=
               contains(text, "# " + parameter.name + ":"));
  }
}

BOOST_AUTO_TEST_CASE(a_new_pattern_shows_every_key) {
  const std::string text = new_pattern_text("mine");
  for (const Key& key : pattern_keys) {
    BOOST_TEST(contains(text, std::string(key.name) + ":"), key.name);
  }
  Diagnostics diagnostics;
  const auto source = std::make_shared<Source>(Source{"mine.cu", text});
  BOOST_TEST((parse_pattern(source, "mine.cu", diagnostics) != nullptr));
  BOOST_TEST(render(diagnostics) == "");
}

BOOST_AUTO_TEST_CASE(a_new_pattern_and_its_sweep_run_as_they_are,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  const Outcome pattern = run_program({"new", "pattern", "mine"}, folder.path());
  BOOST_TEST(pattern.code == 0);
  BOOST_TEST(contains(pattern.err, "\n  sweep check --run mine.cu\n"));
  const Outcome check = run_program({"check", "--run", "mine.cu"}, folder.path());
  BOOST_TEST(check.code == 0, check.out << check.err);
  const Outcome begun = run_program({"new", "sweep", "mine.cu"}, folder.path());
  BOOST_TEST(contains(begun.err, "\n  sweep run mine.yaml\n"));
  const Outcome run = run_program({"run", "mine.yaml", "--device", "emulator"}, folder.path());
  BOOST_TEST(run.code == 0, run.out << run.err);
  BOOST_TEST(contains(run.err, "18 points measured, 0 failed"));
}

BOOST_AUTO_TEST_SUITE(with_compiler, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_new_sweep_runs_on_the_emulator,
                     data::make(std::vector<std::string>{"stride", "transpose_tiled",
                                                         "bank_conflicts", "pointer_chase"})) {
  const TemporaryFolder folder;
  BOOST_TEST(run_program({"new", "sweep", sample}, folder.path()).code == 0);
  const Outcome run = run_program({"run", sample + ".yaml", "--device", "emulator"}, folder.path());
  BOOST_TEST(run.code == 0, run.out << run.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(nothing_is_overwritten_unless_forced) {
  const TemporaryFolder folder;
  folder.write("mine.cu", "precious");
  const Outcome refused = run_program({"new", "pattern", "mine"}, folder.path());
  BOOST_TEST(refused.code == 73);
  BOOST_TEST(refused.err == "sweep: mine.cu is there already; --force replaces it\n");
  BOOST_TEST(read_source(folder.path() / "mine.cu")->text == "precious");
  BOOST_TEST(run_program({"new", "pattern", "mine", "--force"}, folder.path()).code == 0);
  BOOST_TEST(contains(read_source(folder.path() / "mine.cu")->text, "__global__ void mine("));
  BOOST_TEST(run_program({"new", "pattern", "mine.cu", "-o", "sub"}, folder.path()).code == 0);
  BOOST_TEST(std::filesystem::exists(folder.path() / "sub" / "mine.cu"));
}

BOOST_DATA_TEST_CASE(a_name_that_no_kernel_can_have_is_refused,
                     data::make(std::vector<std::string>{"float", "2nd", "a-b", "i", "min", "a/b",
                                                         "", "threadIdx"})) {
  const TemporaryFolder folder;
  const Outcome outcome = run_program({"new", "pattern", sample}, folder.path());
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(contains(outcome.err, "a pattern cannot be called '" + sample + "'"));
}

BOOST_AUTO_TEST_CASE(a_sweep_of_an_unknown_pattern_is_refused_with_a_suggestion) {
  const Outcome outcome = run_program({"new", "sweep", "strid"});
  BOOST_TEST(outcome.code == 66);
  BOOST_TEST(contains(outcome.err, "did you mean 'stride'?"));
  BOOST_TEST(run_program({"new"}).code == 2);
  BOOST_TEST(run_program({"new", "kernel", "a"}).code == 2);
}

namespace {

const std::string kernels =
    "#include <cstdio>\n"
    "template <class T> __global__ void scale(const T* in, T* out, T by, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i] * by;\n}\n"
    "__global__ void clear(float* out, int n) {\n"
    "  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 0;\n}\n"
    "int main() {\n  float *a, *b;\n  const int n = 1 << 16;\n  cudaMalloc(&a, n * "
    "sizeof(float));\n"
    "  cudaMalloc(&b, n * sizeof(float));\n  scale<float><<<n / 256, 256>>>(a, b, 2.0f, n);\n"
    "  clear<<<1, 256>>>(b, n);\n  std::printf(\"%d\\n\", n);\n}\n";

/// A command line, its exit code, and what it says.
struct FromCase {
  std::vector<std::string> words;
  int code;
  std::string message;

  friend std::ostream& operator<<(std::ostream& out, const FromCase& row) {
    return out << row.message;
  }
};

const std::vector<FromCase> from_cases = {
    {{"pattern", "mine", "--from", "kernels.cu"},
     2,
     "sweep: kernels.cu has 2 kernels; say which with --kernel NAME:\n"
     "  template <typename T> scale(const T* in, T* out, T by, int n)\n"
     "  clear(float* out, int n)"},
    {{"pattern", "mine", "--from", "kernels.cu", "--kernel", "scala"},
     2,
     "sweep: kernels.cu has no kernel 'scala'; did you mean 'scale'?"},
    {{"pattern", "mine", "--from", "kernels.cu", "--kernel", "unlike"},
     2,
     "sweep: kernels.cu has no kernel 'unlike'; its kernels are:\n  template"},
    {{"pattern", "mine", "--from", "nowhere.cu"}, 66, "nowhere.cu"},
    {{"pattern", "mine", "--from", "host.cu"},
     65,
     "host.cu: error: there is no kernel in this file, nor in one that it includes"},
    {{"pattern", "mine", "--from", "picture.cu"}, 65, "picture.cu:1:"},
    {{"pattern", "kernels", "--from", "kernels.cu", "--kernel", "clear", "--force"},
     2,
     "sweep: kernels.cu is the kernel's own file"},
    {{"pattern", "mine", "--kernel", "clear"}, 2, "sweep: --kernel is one of a file's"},
    {{"sweep", "stride", "--from", "kernels.cu"}, 2, "sweep: --from is for a new pattern"},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_file_without_the_kernel_is_refused, data::make(from_cases), row) {
  const TemporaryFolder folder;
  folder.write("kernels.cu", kernels);
  folder.write("host.cu", "int main() {}\n");
  folder.write("picture.cu", std::string("\x89PNG\r\n\0", 7));
  const Outcome outcome = run_program(with({"new"}, row.words), folder.path());
  BOOST_TEST(outcome.code == row.code, outcome.err);
  BOOST_TEST(contains(outcome.err, row.message), outcome.err);
  BOOST_TEST(read_source(folder.path() / "kernels.cu")->text == kernels);
}

BOOST_AUTO_TEST_CASE(a_pattern_for_a_kernel_compiles_and_runs_at_once,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "src");
  folder.write("src/kernels.cu", kernels);
  const std::vector<std::string> begin = {"new",    "pattern",        "mine",
                                          "--from", "src/kernels.cu", "--kernel"};
  for (const char* kernel : {"scale", "clear"}) {
    for (const bool is_elsewhere : {false, true}) {
      const std::vector<std::string> place = {"--force", "-o", is_elsewhere ? "mine" : "src"};
      const Outcome made = run_program(with(with(begin, {kernel}), place), folder.path());
      BOOST_TEST(made.code == 0, made.err);
      const std::string rest = is_elsewhere ? "mine/mine.cu --include src" : "src/mine.cu";
      BOOST_TEST(contains(made.err, "  sweep check " + rest + "\n"), made.err);
      std::vector<std::string> check = {"check", "--run",
                                        is_elsewhere ? "mine/mine.cu" : "src/mine.cu"};
      if (is_elsewhere) check = with(check, {"--include", "src"});
      const Outcome checked = run_program(check, folder.path());
      BOOST_TEST(checked.code == 0, checked.out << checked.err);
      BOOST_TEST(contains(checked.err, "note: left to fill in: what holds for each i"),
                 checked.err);
      const Outcome quiet = run_program(with(check, {"--quiet"}), folder.path());
      BOOST_TEST(!contains(quiet.err, "left to fill in"), quiet.err);
    }
  }
  const Outcome beside = run_program(with(begin, {"clear"}), folder.path());
  BOOST_TEST(beside.code == 73, beside.err);
}

BOOST_AUTO_TEST_SUITE_END()
