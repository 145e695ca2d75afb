#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/store/newest_points.h"
#include "tests/temporary_folder.h"

using namespace sweep;

namespace shards_of_sweeps {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> command = {
    "run",   "stride", "--device", "emulator", "--quiet", "--set", "STRIDE={from: 1, to: 4}",
    "--set", "T=float"};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder with the results of shards, and of an unbroken run in unbroken/.
struct Shards {
  TemporaryFolder folder;

  void run(const std::vector<std::string>& options,
           const std::vector<std::string>& line = command) const {
    const Outcome outcome = run_program(with(line, options), folder.path());
    BOOST_TEST(outcome.code == 0, outcome.err);
  }
  Outcome merge(const std::vector<std::string>& sources,
                const std::string& output = "results/stride.db") const {
    return run_program(with(with({"merge"}, sources), {"-o", output}), folder.path());
  }
  std::vector<PointRecord> points(const std::string& database) const {
    return newest_points(folder.path() / database);
  }
};

}  // namespace
}  // namespace shards_of_sweeps

BOOST_AUTO_TEST_SUITE(shards_of_sweeps)

BOOST_AUTO_TEST_SUITE(measured, *boost::unit_test::precondition(has_compiler))

BOOST_FIXTURE_TEST_CASE(merged_shards_are_an_unbroken_run, shards_of_sweeps::Shards) {
  run({"-o", "unbroken"});
  for (const char* shard : {"1/3", "2/3", "3/3"}) run({"--shard", shard});
  const std::string report = read_text(folder.path() / "results/stride.2-of-3.md");
  BOOST_TEST(contains(report, "| shard     | 2 of 3"), report);
  BOOST_TEST(contains(report, "shard 2 of 3: "), report);

  const Outcome first = merge({"results/stride.1-of-3.db", "results/stride.2-of-3.db"});
  BOOST_TEST(first.code == 0, first.err);
  BOOST_TEST(contains(first.err,
                      "of the sweep's 12 configurations are here: shard 3 of 3 is not "
                      "among them\n"),
             first.err);
  const Outcome part = run_program({"report", "results/stride.db"}, folder.path());
  BOOST_TEST(contains(part.out, "**Not all of the sweep's points are here.**"), part.out);
  BOOST_TEST(contains(part.out, "shard 3 of 3 is not among them"), part.out);

  const Outcome all = merge({"results/stride.3-of-3.db"});
  BOOST_TEST(all.err ==
             "results/stride.db: 12 points, merged from 3 runs, of 1 host and 1 device\n"
             "sweep report results/stride.db makes the report of it\n");
  BOOST_TEST((points("results/stride.db") == points("unbroken/stride.db")));
  const auto csv = [&](const std::string& database) {
    return run_program({"report", database, "--format", "csv"}, folder.path()).out;
  };
  BOOST_TEST(csv("results/stride.db") == csv("unbroken/stride.db"));
  const Outcome whole = run_program({"report", "results/stride.db"}, folder.path());
  BOOST_TEST(contains(whole.out, ": 12 ok, 0 failed.\n"), whole.out);
  BOOST_TEST(contains(whole.out, "| shard 2 of 3 | stride.2-of-3.db |"), whole.out);

  const Outcome json =
      run_program({"report", "results/stride.db", "--format", "json"}, folder.path());
  const auto parts = nlohmann::json::parse(json.out).at("run").at("parts");
  BOOST_TEST(parts.size() == 3);
  BOOST_TEST(parts.at(1).at("shard") == nlohmann::json({2, 3}));

  const Outcome again = run_program(command, folder.path());
  BOOST_TEST(again.code == 0);
  BOOST_TEST(contains(read_text(folder.path() / "results/stride.md"), "12 reused from"));
}

BOOST_FIXTURE_TEST_CASE(a_stopped_shard_goes_on_with_the_same_command, shards_of_sweeps::Shards) {
  // Large enough to be stopped on the way.
  std::vector<std::string> slow = with(command, {"--exact", "--set", "BYTES=16 Mi"});
  const std::vector<std::string> shard = {"--shard", "2/2"};
  RunningProgram program(with(slow, shard), folder.path());
  const fs::path database = folder.path() / "results/stride.2-of-2.db";
  BOOST_REQUIRE(wait_for_a_point(database));
  // A batch system sends it to the process, and to its group.
  kill(program.process(), SIGTERM);
  kill(program.process(), SIGTERM);
  const Outcome stopped = program.wait();
  BOOST_TEST(stopped.code == 143);
  BOOST_TEST(contains(stopped.err, "--shard 2/2\n"), stopped.err);
  BOOST_TEST(fs::exists(folder.path() / "results/stride.2-of-2.md"));
  {
    const Store store(database, Store::Mode::read_only);
    BOOST_TEST((store.runs().back().state == RunState::interrupted));
  }
  const Outcome part = merge({"results/stride.2-of-2.db"}, "part.db");
  BOOST_TEST(contains(part.err,
                      "shard 2 of 2 (stride.2-of-2.db) did not finish; the same command "
                      "again measures the rest\n"),
             part.err);
  run(shard, slow);
  run({"--shard", "1/2"}, slow);
  run({"-o", "unbroken"}, slow);
  merge({"results/stride.1-of-2.db", "results/stride.2-of-2.db"});
  BOOST_TEST((points("results/stride.db") == points("unbroken/stride.db")));
}

BOOST_FIXTURE_TEST_CASE(a_shard_without_configurations_ends_well, shards_of_sweeps::Shards) {
  std::vector<std::string> paths;
  for (int shard = 1; shard <= 4; ++shard) {
    const std::string number = std::to_string(shard);
    const Outcome outcome =
        run_program({"run", "stride", "--device", "emulator", "--set", "STRIDE=1", "--set",
                     "T=float", "--set", "BLOCK=64", "--shard", number + "/4"},
                    folder.path());
    BOOST_TEST(outcome.code == 0, outcome.err);
    BOOST_TEST(
        (contains(outcome.err, "  shard " + number + " of 4: none of the 1 configuration\n") ||
         contains(outcome.err, "  shard " + number + " of 4: 1 of the 1 configuration\n")),
        outcome.err);
    paths.push_back("results/stride." + number + "-of-4.db");
  }
  const Outcome all = merge(paths);
  BOOST_TEST(contains(all.err, "results/stride.db: 1 point, merged from 4 runs"), all.err);
}

BOOST_FIXTURE_TEST_CASE(a_search_is_shared_out_by_its_groups, shards_of_sweeps::Shards) {
  folder.write(
      "search.yaml",
      "pattern: stride\n"
      "axes: {STRIDE: [1, 2, 4], BLOCK: [64, 128], T: [float, double, float2], BYTES: 1 Mi}\n"
      "tune: {maximize: efficiency, minimize: instructions, for_each: [T],\n"
      "       budget: {configurations: 4}}\n");
  const std::vector<std::string> search = {"run", "search.yaml", "--device", "emulator", "--quiet"};
  run({"-o", "unbroken"}, search);
  for (const char* shard : {"1/2", "2/2"}) run({"--shard", shard}, search);
  merge({"results/search.1-of-2.db", "results/search.2-of-2.db"}, "results/search.db");
  BOOST_TEST((points("results/search.db") == points("unbroken/search.db")));
  const auto tuning = [&](const std::string& database) {
    const Store store(folder.path() / database, Store::Mode::read_only);
    return store.runs().back().tuning;
  };
  BOOST_TEST((tuning("results/search.db") == tuning("unbroken/search.db")));
}

BOOST_FIXTURE_TEST_CASE(shards_of_another_pattern_text_are_refused, shards_of_sweeps::Shards) {
  std::ifstream shipped(fs::path(SWEEP_SOURCE_DIR) / "patterns/stride.cu");
  folder.write("mine/stride.cu",
               std::string(std::istreambuf_iterator<char>(shipped), {}) + "// changed\n");
  run({"--shard", "1/2"});
  run({"--shard", "2/2", "--patterns", "mine"});
  const Outcome refused = merge({"results/stride.1-of-2.db", "results/stride.2-of-2.db"});
  BOOST_TEST(refused.code == 65);
  BOOST_TEST(refused.err ==
             "sweep: results/stride.2-of-2.db does not belong to results/stride.1-of-2.db: the "
             "text of the pattern stride is another; measure both with the same text; nothing is "
             "merged\n");
  BOOST_TEST(!fs::exists(folder.path() / "results/stride.db"));
}

BOOST_FIXTURE_TEST_CASE(several_profiles_make_no_shard, shards_of_sweeps::Shards) {
  const Outcome refused =
      run_program(with(command, {"--shard", "1/2", "--profile", "h200,h100"}), folder.path());
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "a shard is of one run; name one"), refused.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(merge_command, shards_of_sweeps::Shards)

BOOST_AUTO_TEST_CASE(wants_databases_and_an_output) {
  const Outcome nothing = run_program({"merge", "-o", "all.db"}, folder.path());
  BOOST_TEST(nothing.code == 2);
  BOOST_TEST(contains(nothing.err, "merge what? for example: sweep merge"), nothing.err);
  const Outcome nowhere = run_program({"merge", "a.db"}, folder.path());
  BOOST_TEST(nowhere.code == 2);
  BOOST_TEST(contains(nowhere.err, "for example: sweep merge a.db -o all.db"), nowhere.err);
  const Outcome missing = merge({"a.db"});
  BOOST_TEST(missing.code == 66);
  BOOST_TEST(contains(missing.err, "the file 'a.db' does not exist"), missing.err);
  folder.write("a.db", "no database");
  const Outcome wrong = merge({"a.db"});
  BOOST_TEST(wrong.code == 65);
  const Outcome sweep = merge({"stride.yaml"});
  BOOST_TEST(sweep.code == 2, sweep.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(slurm_script, shards_of_sweeps::Shards)

BOOST_AUTO_TEST_CASE(submits_the_shards_and_their_merging) {
  const Outcome written = run_program({"new", "slurm", "stride", "--shards", "16"}, folder.path());
  BOOST_TEST(written.code == 0, written.err);
  BOOST_TEST(written.err == "stride.slurm.sh is written. Next:\n  bash stride.slurm.sh\n");
  const std::string script = read_text(folder.path() / "stride.slurm.sh");
  BOOST_TEST(!contains(script, "NEW_"), script);
  for (const char* line :
       {"#SBATCH --gres=gpu:1\n", "#SBATCH --requeue ", "#SBATCH --signal=B:TERM@60 ",
        "shards=16\n", "sweeps/stride.yaml\n", "192 configurations in 16\n", "--dependency="}) {
    BOOST_TEST(contains(script, line), line);
  }
  // The shell reads it.
  const std::string check = "bash -n '" + (folder.path() / "stride.slurm.sh").string() + "'";
  BOOST_TEST(std::system(check.c_str()) == 0);
  const Outcome again = run_program({"new", "slurm", "stride"}, folder.path());
  BOOST_TEST(again.code == 73);
  BOOST_TEST(contains(again.err, "--force replaces it"), again.err);
}

BOOST_AUTO_TEST_CASE(has_no_more_shards_than_there_are_parts) {
  folder.write("few.yaml",
               "pattern: stride\naxes: {STRIDE: [1, 2], T: [float, double, float2]}\n"
               "tune: {maximize: efficiency, for_each: [T]}\n");
  const Outcome many = run_program({"new", "slurm", "few.yaml", "--shards", "4"}, folder.path());
  BOOST_TEST(many.code == 2);
  BOOST_TEST(
      contains(many.err, "--shards 4: the sweep has 3 groups, so more shards would be empty"),
      many.err);
  BOOST_TEST(run_program({"new", "slurm", "few.yaml"}, folder.path()).code == 0);
  BOOST_TEST(contains(read_text(folder.path() / "few.slurm.sh"), "shards=3\n"));
}

BOOST_AUTO_TEST_CASE(takes_folders_along_and_quotes_names) {
  fs::create_directories(folder.path() / "my patterns");
  fs::copy_file(fs::path(SWEEP_SOURCE_DIR) / "patterns/stride.cu",
                folder.path() / "my patterns/stride.cu");
  folder.write("two words.yaml", "pattern: stride\naxes: {STRIDE: [1, 2]}\n");
  const Outcome written =
      run_program({"new", "slurm", "two words.yaml", "--patterns", "my patterns"}, folder.path());
  BOOST_TEST(written.code == 0, written.err);
  const std::string script = read_text(folder.path() / "two words.slurm.sh");
  BOOST_TEST(contains(script, "#SBATCH --job-name=two_words\n"), script);
  BOOST_TEST(contains(script, "name='two words'\n"), script);
  BOOST_TEST(contains(script, "options=(--patterns '"), script);
}

BOOST_AUTO_TEST_CASE(is_for_sweeps_alone) {
  const Outcome shards = run_program({"new", "sweep", "stride", "--shards", "4"}, folder.path());
  BOOST_TEST(shards.code == 2);
  const Outcome from = run_program({"new", "slurm", "stride", "--from", "x.cu"}, folder.path());
  BOOST_TEST(contains(from.err, "--from is for a new pattern, not for a script"), from.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
