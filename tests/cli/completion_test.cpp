#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <sstream>

#include "engine/cli/commands.h"
#include "engine/text/read_source.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(completion)

namespace {

/// What the program offers for the last word: the line about files, then each offer.
std::vector<std::string> offered(const std::vector<std::string>& words) {
  std::istringstream lines(run_program(with({"complete"}, words)).out);
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    result.push_back(line.substr(0, line.find('\t')));
  }
  return result;
}

bool offers(const std::vector<std::string>& words, const std::string& word) {
  const std::vector<std::string> all = offered(words);
  BOOST_REQUIRE(!all.empty());
  return std::find(all.begin() + 1, all.end(), word) != all.end();
}

struct Case {
  std::vector<std::string> words;
  std::vector<std::string> answer;
};

std::ostream& operator<<(std::ostream& out, const Case& item) {
  for (const std::string& word : item.words) out << '[' << word << ']';
  return out;
}

const std::vector<Case> cases = {
    {{"ru"}, {"words", "run"}},
    {{"--v"}, {"words", "--version"}},
    {{"nothing", ""}, {"words"}},
    {{"run", "strid"}, {"files yaml", "stride", "strided_store"}},
    {{"run", "--fre"}, {"words", "--fresh"}},
    {{"run", "--fresh", "--fre"}, {"words"}},
    {{"run", "--set", "N=1", "--se"}, {"words", "--set", "--seed"}},
    {{"new", "pattern", "mine", "--from", ""}, {"files"}},
    {{"run", "-o", ""}, {"folders"}},
    {{"run", "--profile", ""}, {"files yaml", "h200", "h100", "a100", "b200", "rtx4090"}},
    {{"run", "--device", "em"}, {"words", "emulator"}},
    {{"run", "--device", "em", "stride", "--l1", "o"}, {"words", "on", "off"}},
    {{"run", "--color=n"}, {"words", "--color=never"}},
    {{"run", "stride", "--set", "BL"}, {"goes-on", "BLOCK="}},
    {{"run", "stride", "--set=BL"}, {"goes-on", "--set=BLOCK="}},
    {{"run", "sweeps/stride.yaml", "--set", "T=dou"},
     {"goes-on", "T=double", "T=double1", "T=double2", "T=double3", "T=double4", "T=double4_16a",
      "T=double4_32a"}},
    {{"run", "stride", "--set", "T=float,hal"}, {"goes-on", "T=float,half", "T=float,half2"}},
    {{"explain", "access", "--set", "REVERSED=t"}, {"goes-on", "REVERSED=true"}},
    {{"explain", "access", "--set", "NOTHING=t"}, {"goes-on"}},
    {{"explain", "nothing", "--set", ""}, {"words"}},
    {{"explain", "patterns/stri"}, {"files cu"}},
    {{"run", "--counters", "memory,sh"},
     {"goes-on", "memory,shared", "memory,shared_load_requests", "memory,shared_load_wavefronts",
      "memory,shared_load_ideal_wavefronts", "memory,shared_load_conflicts",
      "memory,shared_load_wavefronts_per_request", "memory,shared_store_requests",
      "memory,shared_store_wavefronts", "memory,shared_store_ideal_wavefronts",
      "memory,shared_store_conflicts", "memory,shared_store_wavefronts_per_request",
      "memory,shared_conflicts"}},
    {{"compare-strategies", "--strategies", "random,fo"}, {"goes-on", "random,forest"}},
    {{"compare-strategies", "--metric", "bandw"}, {"words", "bandwidth"}},
    {{"show", "pattern", "stride"}, {"files cu", "stride", "strided_store"}},
    {{"show", "metric", "time_m"}, {"words", "time_min"}},
    {{"show", "pattern", "stride", "--p"}, {"words", "--patterns"}},
    {{"report", ""}, {"files db"}},
    {{"compare", "patterns/stride.cu", ""}, {"files db cu csv"}},
    {{"compare", "patterns/stride.cu", "patterns/stride.cu", "strided_st"},
     {"files yaml", "strided_store"}},
    {{"compare", "patterns/stride.cu", "patterns/stride.cu", "--set", "STR"},
     {"goes-on", "STRIDE="}},
    {{"explain", "link_stream", "--set", "OPERATION="},
     {"goes-on", "OPERATION=0", "OPERATION=1", "OPERATION=2"}},
    {{"explain", "stride", "--set", "BLOCK="}, {"goes-on", "BLOCK=256", "BLOCK=1", "BLOCK=1024"}},
    {{"compare-strategies", "stride", "--where", "BLOCK<=64&&STR"},
     {"goes-on", "BLOCK<=64&&STRIDE"}},
    {{"compare", "patterns/stride.cu", "--ignore", "N,STR"}, {"goes-on", "N,STRIDE"}},
    {{"compare", "patterns/stride.cu", "--rename", "STR"}, {"goes-on", "STRIDE="}},
    {{"new", "editor", ""}, {"files cu"}},
    {{"report", "--format", "c"}, {"words", "csv"}},
    {{"list", "--", "--p"}, {"words"}},
    {{"check", "a.cu", "strid"}, {"files yaml cu", "stride", "strided_store"}},
    {{"cache", ""}, {"words", "clear"}},
};

/// Whether a shell is there; the path cannot be quoted into its arguments.
bool has(const std::string& shell) {
  return std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) == 0;
}

/// What `script` prints when the shell has the completion and finds this program as `sweep`.
std::string in_shell(const std::string& command, const std::string& script) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "bin");
  std::filesystem::create_symlink(SWEEP_PROGRAM, folder.path() / "bin" / "sweep");
  folder.write("script", script);
  const std::string out = (folder.path() / "out").string();
  const std::string line = "cd '" SWEEP_SOURCE_DIR "' && PATH='" +
                           (folder.path() / "bin").string() + "':$PATH HOME='" +
                           folder.path().string() + "' " + command + " '" +
                           (folder.path() / "script").string() + "' >'" + out + "' 2>&1 </dev/null";
  BOOST_TEST(std::system(line.c_str()) == 0);
  return read_source(out)->text;
}

}  // namespace

BOOST_DATA_TEST_CASE(the_last_word_is_completed, data::make(cases)) {
  BOOST_TEST(offered(sample.words) == sample.answer, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(every_command_and_option_is_offered_with_its_meaning) {
  for (const Command& command : commands()) {
    BOOST_TEST(offers({""}, command.name), command.name);
    const CommandLine line = command.line();
    for (const OptionOfLine& option : line.options) {
      BOOST_TEST(offers({command.name, "-"}, "--" + option.name), option.name);
    }
  }
  BOOST_TEST(contains(run_program({"complete", "run", "--fre"}).out,
                      "--fresh\tmeasure again what the database has already\n"));
}

BOOST_AUTO_TEST_CASE(patterns_of_a_folder_on_the_line_are_offered) {
  const TemporaryFolder folder;
  folder.write("mine.cu", "");
  const std::string path = folder.path().string();
  BOOST_TEST(offers({"explain", "--patterns", path, "mi"}, "mine"));
  BOOST_TEST(offers({"explain", "--patterns=" + path, "mi"}, "mine"));
  BOOST_TEST(!offers({"explain", "mi"}, "mine"));
}

BOOST_AUTO_TEST_CASE(the_shells_are_known) {
  BOOST_TEST(run_program({"completion", "zsh"}).out.starts_with("#compdef sweep\n"));
  BOOST_TEST(run_program({"completion"}).code == 2);
  const Outcome other = run_program({"completion", "basj"});
  BOOST_TEST(other.code == 2);
  BOOST_TEST(contains(other.err, "did you mean 'bash'?"));
}

BOOST_AUTO_TEST_CASE(bash_completes) {
  const std::string out = in_shell("bash --norc", R"(
source <(sweep completion bash)
try() { COMP_LINE=$1 COMP_POINT=${#1}; _sweep; echo "$1 -> ${COMPREPLY[*]}"; }
try "sweep repor"
try "sweep run strid"
try "sweep explain patterns/strided"
try "sweep run stride --set BLO"
try "sweep run stride --set T=half"
try "sweep run stride --set=BLO"
try "sweep run -o pattern"
complete -p sweep
)");
  BOOST_TEST(out ==
             "sweep repor -> report\n"
             "sweep run strid -> stride strided_store\n"
             "sweep explain patterns/strided -> patterns/strided_store.cu\n"
             "sweep run stride --set BLO -> BLOCK=\n"
             "sweep run stride --set T=half -> half half2\n"
             "sweep run stride --set=BLO -> BLOCK=\n"
             "sweep run -o pattern -> patterns\n"
             "complete -F _sweep sweep\n");
}

BOOST_AUTO_TEST_CASE(fish_completes) {
  if (!has("fish")) {
    BOOST_TEST_MESSAGE("skipped: there is no fish");
    return;
  }
  const std::string out = in_shell("fish --no-config", R"(
sweep completion fish | source
complete -C "sweep repor"
complete -C "sweep explain patterns/strided"
complete -C "sweep run stride --set BLO"
complete -C "sweep run stride --set=BLO"
complete -C "sweep run -o pattern"
)");
  BOOST_TEST(out ==
             "report\tmake a report again from a results database\n"
             "patterns/strided_store.cu\n"
             "BLOCK=\tthreads per block\n"
             "--set=BLOCK=\tthreads per block\n"
             "patterns/\n");
}

BOOST_AUTO_TEST_CASE(zsh_reads_its_script) {
  if (!has("zsh")) {
    BOOST_TEST_MESSAGE("skipped: there is no zsh");
    return;
  }
  const std::string out = in_shell("zsh -f", R"(
autoload -Uz compinit
compinit -u -D
source <(sweep completion zsh)
echo $_comps[sweep]
)");
  BOOST_TEST(out == "_sweep\n");
}

BOOST_AUTO_TEST_SUITE_END()
