#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "report/charts/gnuplot_process.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace chart_fault {
namespace {

namespace fs = std::filesystem;

/// What stands in for gnuplot.
struct Gnuplot {
  std::string name;
  std::string script;  ///< of a shell; empty: there is no gnuplot
  std::string says;
};
std::ostream& operator<<(std::ostream& out, const Gnuplot& gnuplot) {
  return out << gnuplot.name;
}

const std::string not_drawn = "Not every chart is drawn: gnuplot ";

const Gnuplot gnuplots[] = {
    {"none", "", "gnuplot is not installed, so the charts are not drawn"},
    {"one that fails", "#!/bin/sh\necho 'no terminal svg' >&2; exit 3\n",
     not_drawn + "ended with 3: no terminal svg"},
    {"one that crashes", "#!/bin/sh\nkill -SEGV $$\n", not_drawn + "was killed by signal 11"},
    {"one that writes nothing", "#!/bin/sh\nexit 0\n", not_drawn + "wrote nothing"},
    {"one that complains and writes nothing", "#!/bin/sh\necho 'no font' >&2\n",
     not_drawn + "wrote nothing: no font"},
    {"one that writes something else", "#!/bin/sh\necho picture\n", not_drawn},
    {"one that ends in the middle",
     "#!/bin/sh\nprintf '<?xml version=\"1.0\"?>\\n<svg width=\"600\">\\n<title>x</title>'\n",
     not_drawn + "ended in the middle of a picture"},
    {"one that does not read its script", "#!/bin/sh\nexec 0<&-\nexit 1\n",
     not_drawn + "ended with 1"},
    {"no program", "no program\n", not_drawn + "("},
};

Environment with_gnuplot(const Gnuplot& gnuplot, const TemporaryFolder& folder) {
  if (!gnuplot.script.empty()) folder.write_program("gnuplot", gnuplot.script);
  return {{"PATH", folder.path().string()}};
}

}  // namespace
}  // namespace chart_fault

BOOST_AUTO_TEST_SUITE(chart_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(charts_that_cannot_be_drawn_cost_nothing_else, data::make(gnuplots), gnuplot) {
  const BrokenRun run;
  std::vector<std::string> words = BrokenRun::command();
  words.pop_back();  // --json keeps quiet about charts
  const TemporaryFolder programs;
  const Environment environment = with_gnuplot(gnuplot, programs);
  const Outcome outcome = run_program(words, run.folder(), environment);
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(contains(outcome.err, gnuplot.says), outcome.err);
  for (const char* ending : {".md", ".csv", ".html"}) {
    BOOST_TEST(fs::exists(run.folder() / ("results/stride" + std::string(ending))));
  }
  BOOST_TEST(!fs::exists(run.folder() / "results/stride-1.svg"));
  const Outcome picture =
      run_program({"report", "results/stride.db", "--format", "svg", "--chart", "1"}, run.folder(),
                  environment);
  BOOST_TEST(picture.code == 69);
  BOOST_TEST(picture.out.empty());
  const Outcome bitmap =
      run_program({"report", "results/stride.db", "--format", "png", "--chart", "1"}, run.folder(),
                  environment);
  BOOST_TEST(bitmap.code == 69, bitmap.err);
  run.complete();
}

BOOST_AUTO_TEST_CASE(one_that_hangs_is_waited_for_once) {
  const TemporaryFolder folder;
  const fs::path program = folder.write_program("gnuplot", "#!/bin/sh\nexec /bin/sleep 100\n");
  const auto says = [](const std::string& text) {
    return [text](const DrawingError& error) { return error.what() == text; };
  };
  BOOST_CHECK_EXCEPTION(run_gnuplot(program, "", std::chrono::milliseconds(200)), DrawingError,
                        says("gnuplot took longer than 0.2 s"));
  const auto begin = std::chrono::steady_clock::now();
  BOOST_CHECK_EXCEPTION(run_gnuplot(program, "", std::chrono::seconds(30)), DrawingError,
                        says("gnuplot took too long for an earlier picture"));
  BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(20)));
}

BOOST_AUTO_TEST_CASE(a_complaint_beside_a_picture_is_no_failure) {
  const TemporaryFolder folder;
  const fs::path program = folder.write_program(
      "gnuplot", "#!/bin/sh\necho 'warning: no such font' >&2\necho picture\n");
  BOOST_TEST(run_gnuplot(program, "") == "picture\n");
}

BOOST_AUTO_TEST_CASE(a_picture_of_the_other_kind_makes_no_folder) {
  const BrokenRun run;
  const Outcome outcome =
      run_program({"report", "results/stride.db", "--format", "svg", "-o", "x.png"}, run.folder());
  BOOST_TEST(outcome.code == 2);
  BOOST_TEST(contains(outcome.err,
                      "-o x.png: --format svg writes .svg files; --format png writes "
                      ".png"),
             outcome.err);
  BOOST_TEST(!fs::exists(run.folder() / "x.png"));
}

BOOST_AUTO_TEST_SUITE_END()
