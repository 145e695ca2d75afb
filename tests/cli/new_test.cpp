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

BOOST_AUTO_TEST_SUITE_END()
