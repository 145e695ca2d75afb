#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <sstream>

#include "engine/cli/commands.h"
#include "tests/cli/program.h"
#include "tests/contains.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(usage)

namespace {

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Command& command : commands()) all.emplace_back(command.name);
  return all;
}
const auto every_command = data::make(names());

}  // namespace

BOOST_AUTO_TEST_CASE(help_names_every_command) {
  const Outcome help = run_program({"--help"});
  BOOST_TEST(help.code == 0);
  for (const std::string& command : names()) {
    BOOST_TEST(contains(help.out, "\n  " + command + " "));
  }
  BOOST_TEST(run_program({"-h"}).out == help.out);
}

BOOST_DATA_TEST_CASE(every_command_explains_itself, every_command, command) {
  const Outcome help = run_program({command, "--help"});
  BOOST_TEST(help.code == 0);
  BOOST_TEST(help.out.starts_with("Usage: sweep " + command));
  BOOST_TEST(help.err.empty());
}

BOOST_DATA_TEST_CASE(help_fits_into_80_columns, every_command, command) {
  std::istringstream help(run_program({command, "--help"}).out);
  for (std::string line; std::getline(help, line);) {
    BOOST_TEST(line.size() <= 80U, line);
    BOOST_TEST(!line.ends_with(' '), line);
  }
}

BOOST_AUTO_TEST_CASE(version_is_a_name_and_a_number) {
  const Outcome version = run_program({"--version"});
  BOOST_TEST(version.code == 0);
  BOOST_TEST(version.out.starts_with("sweep 0."));
}

BOOST_AUTO_TEST_CASE(without_a_command_the_help_comes_with_the_usage_code) {
  BOOST_TEST(run_program({}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_command_that_is_not_there_is_suggested) {
  const Outcome wrong = run_program({"rnu"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: there is no command 'rnu'; did you mean 'run'?\n");
  BOOST_TEST(run_program({"tune"}).err ==
             "sweep: there is no command 'tune'; of the topics of 'sweep help', did you mean "
             "'tuning'?\n");
  BOOST_TEST(contains(run_program({"elephant"}).err, "; the commands are: run, "));
}

BOOST_AUTO_TEST_CASE(an_option_before_the_command_is_explained) {
  const Outcome wrong = run_program({"--color", "never", "list", "patterns"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: --color: options come after the command; see sweep --help\n");
}

BOOST_DATA_TEST_CASE(unknown_options_and_prefixes_of_options_are_refused, every_command, command) {
  BOOST_TEST(run_program({command, "--hel"}).code == 2);
  const Outcome wrong = run_program({command, "--no-such-option"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(contains(wrong.err, "there is no option --no-such-option"));
}

BOOST_AUTO_TEST_CASE(an_unknown_option_gets_a_suggestion) {
  BOOST_TEST(contains(run_program({"run", "--patern", "x"}).err, "did you mean '--patterns'?"));
}

BOOST_DATA_TEST_CASE(every_command_takes_a_choice_of_colour, every_command, command) {
  BOOST_TEST(contains(run_program({command, "--help"}).out, "--color WHEN"));
  for (const char* choice : {"auto", "always", "never"}) {
    BOOST_TEST(run_program({command, "--color", choice, "--help"}).code == 0);
  }
  const Outcome wrong = run_program({command, "--color", "red"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: --color red: write auto, always or never\n");
}

BOOST_DATA_TEST_CASE(a_parameter_is_set_once, data::make({"run", "check"}), command) {
  const Outcome twice = run_program({command, "sweeps/stride.yaml", "--set", "BLOCK=256", "--set",
                                     "STRIDE=1", "--set", " STRIDE = 2"});
  BOOST_TEST(twice.code == 2);
  BOOST_TEST(contains(twice.err, "--set gives STRIDE twice"));
}

BOOST_AUTO_TEST_CASE(missing_and_superfluous_arguments_are_usage_errors) {
  for (const char* command : {"run", "check", "explain", "show", "report"}) {
    BOOST_TEST(run_program({command}).code == 2, command);
  }
  BOOST_TEST(run_program({"compare", "a", "b", "c"}).code == 2);
  BOOST_TEST(run_program({"report", "x.db", "--format", "pdf"}).code != 0);
  BOOST_TEST(run_program({"run", "stride", "--device", "fast"}).code == 2);
  BOOST_TEST(run_program({"worker"}).code == 2);
}

struct Mistake {
  std::vector<std::string> words;
  int code;
  std::string message;  ///< part of it

  friend std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
    for (const std::string& word : mistake.words) out << word << ' ';
    return out;
  }
};

const std::vector<Mistake> mistakes = {
    {{"sweeps/stride.yaml"},
     2,
     "'sweeps/stride.yaml' is a file; a command comes first: "
     "sweep run sweeps/stride.yaml"},
    {{"run", "patterns/stride.cu"},
     2,
     "patterns/stride.cu is a pattern; sweep run takes a sweep "
     "(.yaml); try: sweep check --run patterns/stride.cu"},
    {{"run", "results/x.db"}, 2, "try: sweep report results/x.db"},
    {{"run", "stride", "--device", "0,1,0"}, 2, "--device 0,1,0: name each GPU once"},
    {{"run", "stride", "--device", "auto,1"}, 2, "--device auto,1: name each GPU once"},
    {{"run", "stride", "--device", "0,emulator"}, 2, "write auto, emulator, all, replay:FILE"},
    {{"run", "sweeps"}, 66, "sweeps is a folder; sweep run takes a sweep (.yaml) in it"},
    {{"run", "transpose_tiled"}, 66, "but a pattern"},
    {{"run", "stride", "STRIDE=3"}, 2, "to set a parameter, write --set STRIDE=3"},
    {{"run", "stride", "--set"}, 2, "--set needs a value: --set NAME=VALUES"},
    {{"run", "stride", "-o"}, 2, "--output needs a value: --output DIR"},
    {{"run", "stride", "--device"}, 2, "--device needs a value: --device DEVICE; see sweep run"},
    {{"run", "stride", "--seed", "-1"}, 2, "--seed -1: write a whole number from 1"},
    {{"run", "stride", "--set", "STRIDE=-3"}, 65, "below the min of 0"},
    {{"run", "stride", "--model", "99", "--device", "emulator"}, 2, "--model 9.9: no GPU of it"},
    {{"report", "sweeps/stride.yaml"}, 2, "try: sweep report results/stride.db"},
    {{"report", "patterns"}, 66, "patterns: there is no results database (.db) in this folder"},
    {{"export", "sweeps/stride.yaml", "--format", "json"},
     2,
     "try: sweep export results/stride.db"},
    {{"explain", "sweeps/stride.yaml"}, 2, "try: sweep run sweeps/stride.yaml"},
    {{"check", "results/x.db"}, 2, "try: sweep report results/x.db"},
    {{"check", "sweeps"}, 66, "sweeps is a folder"},
    {{"check", "x.cuh"}, 2, "x.cuh is a file for patterns to include; sweep check takes"},
    {{"compare", "sweeps/stride.yaml"}, 2, "try: sweep compare results/stride.db"},
    {{"list", "runs", "sweeps/stride.yaml"}, 2, "try: sweep list runs results/stride.db"},
};

BOOST_DATA_TEST_CASE(usual_mistakes_are_told_what_to_type, data::make(mistakes), mistake) {
  const Outcome outcome = run_program(mistake.words);
  BOOST_TEST(outcome.code == mistake.code, outcome.err);
  BOOST_TEST(contains(outcome.err, mistake.message), outcome.err);
  BOOST_TEST(outcome.out.empty());
}

BOOST_AUTO_TEST_CASE(a_full_disk_behind_standard_output_is_reported) {
  const Outcome full = run_program({"list", "metrics"}, SWEEP_SOURCE_DIR, {}, "/dev/full");
  BOOST_TEST(full.code == 74);
  BOOST_TEST(contains(full.err, "standard output cannot be written"));
}

BOOST_AUTO_TEST_SUITE_END()
