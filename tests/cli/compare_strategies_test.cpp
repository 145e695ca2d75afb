#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "engine/cli/commands/strategy_tables.h"
#include "engine/store/store.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(compare_strategies)

namespace {

/// A cache of Kernel Tuner's kind: 48 configurations of two parameters, the best one in the middle,
/// every seventh fails.
std::string cache_text(const std::string& objective = "time", bool has_times = false) {
  std::string entries;
  int number = 0;
  for (const int width : {16, 32, 64, 128, 256, 512}) {
    for (int unroll = 1; unroll <= 8; ++unroll) {
      const double time =
          1.0 + (width > 64 ? width / 64.0 : 64.0 / width) + (unroll - 5) * (unroll - 5);
      const std::string figure =
          ++number % 7 == 0 ? "\"RuntimeFailedConfig\"" : std::to_string(time);
      entries += (entries.empty() ? "" : ",\n") +
                 ("\"" + std::to_string(width) + "," + std::to_string(unroll) +
                  "\": {\"width\": " + std::to_string(width) +
                  ", \"unroll\": " + std::to_string(unroll) + ", \"" + objective + "\": " + figure +
                  (has_times ? ", \"compile_time\": 500, \"benchmark_time\": 100}" : "}"));
    }
  }
  return R"({"device_name": "A GPU", "kernel_name": "blur", "objective": ")" + objective +
         R"(", "tune_params_keys": ["width", "unroll"], "cache": {)" + entries + "}}";
}

/// A run of 40 points with a bandwidth and, if it is counted, one of the emulator's counts and a
/// prediction.
std::filesystem::path write_database(const TemporaryFolder& folder, bool counted) {
  const auto path = folder.path() / "run.db";
  Store store(path, Store::Mode::read_write);
  const std::int64_t run = store.begin_run(Provenance{});
  for (std::int64_t i = 0; i < 40; ++i) {
    PointRecord point;
    point.key.pattern_name = i % 2 == 0 ? "copy" : "read";
    point.key.parameters.set("UNROLL", i / 2);
    point.metrics = {{"time", Origin::measured, 10.0 + static_cast<double>(i)},
                     {"bandwidth", Origin::measured, 1000.0 / (10.0 + static_cast<double>(i))}};
    if (counted) {
      point.metrics.push_back({"load_sectors", Origin::emulated, static_cast<double>(i)});
      point.metrics.push_back({"bandwidth", Origin::predicted, 40.0 - static_cast<double>(i)});
    }
    store.add_point(run, i, point);
  }
  store.end_run(run, RunState::finished);
  return path;
}

std::string head_of(const std::string& text, std::size_t lines) {
  std::istringstream stream(text);
  std::string result;
  std::string line;
  while (lines-- > 0 && std::getline(stream, line)) result += line + "\n";
  return result;
}

/// The text in one line: where it is wrapped does not matter.
std::string unwrapped(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Outcome compare(std::vector<std::string> arguments, const std::filesystem::path& folder) {
  arguments.insert(arguments.begin(), "compare-strategies");
  return run_program(arguments, folder);
}

}  // namespace

BOOST_AUTO_TEST_CASE(shows_a_line_a_table_and_charts) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text());
  const Outcome outcome = compare({"blur.json", "--seeds", "9"}, folder.path());
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err.empty());
  BOOST_TEST(head_of(outcome.out, 6) ==
             "blur.json\n"
             "Kernel Tuner cache, A GPU, blur: 48 configurations of 2 parameters, 42 with a\n"
             "figure, 6 failed. time, less is better: best 3000 us, median 9000 us.\n"
             "Configurations tried until one reaches 95 % or 99 % of the best: the median and\n"
             "the 90th percentile over 9 seeds, and the median over that of random.\n"
             "\n");
  BOOST_TEST(contains(outcome.out, "strategy    95 %  90th  / random  99 %  90th  / random\n"));
  for (const char* name :
       {"exhaustive", "random", "local", "annealing", "genetic", "forest", "bayesian"}) {
    BOOST_TEST(contains(outcome.out, std::string("\n") + name + " "), name);
  }
  BOOST_TEST(contains(outcome.out, "To 99 % of the best: median, shaded to the 90th percentile"));
  BOOST_TEST(!contains(outcome.out, "\x1b"));
  BOOST_TEST(compare({"blur.json", "--seeds", "9"}, folder.path()).out == outcome.out);
}

BOOST_AUTO_TEST_CASE(chosen_strategies_are_compared_with_random) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text());
  const Outcome outcome = compare({"blur.json", "--strategies", "local, genetic", "--seeds", "3",
                                   "--most", "2", "-o", "new/folder"},
                                  folder.path());
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(!contains(outcome.out, "forest"));
  BOOST_TEST(contains(outcome.out, "\nrandom "));
  BOOST_TEST(contains(outcome.out, "> 2"));
  const std::string csv = read_text_file(folder.path() / "new/folder/strategies.csv");
  BOOST_TEST(csv.starts_with(
      "file,strategy,share,median,ninetieth,ratio,most,seeds\r\nblur.json,local,0.95,"));
  const std::string markdown = read_text_file(folder.path() / "new/folder/strategies.md");
  BOOST_TEST(contains(markdown, "| strategy |"));
  BOOST_TEST(contains(markdown, "```text\nlocal "));
}

BOOST_AUTO_TEST_CASE(several_files_have_a_mean) {
  const TemporaryFolder folder;
  folder.write("a.json", cache_text());
  folder.write("b.json", cache_text());
  const Outcome one = compare({"a.json", "--seeds", "5"}, folder.path());
  BOOST_TEST(!contains(one.out, "geometric mean"));
  const Outcome two = compare({"a.json", "b.json", "--seeds", "5", "-o", "."}, folder.path());
  BOOST_TEST(two.code == 0);
  BOOST_TEST(contains(two.out, "All 2 recordings: the geometric mean"));
  BOOST_TEST(contains(two.out, "strategy    95 %  99 %\n"));
  BOOST_TEST(contains(read_text_file(folder.path() / "strategies.md"), "## All recordings"));
}

BOOST_AUTO_TEST_CASE(scores_stand_in_a_table_beside_those_of_random) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text());
  const Outcome outcome =
      compare({"blur.json", "--score", "--strategies", "local", "--seeds", "9"}, folder.path());
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(outcome.err.empty());
  BOOST_TEST(contains(unwrapped(outcome.out), "P scores by evaluations, the mean over 9 seeds"));
  BOOST_TEST(contains(outcome.out, "\nrecording  budget "));
  BOOST_TEST(contains(outcome.out, "local  random\nblur.json "));
  BOOST_TEST(!contains(outcome.out, "\nmean "));
  BOOST_TEST(!contains(outcome.out, "by the recorded time"));
}

BOOST_AUTO_TEST_CASE(scores_of_several_files_have_a_mean_and_those_with_times_one_by_time) {
  const TemporaryFolder folder;
  folder.write("a.json", cache_text());
  folder.write("b.json", cache_text("time", true));
  const Outcome outcome =
      compare({"a.json", "b.json", "--score", "--strategies", "random", "--seeds", "4", "-o", "."},
              folder.path());
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(contains(outcome.out, "\nmean "));
  BOOST_TEST(contains(outcome.out, "P scores by the recorded time"));
  const std::string csv = read_text_file(folder.path() / "strategies.csv");
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  BOOST_TEST(line == "file,strategy,score,score_by_time,budget,seeds\r");
  std::getline(lines, line);
  BOOST_TEST(contains(line, ",,"));  // no time
  std::getline(lines, line);
  // Where all take the same time the score by time is the same.
  const std::string score = line.substr(line.find("random,") + 7);
  const std::string figure = score.substr(0, score.find(','));
  BOOST_TEST(score.starts_with(figure + "," + figure + ","));
  BOOST_TEST(contains(read_text_file(folder.path() / "strategies.md"), "\n| mean "));
}

BOOST_AUTO_TEST_CASE(a_database_is_compared_by_its_bandwidth) {
  const TemporaryFolder folder;
  write_database(folder, false);
  const Outcome outcome = compare({"run.db", "--seeds", "2"}, folder.path());
  BOOST_TEST(outcome.code == 0);
  BOOST_TEST(contains(unwrapped(outcome.out),
                      "results database, run 1, copy, read: 40 configurations of 2"));
  BOOST_TEST(contains(unwrapped(outcome.out), "bandwidth, more is better: best 100.0 GB/s"));
  const Outcome by_time = compare({"run.db", "--metric", "time", "--seeds", "2", "--where",
                                   "pattern == 'copy' && UNROLL > 2", "--run", "1"},
                                  folder.path());
  BOOST_TEST(by_time.code == 0);
  BOOST_TEST(contains(unwrapped(by_time.out), "17 configurations of 1 parameter,"));
  BOOST_TEST(contains(unwrapped(by_time.out), "time, less is better: best 16.00 us"));
}

BOOST_AUTO_TEST_CASE(strategies_are_compared_with_and_without_predictions) {
  const TemporaryFolder folder;
  write_database(folder, true);
  const Outcome outcome =
      compare({"run.db", "--seeds", "2", "--strategies", "forest"}, folder.path());
  BOOST_TEST(contains(unwrapped(outcome.out),
                      "40 predicted, with a rank correlation of 1.00; a search asks for 40."));
  for (const char* row : {"\nforest ", "\nforest + predictions ", "\nforest + shuffled "}) {
    BOOST_TEST(contains(outcome.out, row));
  }
  BOOST_TEST(!contains(outcome.out, "random +"));
  const Outcome fewer = compare({"run.db", "--seeds", "2", "--predictions", "8"}, folder.path());
  BOOST_TEST(contains(unwrapped(fewer.out), "a search asks for 8."));
  const Outcome without =
      compare({"run.db", "--seeds", "2", "--predictions", "off"}, folder.path());
  BOOST_TEST(without.code == 0);
  BOOST_TEST(!contains(without.out, "predict"));
}

BOOST_AUTO_TEST_CASE(recordings_with_and_without_predictions_have_a_mean) {
  const TemporaryFolder folder;
  write_database(folder, true);
  folder.write("blur.json", cache_text());
  const Outcome outcome = compare({"run.db", "blur.json", "--seeds", "2"}, folder.path());
  BOOST_TEST(outcome.code == 0);
  const std::string mean = outcome.out.substr(outcome.out.find("All 2 recordings"));
  BOOST_TEST(contains(mean, "\nforest "));
  BOOST_TEST(!contains(mean, "predictions"));
}

BOOST_AUTO_TEST_CASE(directions_that_are_not_known_are_asked_for) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text("weight"));
  const Outcome unknown = compare({"blur.json", "--seeds", "1"}, folder.path());
  BOOST_TEST(unknown.code == 2);
  BOOST_TEST(contains(unknown.err, "say --minimize or --maximize"));
  const Outcome most = compare({"blur.json", "--seeds", "1", "--maximize"}, folder.path());
  BOOST_TEST(most.code == 0);
  BOOST_TEST(contains(unwrapped(most.out), "weight, more is better: best 25"));
}

struct Mistake {
  std::vector<std::string> arguments;
  int code;
  const char* said;
};
std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  for (const std::string& argument : mistake.arguments) out << argument << ' ';
  return out;
}
const std::vector<Mistake> mistakes = {
    {{}, 2, "compare strategies on what?"},
    {{"no.json"}, 66, "no such file"},
    {{"bad.json"}, 65, "bad.json:1:"},
    {{"text.txt"}, 65, "neither a results database nor JSON"},
    {{"failed.json"}, 65, "no configuration of it has a figure"},
    {{"blur.json", "--metric", "tim"}, 2, "did you mean 'time'?"},
    {{"blur.json", "--strategies", "locla"}, 2, "did you mean 'local'?"},
    {{"blur.json", "--seeds", "0"}, 2, "--seeds 0: write a whole number"},
    {{"blur.json", "--most", "-1"}, 2, "--most -1: write a whole number"},
    {{"blur.json", "--minimize", "--maximize"}, 2, "exclude each other"},
    {{"blur.json", "--score", "--most", "9"}, 2, "the scores have a budget of their own"},
    {{"blur.json", "--score", "--predictions", "9"}, 2, "the scores are without predictions"},
    {{"blur.json", "--predictions", "few"}, 2, "--predictions few: write a whole number"},
    {{"blur.json", "--run", "3"}, 65, "only a results database has runs"},
    {{"blur.json", "--where", "widht > 3"}, 65, "widht"},
    {{"blur.json", "--where", "width +"}, 65, "--where:1:"},
    {{"blur.json", "--where", "width"}, 65, "not a condition"},
    {{"blur.json", "--where", "width < 3"}, 65, "leaves no configuration"},
    {{"blur.json", "-o", "text.txt"}, 73, "text.txt"},
};

BOOST_DATA_TEST_CASE(mistakes_are_named, data::make(mistakes), mistake) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text());
  folder.write("bad.json", "{\"cache\": {,}}");
  folder.write("text.txt", "text\n");
  folder.write("failed.json",
               R"({"results": [{"configuration": {"a": 1}, "invalidity": "compile"}]})");
  const Outcome outcome = compare(mistake.arguments, folder.path());
  BOOST_TEST(outcome.code == mistake.code, outcome.err);
  BOOST_TEST(contains(outcome.err, mistake.said), outcome.err);
}

BOOST_AUTO_TEST_CASE(an_interrupt_ends_it_quickly) {
  const TemporaryFolder folder;
  folder.write("blur.json", cache_text());
  RunningProgram program({"compare-strategies", "blur.json", "--seeds", "100000"}, folder.path());
  // The handler is in place once the comparison has begun; before that the signal ends it too.
  usleep(300'000);
  kill(program.process(), SIGINT);
  const Outcome outcome = program.wait();
  BOOST_TEST((outcome.code == 130 || outcome.code == -SIGINT));
  BOOST_TEST(outcome.out.empty());
}

BOOST_AUTO_TEST_CASE(bars_fit_the_width) {
  const std::vector<ChartBar> bars = {{"a", 1, 1, "1"}, {"longer", 100, 1000, "100"}};
  BOOST_TEST(is_logarithmic(bars));
  const auto lines = draw_bars(bars, 41);
  BOOST_REQUIRE(lines.size() == 2U);
  BOOST_TEST(lines[0] == "a       █  1");
  BOOST_TEST(lines[1] == "longer  ███████████████████░░░░░░░░░  100");
  const std::vector<ChartBar> alike = {{"a", 10, 20, "10"}, {"b", 20, 20, "20"}};
  BOOST_TEST(!is_logarithmic(alike));
  BOOST_TEST(draw_bars(alike, 3)[0] == "a  ████░░░░  10");
  BOOST_TEST(draw_bars(alike, 1000)[1].size() < 200U);
  BOOST_TEST(draw_bars({}, 80).empty());
}

BOOST_AUTO_TEST_CASE(ratios_are_those_of_the_medians) {
  StrategyComparison comparison;
  comparison.file = "a,b.json";
  comparison.about = "about";
  comparison.most = 50;
  comparison.seeds = 3;
  comparison.shares = {0.95};
  comparison.standings = {{"random", 0.95, 40, 51}, {"local", 0.95, 10, 20}};
  BOOST_TEST(ratio_to_random(comparison, comparison.standings[1]) == 0.25);
  BOOST_TEST(ratio_to_random(comparison, comparison.standings[0]) == 1);
  const std::string text = write_strategies_terminal({{comparison}}, 80, true);
  BOOST_TEST(contains(text, "\x1b[1ma,b.json\x1b[0m"));
  BOOST_TEST(contains(text, "random      40  > 50      1.00\n"));
  BOOST_TEST(contains(text, "local       10    20      0.25\n"));
  BOOST_TEST(write_strategies_csv({{comparison}}) ==
             "file,strategy,share,median,ninetieth,ratio,most,seeds\r\n"
             "\"a,b.json\",random,0.95,40,51,1,50,3\r\n"
             "\"a,b.json\",local,0.95,10,20,0.25,50,3\r\n");
}

BOOST_AUTO_TEST_SUITE_END()
