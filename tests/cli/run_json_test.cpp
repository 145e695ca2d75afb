#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"
#include "tests/wait_until.h"

using namespace sweep;

namespace {

using nlohmann::json;

const std::vector<std::string> command = {"run",   "stride",       "--device", "emulator",
                                          "--set", "STRIDE=1,2,4", "--set",    "BLOCK=256",
                                          "--set", "BYTES=1 Mi"};

/// Every line is an object; throws what the parser throws when one is not.
std::vector<json> events_of(const std::string& out) {
  BOOST_TEST(out.ends_with('\n'));
  std::vector<json> events;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    events.push_back(json::parse(line));
    BOOST_TEST(events.back().is_object());
  }
  return events;
}

std::vector<json> of_kind(const std::vector<json>& events, const std::string& kind) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event.at("event") == kind) found.push_back(event);
  }
  return found;
}

json parameters_of(const PointRecord& point) {
  json parameters = json::object();
  for (const auto& [name, value] : point.key.parameters.entries()) {
    const auto* number = std::get_if<std::int64_t>(&value);
    parameters[name] = number != nullptr ? json(*number) : json(to_string(value));
  }
  return parameters;
}

/// That the events tell of the newest run's points, each once, with all their metrics.
void check_points(const std::vector<json>& events, const std::filesystem::path& database) {
  const Store store(database, Store::Mode::read_only);
  const std::vector<StoredPoint> points = store.points(store.runs().back().id);
  const std::vector<json> told = of_kind(events, "point");
  BOOST_TEST(told.size() == points.size());
  for (const StoredPoint& stored : points) {
    const auto found = std::ranges::find_if(told, [&](const json& event) {
      return event.at("parameters") == parameters_of(stored.point);
    });
    BOOST_REQUIRE(found != told.end());
    BOOST_TEST(found->at("status") == "ok");
    BOOST_TEST(found->at("metrics").size() == stored.point.metrics.size());
  }
}

/// That the events give the same figures as the report of the run, under the same names.
void check_against_report(const std::vector<json>& events, const std::filesystem::path& database) {
  const Outcome written = run_program({"report", database.string(), "--format", "json"});
  const json report = json::parse(written.out);
  const json& start = events.front();
  BOOST_TEST(start.at("device") == report.at("device"));
  for (const auto& [key, metric] : report.at("metrics").items()) {
    const auto unit = start.at("units").find(metric.at("name").get<std::string>());
    BOOST_TEST((unit != start.at("units").end() ? *unit : json()) == metric.at("unit"), key);
  }
  const std::vector<json> told = of_kind(events, "point");
  for (json point : report.at("points")) {
    const json verdict = point.at("verdict");
    for (const char* own : {"point", "id", "measured_by", "verdict", "samples"}) point.erase(own);
    const auto found = std::ranges::find_if(told, [&](json event) {
      event.erase("event");
      event.erase("reused");
      return event == point;
    });
    BOOST_TEST((found != told.end()), point.dump());
    for (const json& judged : events.back().at("verdicts")) {
      if (judged.at("parameters") != point.at("parameters")) continue;
      BOOST_TEST(judged.at("verdict") == verdict);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(run_json, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_run_is_told_line_by_line_and_its_points_are_those_of_the_database) {
  const TemporaryFolder folder;
  for (const bool again : {false, true}) {
    const Outcome run = run_program(with(command, {"--json"}), folder.path());
    BOOST_TEST(run.code == 0, run.err);
    BOOST_TEST(run.err.empty(), run.err);
    const std::vector<json> events = events_of(run.out);
    const json& start = events.front();
    BOOST_TEST(start.at("event") == "start");
    BOOST_TEST(start.at("schema_version") == 2);
    BOOST_TEST(start.at("sweep") == "stride");
    BOOST_TEST(start.at("points") == 6);
    BOOST_TEST(start.at("reused") == (again ? 6 : 0));
    BOOST_TEST(start.at("device").at("backend") == "emulator");
    BOOST_TEST(start.at("is_search") == false);
    check_points(events, folder.path() / "results/stride.db");
    for (const json& point : of_kind(events, "point")) BOOST_TEST(point.at("reused") == again);
    const json& end = events.back();
    BOOST_TEST(end.at("event") == "end");
    BOOST_TEST(end.at("state") == "finished");
    BOOST_TEST(end.at("measured") == (again ? 0 : 6));
    BOOST_TEST(end.at("exit_code") == 0);
    BOOST_TEST(!end.contains("resume"));
    for (const json& file : end.at("files")) {
      BOOST_TEST(std::filesystem::exists(folder.path() / file.get<std::string>()));
    }
    const auto pictures = std::ranges::count_if(end.at("files"), [](const json& file) {
      return file.get<std::string>().ends_with(".svg");
    });
    BOOST_TEST(pictures > 0);
    BOOST_TEST(of_kind(events, "stage").back().at("text") ==
               "drawing the charts and writing the reports");
  }
}

BOOST_AUTO_TEST_CASE(a_failed_point_has_its_reason_and_the_end_the_exit_code) {
  const TemporaryFolder folder;
  folder.write(
      "bad.cu",
      "/* pattern:\nsummary: Wrong\nparameters: {K: {default: 1}}\n"
      "buffers: {a: {type: int, length: 32}}\nlaunch: {grid: 1, block: 32}\nuseful: {write: 128}\n"
      "verify: a[i] == 1\n*/\n"
      "__global__ void bad(int* a) { a[threadIdx.x] = K; }\n");
  folder.write("bad.yaml", "pattern: bad\naxes: {K: [1, 2]}\n");
  const Outcome run =
      run_program({"run", "bad.yaml", "--device", "emulator", "--json"}, folder.path());
  BOOST_TEST(run.code == 1, run.err);
  const std::vector<json> points = of_kind(events_of(run.out), "point");
  BOOST_REQUIRE(points.size() == 2U);
  BOOST_TEST(points[0].at("status") == "ok");
  BOOST_TEST(points[1].at("status") == "failed");
  BOOST_TEST(!points[1].at("reason").get<std::string>().empty());
  BOOST_TEST(events_of(run.out).back().at("failed") == 1);
  BOOST_TEST(events_of(run.out).back().at("exit_code") == 1);
  BOOST_TEST(run.err.starts_with("failed: bad K=2\n"), run.err);
}

BOOST_AUTO_TEST_CASE(a_search_says_what_it_found) {
  const TemporaryFolder folder;
  folder.write("tuned.yaml",
               "pattern: stride\naxes: {STRIDE: [1, 2, 4, 8], T: [float, double], BYTES: 1 Mi}\n"
               "tune: {minimize: load_sectors_per_request, for_each: [T], "
               "budget: {configurations: 3}}\n");
  const Outcome run =
      run_program({"run", "tuned.yaml", "--device", "emulator", "--json"}, folder.path());
  BOOST_TEST(run.code == 0, run.err);
  const std::vector<json> events = events_of(run.out);
  BOOST_TEST(events.front().at("is_search") == true);
  BOOST_TEST(events.front().at("points") == 6);
  check_points(events, folder.path() / "results/tuned.db");
  check_against_report(events, folder.path() / "results/tuned.db");
  const json& best = events.back().at("best");
  BOOST_REQUIRE(best.size() == 2U);
  for (const json& one : best) {
    BOOST_TEST(one.at("metric") == "load_sectors_per_request.emulated");
    BOOST_TEST(one.at("verdict").at("kind") == "best");
    BOOST_TEST(one.at("group").at("T") == one.at("parameters").at("T"));
    BOOST_TEST(one.at("tried") == 3);
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_ends_its_lines_too) {
  const std::vector<std::pair<int, int>> signals = {{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}};
  for (const auto& [number, code] : signals) {
    const TemporaryFolder folder;
    RunningProgram program(
        {"run", "stride", "--device", "emulator", "--exact", "--set", "BYTES=16 Mi", "--json"},
        folder.path());
    BOOST_TEST(wait_until([&] { return contains(program.out_so_far(), "\"point\""); }));
    kill(program.process(), number);
    const Outcome run = program.wait();
    BOOST_TEST(run.code == code, run.err);
    const std::vector<json> events = events_of(run.out);
    BOOST_TEST(events.back().at("event") == "end");
    BOOST_TEST(events.back().at("state") == "interrupted");
    BOOST_TEST(events.back().at("exit_code") == code);
    BOOST_TEST(contains(events.back().at("resume").get<std::string>(), "run stride"));
    check_points(events, folder.path() / "results/stride.db");
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_goes_away_costs_no_point) {
  const TemporaryFolder folder;
  const Outcome full = run_program(with(command, {"--json"}), folder.path(), {}, "/dev/full");
  BOOST_TEST(full.code == 74, full.err);
  BOOST_TEST(contains(full.err, "standard output cannot be written"));
  const Store store(folder.path() / "results/stride.db", Store::Mode::read_only);
  BOOST_TEST(store.points(1).size() == 6U);
  BOOST_TEST(store.runs().back().finished.empty() == false);
}

BOOST_AUTO_TEST_CASE(quiet_is_quiet) {
  const TemporaryFolder folder;
  const Outcome run = run_program(with(command, {"-q"}), folder.path());
  BOOST_TEST(run.code == 0);
  BOOST_TEST(run.err.empty(), run.err);
  BOOST_TEST(run.out.empty(), run.out);
  BOOST_TEST(std::filesystem::exists(folder.path() / "results/stride.md"));
  const Outcome check = run_program({"check", "--quiet", "stride"});
  BOOST_TEST(check.code == 0);
  BOOST_TEST(check.err + check.out == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(other_json)

BOOST_AUTO_TEST_CASE(devices_are_objects) {
  const std::vector<json> devices = events_of(run_program({"devices", "--json"}).out);
  BOOST_REQUIRE(!devices.empty());
  for (const json& device : devices) BOOST_TEST(device.at("device").is_string());
  BOOST_TEST(devices.back().at("device") == "emulator");
  BOOST_TEST(devices.back().at("models").size() > 10U);
}

BOOST_AUTO_TEST_CASE(the_cache_is_an_object) {
  const TemporaryFolder folder;
  const Environment here = {{"XDG_CACHE_HOME", folder.path().string()}};
  const auto cache = events_of(run_program({"cache", "--json"}, folder.path(), here).out);
  BOOST_REQUIRE(cache.size() == 1U);
  BOOST_TEST(cache[0].at("programs") == 0);
  BOOST_TEST(cache[0].at("limit_bytes") == 1073741824);
  const auto cleared =
      events_of(run_program({"cache", "clear", "--json"}, folder.path(), here).out);
  BOOST_TEST(cleared.at(0).at("removed_bytes") == 0);
}

BOOST_AUTO_TEST_SUITE_END()
