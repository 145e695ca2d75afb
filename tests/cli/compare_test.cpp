#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compare)

namespace {

/// A database with a run for each of the factors, which all times are multiplied with.
std::string database(const TemporaryFolder& folder, const std::string& name,
                     const std::vector<double>& factors) {
  const std::filesystem::path path = folder.path() / name;
  Store store(path, Store::Mode::read_write);
  for (const double factor : factors) {
    Provenance provenance;
    provenance.sweep_name = "small";
    provenance.command = "sweep run small.yaml";
    provenance.device.name = "a device";
    const std::int64_t run = store.begin_run(provenance);
    for (const std::int64_t stride : {1, 2, 4}) {
      const double time = 100.0 * factor * static_cast<double>(stride);
      PointRecord point;
      point.key.pattern_name = "stride";
      point.key.parameters.set("STRIDE", stride);
      point.samples = {{time * 1e-6}};
      point.metrics = {{"time", Origin::measured, time},
                       {"time_low", Origin::measured, time * 0.999},
                       {"time_high", Origin::measured, time * 1.001}};
      store.add_point(run, stride, point);
    }
    store.end_run(run, RunState::finished);
  }
  return path.string();
}

/// A point of 4 blocks of 64 threads that the emulator counted.
void add_counted_run(const TemporaryFolder& folder) {
  Store store(folder.path() / "counted.db", Store::Mode::read_write);
  const std::int64_t run = store.begin_run({});
  PointRecord point;
  point.key.pattern_name = "stride";
  point.key.parameters.set("STRIDE", std::int64_t{2});
  point.metrics = {{"blocks", Origin::emulated, 4},
                   {"warps", Origin::emulated, 8},
                   {"dram_read_bytes", Origin::emulated, 1e6}};
  store.add_point(run, 0, point);
  store.end_run(run, RunState::finished);
}

/// Counters of a launch of it, as Nsight Compute prints them.
std::string counters(const std::string& bytes) {
  return "==PROF== Profiling\n"
         "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"dram__bytes_read.sum\"\n"
         "\"\",\"\",\"\",\"\",\"Mbyte\"\n"
         "\"0\",\"stride(float *)\",\"(64, 1, 1)\",\"(2, 2, 1)\",\"" +
         bytes + "\"\n";
}

struct Mistake {
  std::vector<std::string> arguments;
  int code;
  const char* message;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.message;
}

const std::vector<Mistake> mistakes = {
    {{}, 2, "compare what? for example: sweep compare before.db after.db"},
    {{"a.db", "b.db", "c.db"}, 2, "too many arguments"},
    {{"no.db", "b.db"}, 66, "no.db' does not exist"},
    {{"a.db:9", "b.db"}, 66, "has no run 9; its newest is run 2"},
    {{"a.db:x", "b.db"}, 2, "after the colon stands a run's number; 'sweep list runs a.db'"},
    {{"a.db:", "b.db"}, 2, "after the colon stands a run's number"},
    {{"a.db:0", "b.db"}, 2, "after the colon stands a run's number"},
    {{"b.db"}, 66, "has no run before run 1"},
    {{"x.csv"}, 2, "are compared with one run: sweep compare FILE.csv results/NAME.db"},
    {{"x.csv", "x.csv"}, 2, "are compared with one run"},
    {{"x.csv", "b.db", "--threshold", "1"}, 2, "--threshold is for two runs"},
    {{"x.csv", "b.db", "--set", "N=1"}, 2, "--set is for two versions"},
    {{"x.csv", "b.db"}, 66, "x.csv: no such file"},
    {{"text.db", "b.db"}, 65, "text.db"},
    {{"a.db", "b.db", "--format", "pdf"}, 2, "--format pdf: write text, md, html, json or github"},
    {{"a.db", "b.db", "--threshold", "much"}, 2, "--threshold much: write a share in percent"},
    {{"a.db", "b.db", "--threshold=-1"}, 2, "--threshold -1: write a share in percent"},
    {{"a.db", "b.db", "--metric", "tmie"}, 65, "did you mean 'time'?"},
    {{"a.db", "b.db", "--metric", "time:faster"}, 2, "write lower or higher"},
    {{"a.db", "b.db", "--metric", "time,,noise"}, 2, "a name is missing"},
    {{"a.db", "b.db", "--metric", "load_sectors"}, 65, "of either run has the metric load_sectors"},
    {{"a.db", "b.db", "--where", "STRID == 1"}, 65, "did you mean 'STRIDE'?"},
    {{"a.db", "b.db", "--where", "STRIDE =="}, 65, "--where:1:"},
    {{"a.db", "b.db", "--where", "STRIDE == 3"}, 65, "leaves no configuration of A"},
    {{"a.db", "b.db", "--ignore", "BLOCK"}, 65, "--ignore BLOCK: neither run has such a parameter"},
    {{"a.db", "b.db", "--rename", "x"}, 2, "--rename x: write OLD=NEW"},
    {{"a.db", "b.db", "--all", "--format", "md"}, 2, "--all: only --format text"},
    {{"a.db", "b.db", "-o", "no/such/folder.md"}, 73, "no/such"},
};

}  // namespace

BOOST_DATA_TEST_CASE(mistakes_are_explained, data::make(mistakes), mistake) {
  const TemporaryFolder folder;
  database(folder, "a.db", {1, 1});
  database(folder, "b.db", {1});
  folder.write("text.db", "this is text, not a database\n");
  std::vector<std::string> arguments = {"compare"};
  arguments.insert(arguments.end(), mistake.arguments.begin(), mistake.arguments.end());
  const Outcome wrong = run_program(arguments, folder.path());
  BOOST_TEST(wrong.code == mistake.code);
  BOOST_TEST(contains(wrong.err, mistake.message), wrong.err);
  BOOST_TEST(wrong.out.empty());
}

BOOST_AUTO_TEST_CASE(counters_of_nsight_compute_are_held_against_a_run) {
  const TemporaryFolder folder;
  add_counted_run(folder);
  folder.write("good.csv", counters("1.05"));
  folder.write("bad.csv", counters("2"));
  const Outcome good = run_program({"compare", "good.csv", "counted.db"}, folder.path());
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(contains(good.out, "agreement: 1 of 1 figure agree"), good.out);
  BOOST_TEST(contains(good.out, "1050000"), good.out);
  const Outcome bad =
      run_program({"compare", "counted.db", "bad.csv", "--format", "json"}, folder.path());
  BOOST_TEST(bad.code == 3);
  BOOST_TEST(nlohmann::json::parse(bad.out)["figures"][0]["difference"] == -50);
  const Outcome annotated = run_program({"compare", "bad.csv", "counted.db", "--format", "github"},
                                        folder.path(), {{"GITHUB_STEP_SUMMARY", ""}});
  BOOST_TEST(annotated.out.starts_with("::error title=sweep compare::disagreement: "),
             annotated.out);
  const Outcome none =
      run_program({"compare", "good.csv", "counted.db", "--where", "STRIDE == 1"}, folder.path());
  BOOST_TEST(none.code == 65);
  BOOST_TEST(contains(none.err, "good.csv and counted.db:1 have nothing to compare:"), none.err);
}

BOOST_AUTO_TEST_CASE(the_exit_code_tells_a_regression) {
  const TemporaryFolder folder;
  const std::string before = database(folder, "before.db", {1});
  const std::string after = database(folder, "after.db", {1.2, 1.01});
  const Outcome same = run_program({"compare", before, after}, folder.path());
  BOOST_TEST(same.code == 0);
  BOOST_TEST(contains(same.out, "all 3 the same within 5 %"));
  const Outcome slower = run_program({"compare", before, after + ":1"}, folder.path());
  BOOST_TEST(slower.code == 3);
  BOOST_TEST(contains(slower.out, "regression: of 3 configurations in both runs 3 slower"));
  BOOST_TEST(contains(slower.out, "1.20 times slower"));
  BOOST_TEST(run_program({"compare", after + ":1", before}).code == 0);
  BOOST_TEST(run_program({"compare", before, after + ":1", "--threshold", "25"}).code == 0);
  BOOST_TEST(run_program({"compare", before, after, "--threshold", "0.5 %"}).code == 3);
  BOOST_TEST(run_program({"compare", before, before}).code == 0);
}

BOOST_AUTO_TEST_CASE(one_database_is_compared_with_its_own_past) {
  const TemporaryFolder folder;
  database(folder, "results.db", {1, 1.2, 1.2});
  const Outcome newest = run_program({"compare", "results.db"}, folder.path());
  BOOST_TEST(newest.code == 0);
  BOOST_TEST(contains(newest.out, "A (before)  results.db:2"));
  BOOST_TEST(contains(newest.out, "B (after)   results.db:3"));
  const Outcome second = run_program({"compare", "results.db:2"}, folder.path());
  BOOST_TEST(second.code == 3);
  BOOST_TEST(contains(second.out, "A (before)  results.db:1"));
}

BOOST_AUTO_TEST_CASE(files_whose_names_look_like_runs_and_names_of_sweeps_are_found) {
  const TemporaryFolder folder;
  database(folder, "odd.db", {1});
  database(folder, "odd.db:1", {2});
  const Outcome odd = run_program({"compare", "odd.db", "odd.db:1"}, folder.path());
  BOOST_TEST(odd.code == 3);
  BOOST_TEST(contains(odd.out, "odd.db:1:1"));
  std::filesystem::create_directories(folder.path() / "results");
  database(folder, "results/small.db", {1, 2});
  BOOST_TEST(run_program({"compare", "small:1", "small:2"}, folder.path()).code == 3);
}

BOOST_AUTO_TEST_CASE(every_format_goes_to_a_file_and_the_verdict_to_the_user) {
  const TemporaryFolder folder;
  database(folder, "results.db", {1, 1.2});
  const Outcome json = run_program({"compare", "results.db", "--format", "json"}, folder.path());
  BOOST_TEST(json.code == 3);
  BOOST_TEST(nlohmann::json::parse(json.out)["metrics"][0]["worse"] == 3);
  for (const char* format : {"text", "md", "html", "json"}) {
    const std::string file = std::string("out.") + format;
    const Outcome written =
        run_program({"compare", "results.db", "--format", format, "-o", file}, folder.path());
    BOOST_TEST(written.code == 3);
    BOOST_TEST(written.out.empty());
    BOOST_TEST(written.err == "regression: of 3 configurations in both runs 3 slower\n");
    BOOST_TEST(contains(read_text_file(folder.path() / file), "slower"));
  }
}

BOOST_AUTO_TEST_CASE(the_runs_of_a_database_are_listed) {
  const TemporaryFolder folder;
  database(folder, "results.db", {1, 1.2});
  const Outcome runs = run_program({"list", "runs", "results.db"}, folder.path());
  BOOST_TEST(runs.code == 0);
  BOOST_TEST(contains(runs.out, "run  started"));
  BOOST_TEST(contains(runs.out, "\n  2  "));
  BOOST_TEST(contains(runs.out, "finished"));
  BOOST_TEST(contains(runs.out, "a device  sweep run small.yaml"));
  BOOST_TEST(run_program({"list", "runs"}).code == 2);
  BOOST_TEST(run_program({"list", "runs", "no.db"}).code == 66);
  BOOST_TEST(run_program({"list", "metrics", "x"}).code == 66);
}

BOOST_AUTO_TEST_CASE(a_pattern_that_got_worse_is_found_without_a_gpu,
                     *boost::unit_test::precondition(has_compiler)) {
  const TemporaryFolder folder;
  const std::string text = read_text_file(std::string(SWEEP_SOURCE_DIR) + "/patterns/stride.cu");
  const std::string place = "* BLOCK + threadIdx.x;";
  BOOST_REQUIRE(contains(text, place));
  // Of a block of 256 the same elements, eight apart for neighbouring threads.
  std::string worse = text;
  worse.replace(worse.find(place), place.size(),
                "* BLOCK + threadIdx.x * 8 % BLOCK + threadIdx.x / 32;");
  folder.write("same/stride.cu", text + "// nothing but a remark\n");
  folder.write("worse/stride.cu", worse);
  folder.write("few.yaml", "pattern: stride\naxes: {STRIDE: [1, 8]}\n");
  for (const char* version : {"patterns", "same", "worse"}) {
    const std::string patterns =
        version == std::string("patterns") ? SWEEP_SOURCE_DIR "/patterns" : version;
    const Outcome run = run_program({"run", "few.yaml", "--patterns", patterns, "--device",
                                     "emulator", "-o", std::string(version) + "-results"},
                                    folder.path());
    BOOST_TEST(run.code == 0, run.err);
  }
  const std::string before = "patterns-results/few.db";
  const Outcome same = run_program({"compare", before, "same-results/few.db"}, folder.path());
  BOOST_TEST(same.code == 0, same.out + same.err);
  BOOST_TEST(contains(same.out, "the text of the pattern stride differs"));
  BOOST_TEST(contains(same.out, "load_sectors, emulated: all 2 equal"));
  const Outcome found = run_program({"compare", before, "worse-results/few.db"}, folder.path());
  BOOST_TEST(found.code == 3, found.out + found.err);
  BOOST_TEST(contains(found.out, "load_sectors, emulated: 1 worse and 1 equal"), found.out);
  BOOST_TEST(contains(found.out, "8.00 times as much"));
}

BOOST_AUTO_TEST_SUITE_END()
