// What jobs of GitHub and GitLab get: annotations, summaries, logs of SARIF, and files for the
// jobs.

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/compiler_precondition.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;
namespace fs = std::filesystem;

namespace ci {
namespace {

/// A pattern whose loads lie `step` elements apart, with a mistake if wanted.
std::string steps_pattern(int step, const std::string& statement = "") {
  return "/* pattern:\nparameters: {N: 64 Ki}\n"
         "buffers:\n  in: {type: int, length: 2 * N, init: i}\n  out: {type: int, length: N}\n"
         "launch: {grid: N / 256, block: 256}\nuseful: {read: 4 * N, write: 4 * N}\n"
         "verify: {out: \"out[i] == i * " +
         std::to_string(step) +
         "\"}\n*/\n"
         "__global__ void steps(const int* in, int* out) {\n"
         "  const int i = blockIdx.x * 256 + threadIdx.x;\n  " +
         statement + "out[i] = in[i * " + std::to_string(step) + "];\n}\n";
}

/// A repository with a sweep of the pattern.
struct Repository {
  Repository() {
    folder.write("patterns/steps.cu", steps_pattern(1));
    folder.write("steps.yaml",
                 "pattern: steps\naxes: {N: [64 Ki]}\nexpect: load_sectors_per_request <= 4\n");
  }

  Outcome run(const std::vector<std::string>& words, bool has_summary = true) const {
    return run_program(words, folder.path(),
                       {{"GITHUB_WORKSPACE", folder.path().string()},
                        {"GITHUB_STEP_SUMMARY", has_summary ? summary.string() : ""}});
  }
  std::string said_in_summary() const { return read_text_file(summary); }

  TemporaryFolder folder;
  fs::path summary = folder.path() / "summary.md";
};

const std::vector<std::string> emulated = {"run", "steps.yaml", "--device", "emulator"};
const std::vector<std::string> for_github = {"--format", "github"};

/// The scripts of a file for jobs: what is indented below "run: |" or "- |", without the
/// installing.
std::string scripts_in(const std::string& file) {
  std::istringstream lines(file);
  std::string scripts;
  std::string script;
  std::size_t above = std::string::npos;
  const auto end = [&] {
    if (script.find("apt-get") == std::string::npos) scripts += script;
    script.clear();
    above = std::string::npos;
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (above != std::string::npos && (indent == std::string::npos || indent <= above)) end();
    if (above != std::string::npos) script += line + "\n";
    if (line.ends_with("run: |") || line.ends_with("- |")) above = indent;
  }
  end();
  return scripts;
}

}  // namespace
}  // namespace ci

using namespace ci;

BOOST_FIXTURE_TEST_SUITE(ci_suite, Repository, *boost::unit_test::precondition(has_compiler))

BOOST_AUTO_TEST_CASE(a_broken_expectation_stands_at_its_line) {
  const Outcome good = run(with(emulated, for_github));
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(!contains(good.out, "::error"), good.out);
  BOOST_TEST(contains(said_in_summary(), "# steps"), said_in_summary());
  folder.write("patterns/steps.cu", steps_pattern(2));
  const Outcome broken = run(with(emulated, for_github));
  BOOST_TEST(broken.code == 1);
  const std::string command =
      "::error file=steps.yaml,line=3,col=9,endColumn=38,title=sweep run::"
      "'load_sectors_per_request <= 4': broken by 1 of 1 point%0A  ";
  BOOST_TEST(contains(broken.out, command), broken.out);
  BOOST_TEST(contains(broken.out, "load_sectors_per_request = 8"), broken.out);
  const Outcome again = run({"report", "steps", "--format", "github", "-o", "report.md"});
  BOOST_TEST(again.code == 1);
  BOOST_TEST(contains(again.out, "::error file=steps.yaml,line=3,col=9"), again.out);
  BOOST_TEST(contains(read_text_file(folder.path() / "report.md"), "broken by 1 of 1 point"));
  // Without a summary's file, and the sweep as it is now, all of it is printed without a place.
  folder.write("steps.yaml", "pattern: steps\naxes: {N: [64 Ki]}\n");
  const Outcome printed = run({"report", "steps", "--format", "github"}, false);
  BOOST_TEST(contains(printed.out, "::error title=sweep report::"), printed.out);
  BOOST_TEST(contains(printed.out, "# steps"), printed.out);
  BOOST_TEST(run(with(emulated, {"--json", "--format", "github"})).code == 2);
}

BOOST_AUTO_TEST_CASE(a_regression_stands_at_its_pattern) {
  BOOST_TEST(run(emulated).code == 0);
  folder.write("old/steps.cu", steps_pattern(1));
  folder.write("patterns/steps.cu", steps_pattern(2));
  BOOST_TEST(run(emulated).code == 1);
  const Outcome runs = run({"compare", "steps", "--format", "github"});
  BOOST_TEST(runs.code == 3);
  BOOST_TEST(contains(runs.out,
                      "::error file=patterns/steps.cu,line=1,title=sweep compare::steps: "
                      "worse than results/steps.db:1:%0A"),
             runs.out);
  BOOST_TEST(contains(said_in_summary(), "regression"), said_in_summary());
  const Outcome versions = run({"compare", "old/steps.cu", "patterns/steps.cu", "--device",
                                "emulator", "--format", "github"});
  BOOST_TEST(versions.code == 3, versions.err);
  BOOST_TEST(contains(versions.out, "::error file=patterns/steps.cu,line="), versions.out);
  const Outcome same = run({"compare", "steps:2", "steps:2", "--format", "github"});
  BOOST_TEST(same.code == 0);
  BOOST_TEST(same.out.empty(), same.out);
}

BOOST_AUTO_TEST_CASE(findings_stand_at_their_lines) {
  folder.write("patterns/steps.cu", steps_pattern(1, "if (i == 9) out[i + N] = 0;\n  "));
  const Outcome check = run({"check", "--run", "--format", "github", "steps.yaml", "absent.yaml"});
  BOOST_TEST(check.code == 66);
  BOOST_TEST(contains(check.out, "::error file=patterns/steps.cu,line=12,col=3,"), check.out);
  BOOST_TEST(contains(check.out, "::error title=sweep check::"), check.out);
  BOOST_TEST(contains(check.err, "patterns/steps.cu:12:3: error: "), check.err);
  BOOST_TEST(contains(said_in_summary(), "2 mistakes"), said_in_summary());
}

BOOST_AUTO_TEST_CASE(a_log_of_sarif_is_all_of_standard_output) {
  const Outcome good = run({"check", "--run", "--format", "sarif", "steps.yaml"});
  BOOST_TEST(good.code == 0, good.err);
  BOOST_TEST(nlohmann::json::parse(good.out)["runs"][0]["results"].empty());
  BOOST_TEST(contains(good.err, "good"), good.err);
  folder.write("patterns/steps.cu", steps_pattern(1, "if (i == 9) out[i + N] = 0;\n  "));
  folder.write("bad.yaml", "pattern: steps\naxis: {N: 1}\n");
  const Outcome bad =
      run({"check", "--run", "--format", "sarif", "-o", "x.sarif", "steps.yaml", "bad.yaml"});
  BOOST_TEST(bad.code == 65);
  const auto log = nlohmann::json::parse(read_text_file(folder.path() / "x.sarif"));
  const auto& results = log["runs"][0]["results"];
  BOOST_TEST_REQUIRE(results.size() >= 2U);
  BOOST_TEST(results[0]["ruleId"] == "input");
  const auto& last = results.back();
  BOOST_TEST(last["ruleId"] == "access");
  BOOST_TEST_REQUIRE(last["locations"].size() == 1U);
  const auto& place = last["locations"][0]["physicalLocation"];
  BOOST_TEST(place["artifactLocation"]["uri"] == "patterns/steps.cu");
  BOOST_TEST(place["region"]["startLine"] == 12);
  BOOST_TEST(run({"check", "-o", "x", "steps.yaml"}).code == 2);
}

BOOST_DATA_TEST_CASE(files_for_jobs_do_what_they_say, data::make({"github", "gitlab"}), service) {
  const bool is_github = service == std::string("github");
  const Outcome written = run({"new", service, "steps.yaml"});
  BOOST_TEST(written.code == 0, written.err);
  const std::string file = is_github ? ".github/workflows/sweep-steps.yml" : "steps.gitlab-ci.yml";
  BOOST_TEST(contains(written.err, "git add " + file), written.err);
  const std::string text = read_text_file(folder.path() / file);
  BOOST_TEST(!contains(text, "NEW_"), text);
  folder.write("job.sh", "set -euo pipefail\n" + scripts_in(text));
  fs::create_directory(folder.path() / "bin");
  fs::create_symlink(SWEEP_PROGRAM, folder.path() / "bin/sweep");
  const auto job = [&](const std::string& branch) {
    const std::string at = folder.path().string();
    const std::string command = "cd " + at + " && env GITHUB_WORKSPACE=" + at +
                                " GITHUB_STEP_SUMMARY=summary.md CI_DEFAULT_BRANCH=main "
                                "CI_COMMIT_BRANCH=" +
                                branch + " PATH=" + at + "/bin:$PATH bash job.sh >out 2>&1";
    return std::system(command.c_str()) == 0;
  };
  BOOST_TEST(job("main"), read_text_file(folder.path() / "out"));
  BOOST_TEST(fs::exists(folder.path() / "baseline/steps.db"));
  BOOST_TEST(job("change"), read_text_file(folder.path() / "out"));
  // What keeps its expectations and is worse than before fails in the comparison.
  folder.write("patterns/steps.cu", steps_pattern(2));
  folder.write("steps.yaml",
               "pattern: steps\naxes: {N: [64 Ki]}\nexpect: load_sectors_per_request <= 9\n");
  BOOST_TEST(!job("change"));
  BOOST_TEST(contains(read_text_file(folder.path() / "out"), "worse"));
}

BOOST_AUTO_TEST_CASE(files_for_jobs_are_of_the_repository) {
  const TemporaryFolder elsewhere;
  const std::string other =
      elsewhere.write("other.yaml", "pattern: stride\naxes: {STRIDE: [1]}\n").string();
  const Outcome outside = run({"new", "github", other});
  BOOST_TEST(outside.code == 2);
  BOOST_TEST(contains(outside.err, "lies outside of the current folder"), outside.err);
  const Outcome named = run({"new", "gitlab", "stride", "--patterns", "patterns"});
  BOOST_TEST(named.code == 0, named.err);
  const std::string text = read_text_file(folder.path() / "stride.gitlab-ci.yml");
  BOOST_TEST(contains(text, "sweep check --run --patterns patterns stride\n"), text);
}

BOOST_AUTO_TEST_SUITE_END()
