#include "tests/faults/broken_run.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/store/sqlite.h"
#include "engine/store/store.h"
#include "tests/contains.h"
#include "tests/store/newest_points.h"

namespace sweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> command_up_to(const std::string& last_stride) {
  return {"run",       "stride",  "--device",
          "emulator",  "--set",   "STRIDE={from: 1, to: " + last_stride + "}",
          "--set",     "T=float", "--set",
          "BLOCK=256", "--set",   "BYTES=64 Ki",
          "--json"};
}

/// A folder in which that many points have been measured.
std::unique_ptr<TemporaryFolder> measured_folder(const std::string& last_stride) {
  auto folder = std::make_unique<TemporaryFolder>();
  const Outcome run = run_program(command_up_to(last_stride), folder->path());
  BOOST_REQUIRE_MESSAGE(run.code == 0, run.err);
  return folder;
}

const fs::path& half_measured() {
  static const auto folder = measured_folder("4");
  return folder->path();
}

const std::vector<PointRecord>& expected_points() {
  static const std::vector<PointRecord> points = [] {
    const auto folder = measured_folder("8");
    return newest_points(folder->path() / "results/stride.db");
  }();
  return points;
}

using Strides = std::multiset<std::int64_t>;

/// Of the points that were measured with success, each once for each time.
Strides measured_strides(const fs::path& database) {
  Strides strides;
  const Store store(database, Store::Mode::read_only);
  for (const RunRecord& run : store.runs()) {
    for (const StoredPoint& stored : store.points(run.id)) {
      if (stored.measured_by != run.id || stored.point.status != PointStatus::ok) continue;
      strides.insert(std::get<std::int64_t>(*stored.point.key.parameters.find("STRIDE")));
    }
  }
  return strides;
}

struct Told {
  std::set<std::int64_t> recorded;  ///< the strides of the points that succeeded
  std::string last_event;
  int exit_code = -1;
};

Told read_events(const std::string& out) {
  Told told;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    const auto event = nlohmann::json::parse(line);
    told.last_event = event.at("event");
    if (told.last_event == "point" && event.at("status") == "ok") {
      told.recorded.insert(event.at("parameters").at("STRIDE").get<std::int64_t>());
    }
    if (told.last_event == "end") told.exit_code = event.at("exit_code");
  }
  return told;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  return out << fault.name;
}

Environment injected(const std::string& spec) {
  return {{"LD_PRELOAD", SWEEP_FAULT_INJECTION}, {"SWEEP_FAULT", spec}};
}

BrokenRun::BrokenRun() {
  fs::create_directory(folder() / "results");
  fs::copy_file(half_measured() / "results/stride.db", database());
}

std::vector<std::string> BrokenRun::command(const std::vector<std::string>& options) {
  return with(command_up_to("8"), options);
}

RunningProgram BrokenRun::start(const Fault& fault) const {
  if (fault.prepare) fault.prepare(folder());
  return RunningProgram(command(fault.options), folder(), fault.environment, {}, fault.at_last);
}

Outcome BrokenRun::meet(const Fault& fault) const {
  const Outcome outcome = start(fault).wait();
  check(fault, outcome);
  return outcome;
}

void BrokenRun::check(const Fault& fault, const Outcome& outcome) const {
  BOOST_TEST(outcome.code == fault.code, outcome.code << " " << outcome.err);
  for (const std::string& text : fault.says) {
    BOOST_TEST(contains(outcome.err, text), text << "\nis not in\n" << outcome.err);
  }
  if (outcome.code >= 0 && !outcome.out.empty()) {
    const Told told = read_events(outcome.out);
    BOOST_TEST((told.last_event == "error" || told.exit_code == outcome.code), outcome.out);
  }
  check_nothing_is_lost(outcome);
}

void BrokenRun::check_nothing_is_lost(const Outcome& outcome) const {
  {
    sqlite::Database file(database(), sqlite::Access::read);
    BOOST_TEST(file.text("PRAGMA integrity_check") == "ok");
  }
  const Strides there = measured_strides(database());
  std::set<std::int64_t> wanted = read_events(outcome.out).recorded;
  for (std::int64_t i = 1; i <= 4; ++i) wanted.insert(i);
  for (const std::int64_t stride : wanted) {
    BOOST_TEST(there.count(stride) == 1U, "stride " << stride << ": " << there.count(stride));
  }
}

void BrokenRun::complete() const {
  const Outcome rest = run_program(command(), folder());
  BOOST_TEST(rest.code == 0, rest.err);
  BOOST_TEST((newest_points(database()) == expected_points()));
  BOOST_TEST(measured_strides(database()).size() == all_points);
}

}  // namespace sweep
