#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "engine/store/sqlite.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/contains.h"
#include "tests/faults/broken_run.h"

using namespace sweep;
namespace data = boost::unit_test::data;

namespace database_fault {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t page = 4096;

/// Damage to results/stride.db.
struct Damage {
  std::string name;
  std::function<void(const fs::path& database)> damage;
  int code = 65;
  std::string says = {};
  bool is_left_alone = true;  ///< the file is not written by the run that refuses it
};
std::ostream& operator<<(std::ostream& out, const Damage& damage) {
  return out << damage.name;
}

void overwrite(const fs::path& file, std::size_t at, const std::string& bytes) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream << bytes;
}

void execute(const fs::path& database, const std::string& sql) {
  sqlite::Database(database, sqlite::Access::write).execute(sql);
}

void replace_by(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

const std::string damaged = "the file 'results/stride.db' is damaged (";

const Damage refused[] = {
    {.name = "pages in the middle are overwritten",
     .damage =
         [](const fs::path& file) {
           const std::size_t size = fs::file_size(file);
           for (std::size_t at = 3 * page; at < size; at += 2 * page) {
             overwrite(file, at, std::string(600, '\xff'));
           }
         },
     .says = damaged},
    {.name = "pages in the middle are zero",
     .damage = [](const fs::path& file) { overwrite(file, 4 * page, std::string(6 * page, '\0')); },
     .says = damaged,
     .is_left_alone = false},
    {.name = "half of it is cut off",
     .damage = [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) / 2); },
     .says = damaged},
    {.name = "all but the header is cut off",
     .damage = [](const fs::path& file) { fs::resize_file(file, 100); },
     .says = damaged},
    {.name = "half of the header is cut off",
     .damage = [](const fs::path& file) { fs::resize_file(file, 50); },
     .says = "the file 'results/stride.db' is not a results database"},
    {.name = "it is a text",
     .damage = [](const fs::path& file) { replace_by(file, "run,stride,bandwidth\n"); },
     .says = "the file 'results/stride.db' is not a results database"},
    {.name = "it is a folder",
     .damage =
         [](const fs::path& file) {
           fs::remove(file);
           fs::create_directory(file);
         },
     .says = "the file 'results/stride.db' is a folder",
     .is_left_alone = false},
    {.name = "it is another program's",
     .damage = [](const fs::path& file) { execute(file, "PRAGMA application_id = 77"); },
     .says = "is another program's database, not a results database of sweep"},
    {.name = "another version has written it",
     .damage = [](const fs::path& file) { execute(file, "PRAGMA user_version = 99"); },
     .says = "was written by another version of sweep (schema 99, this one knows "},
    {.name = "a table is missing",
     .damage = [](const fs::path& file) { execute(file, "DROP TABLE run_point"); },
     .says = damaged + "no such table: run_point)",
     .is_left_alone = false},
    {.name = "a column is missing",
     .damage =
         [](const fs::path& file) { execute(file, "ALTER TABLE point RENAME COLUMN reason TO x"); },
     .says = damaged + "table point has no column named reason)",
     .is_left_alone = false},
    {.name = "values are of other types",
     .damage =
         [](const fs::path& file) {
           execute(file, "UPDATE point SET parameters = 'nonsense', samples = 42");
         },
     .says = {},
     .is_left_alone = false},
};

/// What SQLite takes no notice of, or puts right by itself.
const Damage harmless[] = {
    {.name = "a log of nonsense beside it",
     .damage =
         [](const fs::path& file) { replace_by(file.string() + "-wal", std::string(9000, 'x')); }},
    {.name = "an index of nonsense for the log beside it",
     .damage =
         [](const fs::path& file) { replace_by(file.string() + "-shm", std::string(40000, 'x')); }},
    {.name = "a journal of nonsense beside it",
     .damage =
         [](const fs::path& file) {
           replace_by(file.string() + "-journal", std::string(5000, 'x'));
         }},
    {.name = "a lock that nobody holds",
     .damage =
         [](const fs::path& file) { replace_by(file.string() + ".lock", "1\nhost\nsweep run\n"); }},
    {.name = "reports that cannot be read",
     .damage =
         [](const fs::path& file) {
           replace_by(file.parent_path() / "stride.html", std::string(100, '\0'));
           replace_by(file.parent_path() / "stride.md.1.part", "");
         }},
};

}  // namespace
}  // namespace database_fault

BOOST_AUTO_TEST_SUITE(database_fault, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(a_damaged_database_is_refused_and_left_alone, data::make(refused), damage) {
  const BrokenRun run;
  damage.damage(run.database());
  const std::string before = fs::is_directory(run.database()) ? "" : read_text_file(run.database());
  const Outcome outcome = run_program(BrokenRun::command(), run.folder());
  // Nonsense in old points need not be read to measure new ones.
  const bool may_go_on = damage.says.empty();
  BOOST_TEST((outcome.code == damage.code || (may_go_on && outcome.code == 0)), outcome.err);
  BOOST_TEST(contains(outcome.err, damage.says), outcome.err);
  if (outcome.code != 0) {
    BOOST_TEST(contains(outcome.out, "{\"event\":\"error\",\"message\":\"the file "), outcome.out);
    BOOST_TEST(!contains(outcome.err, "internal error"), outcome.err);
    BOOST_TEST(!contains(outcome.err, "To go on"), outcome.err);
  }
  if (damage.is_left_alone) BOOST_TEST((read_text_file(run.database()) == before));

  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "results/stride.db"},
        std::vector<std::string>{"list", "runs", "results/stride.db"}}) {
    const Outcome read = run_program(words, run.folder());
    const bool is_known = read.code == damage.code || read.code == 66 || read.code == 0;
    BOOST_TEST(is_known, read.code << read.err);
  }
  // Moved out of the way, it is in nobody's.
  fs::rename(run.database(), run.folder() / "damaged");
  run.complete();
}

BOOST_DATA_TEST_CASE(nonsense_beside_a_database_harms_nothing, data::make(harmless), damage) {
  const BrokenRun run;
  damage.damage(run.database());
  run.meet({.name = damage.name});
  run.complete();
}

BOOST_AUTO_TEST_CASE(an_empty_file_becomes_a_database) {
  const BrokenRun run;
  replace_by(run.database(), "");
  run.complete();
}

BOOST_AUTO_TEST_CASE(a_damaged_log_costs_what_was_in_it_alone) {
  const BrokenRun run;
  Environment killed = injected("write:stride.db-wal:20:0");
  killed.emplace_back("SWEEP_FAULT_SIGNAL", std::to_string(SIGKILL));
  BOOST_TEST(run_program(BrokenRun::command(), run.folder(), killed).code == -SIGKILL);
  // Who reads it would write the log into the database.
  const fs::path log = run.database().string() + "-wal";
  BOOST_REQUIRE(fs::exists(log));
  overwrite(log, fs::file_size(log) - 2 * page, std::string(600, '\xff'));
  run.complete();
}

// The tables are made in one transaction.
BOOST_DATA_TEST_CASE(making_a_database_can_be_broken_off, data::make({1, 2, 3, 5, 8, 12}), write) {
  const BrokenRun run;
  replace_by(run.database(), "");
  Environment killed = injected("write:stride.db:" + std::to_string(write) + ":0");
  killed.emplace_back("SWEEP_FAULT_SIGNAL", std::to_string(SIGKILL));
  BOOST_TEST(run_program(BrokenRun::command(), run.folder(), killed).code == -SIGKILL);
  run.complete();
}

BOOST_AUTO_TEST_CASE(making_a_database_can_fail) {
  const BrokenRun run;
  replace_by(run.database(), "");
  const Outcome outcome =
      run_program(BrokenRun::command(), run.folder(), injected("write:stride.db:3:28"));
  BOOST_TEST(outcome.code == 74);
  BOOST_TEST(
      contains(outcome.err, "the file 'results/stride.db' cannot be written: the disk is full"),
      outcome.err);
  run.complete();
}

BOOST_AUTO_TEST_CASE(of_two_runs_at_once_one_measures_and_the_other_names_it) {
  const BrokenRun run;
  const Fault fault = {.name = "two", .options = {"--no-cache"}};
  RunningProgram first = run.start(fault);
  RunningProgram second = run.start(fault);
  const pid_t processes[] = {first.process(), second.process()};
  const Outcome outcomes[] = {first.wait(), second.wait()};
  // Either may come first, and one may be done before the other begins.
  BOOST_TEST((outcomes[0].code == 0 || outcomes[1].code == 0));
  for (const std::size_t i : {0U, 1U}) {
    run.check_nothing_is_lost(outcomes[i]);
    if (outcomes[i].code == 0) continue;
    BOOST_TEST(outcomes[i].code == 74);
    const std::string holder = std::to_string(processes[1 - i]);
    BOOST_TEST(contains(outcomes[i].err, "the file 'results/stride.db' is in use by another run"),
               outcomes[i].err);
    BOOST_TEST(contains(outcomes[i].err, "(process " + holder), outcomes[i].err);
    BOOST_TEST(contains(outcomes[i].err, "-o DIR"), outcomes[i].err);
  }
  run.complete();
}

BOOST_AUTO_TEST_SUITE_END()
