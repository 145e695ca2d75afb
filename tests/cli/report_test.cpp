#include <boost/test/unit_test.hpp>

#include "engine/store/store.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace {

/// A database with one run of two points.
std::filesystem::path small_database(const TemporaryFolder& folder) {
  const std::filesystem::path path = folder.path() / "small.db";
  Store store(path, Store::Mode::read_write);
  Provenance provenance;
  provenance.sweep_name = "small";
  provenance.sweep_text = "pattern: stride\nreport: {tables: [{rows: STRIDE, value: bandwidth}]}\n";
  provenance.command = "sweep run small.yaml";
  const std::int64_t run = store.begin_run(provenance);
  for (const std::int64_t stride : {1, 2}) {
    PointRecord point;
    point.key.pattern_name = "stride";
    point.key.pattern_text = "text";
    point.key.parameters.set("STRIDE", stride);
    point.samples = {{1e-3}};
    point.metrics = {{"bandwidth", Origin::measured, 1000.0 / static_cast<double>(stride)}};
    store.add_point(run, stride - 1, point);
  }
  store.end_run(run, RunState::finished);
  return path;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(a_report_is_made_again_from_the_database_alone) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const Outcome markdown = run_program({"report", database}, folder.path());
  BOOST_TEST(markdown.code == 0);
  BOOST_TEST(contains(markdown.out, "| STRIDE |"));
  BOOST_TEST(contains(markdown.out, "sweep run small.yaml"));
  const Outcome csv = run_program({"report", database, "--format", "csv"}, folder.path());
  BOOST_TEST(csv.code == 0);
  BOOST_TEST(csv.out.starts_with("pattern,STRIDE,"));
  BOOST_TEST(contains(csv.out, "bandwidth.measured [GB/s]"));
}

BOOST_AUTO_TEST_CASE(a_report_goes_to_a_file_whole) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const Outcome written = run_program({"report", database, "--output", "report.md"}, folder.path());
  BOOST_TEST(written.code == 0);
  BOOST_TEST(written.out.empty());
  BOOST_TEST(read_text_file(folder.path() / "report.md") == run_program({"report", database}).out);
  BOOST_TEST(run_program({"report", database, "-o", "no/such/folder.md"}).code == 73);
}

BOOST_AUTO_TEST_CASE(what_is_no_database_is_refused_and_stays_as_it_is) {
  const TemporaryFolder folder;
  const std::filesystem::path text = folder.write("text.db", "this is text, not a database\n");
  const Outcome refused = run_program({"report", text.string()});
  BOOST_TEST(refused.code == 65);
  BOOST_TEST(contains(refused.err, "text.db"));
  BOOST_TEST(read_text_file(text) == "this is text, not a database\n");
  BOOST_TEST(run_program({"report", "no/such.db"}).code == 66);
}

BOOST_AUTO_TEST_CASE(runs_and_formats_that_are_not_there_are_named) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  BOOST_TEST(run_program({"report", database, "--run", "7"}).code == 66);
  BOOST_TEST(run_program({"report", database, "--format", "pdf"}).code == 2);
  BOOST_TEST(run_program({"report", database, "--run", "x"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
