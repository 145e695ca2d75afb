// The examples of the help topics: commands are what the program takes, whole sweeps and patterns
// are checked as `sweep check` does.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "engine/cli/commands.h"
#include "engine/store/store.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/documented_command.h"
#include "tests/cli/program.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(topic_examples)

namespace {

struct Example {
  std::string_view topic;
  std::string text;
};

/// What a topic shows as it stands, one example for each piece between its paragraphs.
std::vector<Example> examples_of(const HelpTopic& topic) {
  std::vector<Example> examples;
  const std::string indent = "    ";
  std::istringstream lines{std::string(topic.text)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(indent)) {
      if (!inside) examples.push_back({topic.name, ""});
      examples.back().text += line.substr(indent.size()) + "\n";
      inside = true;
    } else if (line.empty() && inside) {
      examples.back().text += "\n";
    } else {
      inside = false;
    }
  }
  return examples;
}

std::vector<Example> examples_that_begin_with(const std::string& begin) {
  std::vector<Example> result;
  for (const HelpTopic& topic : help_topics()) {
    for (const Example& example : examples_of(topic)) {
      if (example.text.starts_with(begin)) result.push_back(example);
    }
  }
  return result;
}

/// `beside` are files that an example names in their first lines.
void check_file(const std::string& name, const std::string& text,
                const std::vector<std::string>& options = {},
                const std::vector<Example>& beside = {}) {
  const TemporaryFolder folder;
  for (const Example& file : beside) {
    folder.write(file.text.substr(3, file.text.find('\n') - 3), file.text);
  }
  std::vector<std::string> words = {"check", folder.write(name, text).string()};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome check = run_program(words);
  BOOST_TEST(check.code == 0, check.err);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_commands_of_topics_are_there) {
  std::size_t count = 0;
  for (const HelpTopic& topic : help_topics()) {
    std::vector<std::string> commands = commands_in_prose(topic.text);
    for (const Example& example : examples_of(topic)) {
      const std::vector<std::string> more = commands_in_code(example.text);
      commands.insert(commands.end(), more.begin(), more.end());
    }
    count += commands.size();
    for (const std::string& command : commands) {
      const std::string mistake = mistake_in(command);
      BOOST_TEST(mistake.empty(), topic.name << ": " << command << ": " << mistake);
    }
  }
  BOOST_TEST(count > 50U);
}

BOOST_AUTO_TEST_CASE(sweeps_in_topics_have_no_mistake,
                     *boost::unit_test::precondition(has_compiler)) {
  const std::vector<Example> sweeps = examples_that_begin_with("summary: ");
  BOOST_TEST(sweeps.size() == 2U);
  for (const Example& example : sweeps) {
    // All of the file is read; that not all of its hundreds of configurations compile saves time.
    std::vector<std::string> fewer = {"--set", "T=float"};
    if (example.topic == "tuning") fewer.insert(fewer.end(), {"--set", "LOAD=0"});
    if (example.topic == "sweep") fewer.insert(fewer.end(), {"--set", "STRIDE=1,2"});
    BOOST_TEST_CONTEXT(example.topic) check_file("example.yaml", example.text, fewer);
  }
}

BOOST_AUTO_TEST_CASE(patterns_in_topics_have_no_mistake,
                     *boost::unit_test::precondition(has_compiler)) {
  const std::vector<Example> patterns = examples_that_begin_with("/* pattern:");
  BOOST_TEST(patterns.size() == 3U);
  for (const Example& example : patterns) {
    std::smatch name;
    const std::regex kernel_or_file(R"((?:void (\w+)\()|(?:include "(\w+).cuh"))");
    BOOST_TEST_REQUIRE(std::regex_search(example.text, name, kernel_or_file));
    BOOST_TEST_CONTEXT(example.topic) {
      check_file(name[1].str() + name[2].str() + ".cu", example.text, {"--run"},
                 examples_that_begin_with("// " + name[2].str() + ".cuh"));
    }
  }
}

boost::test_tools::assertion_result has_python(boost::unit_test::test_unit_id /*unused*/) {
  const bool is_there = std::system(
                            "python3 -c 'import sqlite3; sqlite3.connect(\":memory:\").execute("
                            "\"select json_valid(1)\")' >/dev/null 2>&1") == 0;
  if (!is_there) BOOST_TEST_MESSAGE("scripts skipped: there is no python3 with sqlite3 and JSON");
  return is_there;
}

/// Two runs of `stride` as on a GPU; in the second a double takes twice as long.
void write_two_runs(const std::filesystem::path& database) {
  Store store(database, Store::Mode::read_write);
  for (const double slower : {1.0, 2.0}) {
    Provenance provenance;
    provenance.sweep_name = "stride";
    const std::int64_t run = store.begin_run(provenance);
    std::int64_t place = 0;
    for (const char* type : {"float", "double"}) {
      for (const std::int64_t stride : {1, 2, 4}) {
        for (const std::int64_t block : {128, 256}) {
          PointRecord point;
          point.key.pattern_name = "stride";
          point.key.parameters.set("STRIDE", stride);
          point.key.parameters.set("T", *ElementType::find(type));
          point.key.parameters.set("BLOCK", block);
          const double factor = type == std::string("double") ? slower : 1;
          const double time = factor * static_cast<double>(stride) * (block == 128 ? 2 : 1);
          point.metrics = {{"time", Origin::measured, time},
                           {"bandwidth", Origin::measured, 1000 / time}};
          store.add_point(run, place++, point);
        }
      }
    }
    store.end_run(run, RunState::finished);
  }
}

BOOST_AUTO_TEST_CASE(scripts_in_topics_run, *boost::unit_test::precondition(has_python)) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "results");
  write_two_runs(folder.path() / "results/stride.db");
  std::vector<std::string> outputs;
  for (const Example& example : examples_that_begin_with("import sqlite3")) {
    const std::string script = folder.write("script.py", example.text).string();
    const std::string command =
        "cd " + folder.path().string() + " && python3 " + script + " >out 2>&1";
    BOOST_TEST(std::system(command.c_str()) == 0, example.text);
    outputs.push_back(read_text_file(folder.path() / "out"));
  }
  BOOST_REQUIRE(outputs.size() == 3U);
  BOOST_TEST(outputs[0] == "double 1 256 500.0\nfloat 1 256 1000.0\n");
  BOOST_TEST(outputs[1] == "STRIDE double float\n1 1000.0 1000.0\n2 500.0 500.0\n4 250.0 250.0\n");
  BOOST_TEST(outputs[2].starts_with("1 double 128 2.0\n"), outputs[2]);
  BOOST_TEST(std::ranges::count(outputs[2], '\n') == 12);
}

BOOST_AUTO_TEST_SUITE(with_compiler, *boost::unit_test::precondition(has_compiler))

BOOST_DATA_TEST_CASE(parts_of_sweeps_in_topics_are_understood, data::make({"report:", "where:"}),
                     begin) {
  const std::vector<Example> parts = examples_that_begin_with(begin);
  BOOST_TEST(!parts.empty());
  for (const Example& example : parts) {
    const std::string sweep =
        "pattern: stride\naxes: {STRIDE: [1, 2], T: [float], BLOCK: [256]}\n" + example.text;
    BOOST_TEST_CONTEXT(example.topic) check_file("example.yaml", sweep);
  }
}

BOOST_AUTO_TEST_SUITE_END()

struct MistakeCase {
  const char* command;
  const char* mistake;
};

BOOST_AUTO_TEST_CASE(mistakes_in_commands_are_found) {
  const std::vector<MistakeCase> cases = {
      {"sweep run stride --set STRIDE=1,2 -o x", ""},
      {"sweep run SWEEP", ""},
      {"sweep help pattern", ""},
      {"sweep list patterns\\|sweeps\\|metrics", ""},
      {"sweep show\\|explain pattern stride", "too many operands: stride"},
      {"sweep rnu stride", "there is no command 'rnu'"},
      {"sweep run stride --fast", "there is no option --fast"},
      {"sweep compare a b c d", "too many operands: d"},
      {"sweep help nothing", "'nothing' is none of the choices"},
      {"sweep run stride --color red", "'red' is none of the choices"},
  };
  for (const MistakeCase& tried : cases) BOOST_TEST(mistake_in(tried.command) == tried.mistake);
}

BOOST_AUTO_TEST_CASE(commands_are_found_in_prose_and_code) {
  const std::vector<std::string> prose = {"sweep run a b", "sweep list sweeps"};
  BOOST_TEST(commands_in_prose("`x`, `build/sweep run a\nb`, sweep it, `sweep list sweeps`") ==
             prose);
  const std::vector<std::string> code = {"sweep run a --set B=1 -o x", "sweep schema sweep",
                                         "sweep completion bash"};
  const std::vector<std::string> found = commands_in_code(
      "build/sweep run a \\\n  --set B=1 -o x   # why\nsweepings\n"
      "sweep schema sweep > a.json\nsource <(sweep completion bash)\n");
  BOOST_TEST(found == code, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
