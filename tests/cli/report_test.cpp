#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "engine/store/store.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(report)

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
  BOOST_TEST(contains(csv.out, ",bandwidth,bandwidth_low,bandwidth_high,"));
}

BOOST_AUTO_TEST_CASE(a_report_goes_to_a_file_whole) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const Outcome written = run_program({"report", database, "--output", "report.md"}, folder.path());
  BOOST_TEST(written.code == 0);
  BOOST_TEST(written.out.empty());
  // What goes to a file has its charts beside it.
  BOOST_TEST(contains(written.err, "report-1.svg"));
  BOOST_TEST(run_program({"report", database, "-o", "no/such/folder.md"}).code == 73);
}

BOOST_AUTO_TEST_CASE(what_a_killed_report_left_is_removed_by_the_next) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  for (const char* name : {"report.md.1178.part", "report.md.77.part", "report.md.x1.part",
                           "report.md.1.part.old", "other.md.1178.part"}) {
    folder.write(name, "half a report");
  }
  // One that is being written.
  const int file = open((folder.path() / "report.md.77.part").c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(flock(file, LOCK_EX) == 0);
  const Outcome written = run_program({"report", database, "-o", "report.md"}, folder.path());
  close(file);
  BOOST_TEST(written.code == 0, written.err);
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename();
    if (contains(name, ".part")) left.push_back(name);
  }
  std::ranges::sort(left);
  const std::vector<std::string> expected = {"other.md.1178.part", "report.md.1.part.old",
                                             "report.md.77.part", "report.md.x1.part"};
  BOOST_TEST(left == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_report_goes_into_a_pipe_or_a_device_and_leaves_it_what_it_is) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const std::filesystem::path pipe = folder.path() / "pipe";
  BOOST_REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  BOOST_REQUIRE(reader >= 0);
  const Outcome written =
      run_program({"report", database, "--format", "csv", "-o", "pipe"}, folder.path());
  std::string text(16, ' ');
  const ssize_t size = ::read(reader, text.data(), text.size());
  ::close(reader);
  BOOST_TEST(written.code == 0, written.err);
  BOOST_TEST(size == 16);
  BOOST_TEST(text.starts_with("pattern,STRIDE,"));
  BOOST_TEST(std::filesystem::is_fifo(pipe));
  const Outcome nowhere = run_program({"report", database, "-o", "/dev/null"}, folder.path());
  BOOST_TEST(nowhere.code == 0, nowhere.err);
  BOOST_TEST(nowhere.err.empty());
  BOOST_TEST(std::filesystem::is_character_file("/dev/null"));
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
  const Outcome format = run_program({"report", database, "--format", "pdf"});
  BOOST_TEST(format.code == 2);
  BOOST_TEST(contains(format.err, "write md, csv, html, jsonl, json, svg or github"), format.err);
  const Outcome run = run_program({"report", database, "--run", "x"});
  BOOST_TEST(run.code == 2);
  BOOST_TEST(contains(run.err, "--run x: write a whole number from 1 to"), run.err);
  const Outcome chart = run_program({"report", database, "--format", "svg", "--chart", "-1"});
  BOOST_TEST(contains(chart.err, "--chart -1: write a whole number from 1 to"), chart.err);
  BOOST_TEST(run_program({"report", database, "-o", ""}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_run_is_named_behind_a_colon_too) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  BOOST_TEST(run_program({"report", database + ":1"}).out ==
             run_program({"report", database, "--run", "1"}).out);
  BOOST_TEST(run_program({"report", database + ":7"}).code == 66);
  const Outcome both = run_program({"report", database + ":1", "--run", "1"});
  BOOST_TEST(both.code == 2);
  BOOST_TEST(contains(both.err, "names a run already"), both.err);
}

BOOST_AUTO_TEST_CASE(charts_are_drawn_beside_a_report_and_into_a_folder) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  folder.write("report-1.svg", "of an earlier report");
  folder.write("report-2.svg", "of an earlier report that had more");
  BOOST_TEST(run_program({"report", database, "-o", "report.md"}, folder.path()).code == 0);
  BOOST_TEST(contains(read_text_file(folder.path() / "report-1.svg"), "<svg"));
  BOOST_TEST(!std::filesystem::exists(folder.path() / "report-2.svg"));
  BOOST_TEST(contains(read_text_file(folder.path() / "report.md"), "](report-1.svg)"));
  const Outcome drawn =
      run_program({"report", database, "--format", "svg", "-o", "pictures"}, folder.path());
  BOOST_TEST(drawn.code == 0);
  BOOST_TEST(contains(drawn.err, "pictures/small-1.svg"));
  BOOST_TEST(contains(read_text_file(folder.path() / "pictures/small-1.svg"), "<svg"));
}

BOOST_AUTO_TEST_CASE(a_chart_that_cannot_be_written_does_not_fail_the_report) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  std::filesystem::create_directories(folder.path() / "report-1.svg/in the way");
  const Outcome report = run_program({"report", database, "-o", "report.md"}, folder.path());
  BOOST_TEST(report.code == 0);
  BOOST_TEST(contains(report.err, "Not every chart is drawn: "), report.err);
  BOOST_TEST(contains(read_text_file(folder.path() / "report.md"), "Not every chart is drawn: "));
}

BOOST_AUTO_TEST_CASE(pictures_are_svg_alone) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const Outcome format = run_program({"report", database, "--format", "png"});
  BOOST_TEST(format.code == 2);
  BOOST_TEST(contains(format.err, "write md, csv, html, jsonl, json, svg or github"), format.err);
  const Outcome file =
      run_program({"report", database, "--format", "svg", "-o", "x.png"}, folder.path());
  BOOST_TEST(file.code == 2);
  BOOST_TEST(contains(file.err, "-o x.png: pictures are SVG; name a file .svg or a folder"),
             file.err);
  BOOST_TEST(!std::filesystem::exists(folder.path() / "x.png"));
}

BOOST_AUTO_TEST_CASE(charts_that_are_not_there_are_named) {
  const TemporaryFolder folder;
  const std::string database = small_database(folder).string();
  const Outcome beyond = run_program({"report", database, "--format", "svg", "--chart", "9"});
  BOOST_TEST(beyond.code == 2);
  BOOST_TEST(contains(beyond.err, "--chart 9: the run has 1 chart:"));
  BOOST_TEST(run_program({"report", database, "--format", "svg", "--chart", "0"}).code == 2);
  BOOST_TEST(run_program({"report", database, "--chart", "1"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
