#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/store/store.h"
#include "engine/text/characters.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(report_index)

namespace {

/// Adds a run of two points of the sweep "small", the second of which takes so many us.
void add_run(const std::filesystem::path& path, double time, const char* gpu = "NVIDIA H200") {
  std::filesystem::create_directories(path.parent_path());
  Store store(path, Store::Mode::read_write);
  Provenance provenance;
  provenance.sweep_name = "small";
  provenance.sweep_text = "pattern: stride\nreport: {tables: [{rows: STRIDE, value: bandwidth}]}\n";
  provenance.command = "sweep run small.yaml";
  provenance.device.backend = "cuda";
  provenance.device.name = gpu;
  const std::int64_t run = store.begin_run(provenance);
  for (const std::int64_t stride : {1, 2}) {
    const double own = stride == 1 ? 100 : time;
    PointRecord point;
    point.key.pattern_name = "stride";
    point.key.pattern_text = "text";
    point.key.parameters.set("STRIDE", stride);
    point.metrics = {{"time", Origin::measured, own},
                     {"time_low", Origin::measured, own * 0.999},
                     {"time_high", Origin::measured, own * 1.001},
                     {"bandwidth", Origin::measured, 1e6 / own}};
    store.add_point(run, stride - 1, point);
  }
  store.end_run(run, RunState::finished);
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// All that the page links to in its folder.
std::vector<std::string> links_of(const std::string& page) {
  constexpr std::string_view begin = "href=\"";
  std::vector<std::string> links;
  for (std::size_t at = page.find(begin); at != page.npos; at = page.find(begin, at)) {
    at += begin.size();
    const std::string link = page.substr(at, page.find('"', at) - at);
    if (!link.starts_with('#')) links.push_back(link);
  }
  return links;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_folder_is_shown_on_one_page) {
  const TemporaryFolder folder;
  const std::filesystem::path nightly = folder.path() / "nightly";
  add_run(nightly / "one/small.db", 200);
  add_run(nightly / "one/small.db", 201);
  add_run(nightly / "two/small.db", 300);
  add_run(nightly / "two/h100.db", 900, "NVIDIA H100");
  std::filesystem::copy_file(nightly / "two/small.db", nightly / "with a copy.db");
  std::ofstream(nightly / "notes.db") << "no database";
  const std::string whole = text_of(nightly / "one/small.db");
  std::ofstream(nightly / "cut.db") << whole.substr(0, whole.size() / 2);

  const Outcome made = run_program({"report", "nightly"}, folder.path());
  BOOST_TEST(made.code == 0, made.err);
  BOOST_TEST(made.out.empty());
  BOOST_TEST(contains(made.err, "skipped: notes.db: "));
  BOOST_TEST(contains(made.err, "skipped: cut.db: "));
  BOOST_TEST(contains(made.err, "1 of 1 sweep with several runs got worse: small on NVIDIA H200"));
  const std::string page = text_of(nightly / "index.html");
  BOOST_TEST(contains(page, "4 runs of 1 sweep on NVIDIA H100 and NVIDIA H200"));
  BOOST_TEST(contains(page, "notes.db"));
  const std::vector<std::string> links = links_of(page);
  BOOST_TEST(is_among(links, "runs/one/small-2.html"));
  BOOST_TEST(is_among(links, "compare/two/small-1.html"));
  for (const std::string& link : links) {
    BOOST_TEST(std::filesystem::is_regular_file(nightly / link), link);
  }
  BOOST_TEST(contains(text_of(nightly / "index.md"), "## What got worse"));
  BOOST_TEST(run_program({"report", "nightly", "--fail-on-regression"}, folder.path()).code == 3);
}

BOOST_AUTO_TEST_CASE(an_index_goes_to_a_folder_of_choice) {
  const TemporaryFolder folder;
  add_run(folder.path() / "a/small.db", 200);
  add_run(folder.path() / "b/small.db", 200);
  BOOST_TEST(run_program({"report", "a", "b"}, folder.path()).code == 2);
  const Outcome made = run_program({"report", "--index", "a/small.db", "b/small.db", "-o", "site",
                                    "--format", "html", "--fail-on-regression"},
                                   folder.path());
  BOOST_TEST(made.code == 0, made.err);
  BOOST_TEST(std::filesystem::exists(folder.path() / "site/runs/a/small-1.html"));
  BOOST_TEST(std::filesystem::exists(folder.path() / "site/index.html"));
  BOOST_TEST(!std::filesystem::exists(folder.path() / "site/index.md"));
}

BOOST_AUTO_TEST_CASE(what_an_index_cannot_do_is_said) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "empty");
  const auto run = [&](const std::vector<std::string>& words) {
    return run_program(with({"report"}, words), folder.path());
  };
  BOOST_TEST(contains(run({"empty"}).err, "there is no results database (.db) in this folder"));
  BOOST_TEST(run({"empty"}).code == 66);
  BOOST_TEST(contains(run({"empty", "--format", "csv"}).err, "an index is html or md"));
  BOOST_TEST(contains(run({"empty", "-o", "x.html"}).err, "name a folder"));
  BOOST_TEST(contains(run({"empty", "--chart", "1"}).err, "--chart is for one run"));
  BOOST_TEST(contains(run({"x.db", "--fail-on-regression"}).err, "is for an index"));
  std::ofstream(folder.path() / "empty/x.db") << "no database";
  const Outcome none = run({"empty"});
  BOOST_TEST(none.code == 65);
  BOOST_TEST(contains(none.err, "skipped: x.db: "));
}

BOOST_AUTO_TEST_SUITE_END()
