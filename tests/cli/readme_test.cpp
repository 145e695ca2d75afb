// Reads README.md and does what it says: sh blocks are executed in their order in one folder,
// yaml and cuda blocks are saved there under the name before them, text blocks are compared with
// what the program prints. All of it on the emulator, also where there is a GPU.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "engine/cli/commands.h"
#include "tests/cli/compiler_precondition.h"
#include "tests/cli/documented_command.h"
#include "tests/cli/markdown_blocks.h"
#include "tests/cli/program.h"
#include "tests/cli/shown_output.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace fs = std::filesystem;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(readme_file)

namespace {

const std::vector<std::string> pages = {"README.md", "sweeps/README.md", "patterns/README.md"};

const std::string& readme() {
  static const std::string text = read_text_file(fs::path(SWEEP_SOURCE_DIR) / "README.md");
  return text;
}

/// The repository's root as the blocks find it: the program is built, and set up.
class Checkout {
 public:
  Checkout() {
    const fs::path source = SWEEP_SOURCE_DIR;
    for (const char* name : {"patterns", "sweeps", "setup.sh"}) {
      fs::create_symlink(source / name, folder_.path() / name);
    }
    fs::create_directory(folder_.path() / "build");
    fs::create_symlink(SWEEP_PROGRAM, folder_.path() / "build" / "sweep");
  }

  void save(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  /// Standard output and standard error together.
  Outcome shell(const std::string& script) const {
    const fs::path file =
        folder_.write("script", "cd '" + folder_.path().string() + "'\n" + script);
    const fs::path out = folder_.path() / "script.out";
    const std::string command =
        "env -u SWEEP_PATH -u SWEEP_CACHE_LIMIT CUDA_VISIBLE_DEVICES=-1 "
        "XDG_CACHE_HOME='" +
        (folder_.path() / "cache").string() + "' sh -eu '" + file.string() + "' >'" + out.string() +
        "' 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(out), ""};
  }

 private:
  TemporaryFolder folder_;
};

/// What remains of a block when the machine is set up already. `setup.sh` is not executed, since it
/// installs and builds; it has to be there, to be executable, and to be a program for bash. The
/// tests are not executed from within a test: ctest lists them.
std::string after_setup(const std::string& script) {
  std::smatch setup;
  if (!std::regex_search(script, setup, std::regex(R"(^\./setup\.sh( --tests)? && )")))
    return script;
  std::string rest = setup.suffix();
  const std::string tests = "ctest --test-dir build ";
  if (rest.starts_with(tests)) {
    rest = "ctest -N --test-dir '" SWEEP_BINARY_DIR "' " + rest.substr(tests.size());
  }
  return "test -x setup.sh\nbash -n setup.sh\n" + rest;
}

/// "Save this as `mine/halves.cu`": the name, or nothing.
std::string name_to_save_as(const std::string& prose) {
  std::smatch name;
  const std::regex saying(R"(Save this as `([^`]+)`)");
  return std::regex_search(prose, name, saying) ? name[1].str() : std::string();
}

/// The command that the prose before a block names, or nothing.
std::string named_command(const std::string& prose) {
  for (const std::string& span : code_spans(prose)) {
    if (span.starts_with("build/sweep ")) return span;
  }
  return {};
}

/// Does what the blocks say, one after the other.
class Reader {
 public:
  void follow(const FencedBlock& block) {
    BOOST_TEST_CONTEXT("README.md:" << block.line) {
      if (block.kind == "sh") {
        execute(after_setup(block.text));
      } else if (block.kind == "yaml" || block.kind == "cuda") {
        const std::string name = name_to_save_as(block.prose);
        BOOST_TEST(!name.empty(), "no file name stands before the block");
        if (!name.empty()) checkout_.save(name, block.text);
      } else if (block.kind == "text") {
        compare(block);
      } else {
        BOOST_ERROR("blocks are of the kind sh, yaml, cuda or text, not '" << block.kind << "'");
      }
    }
  }

 private:
  void execute(const std::string& script) {
    const Outcome outcome = checkout_.shell(script);
    BOOST_TEST(outcome.code == 0, script << "ends with " << outcome.code << ":\n" << outcome.out);
    output_ = outcome.out;
    if (contains(script, "ctest -N")) {
      BOOST_TEST(contains(output_, "readme"), "ctest lists no tests:\n" << output_);
    }
  }

  void compare(const FencedBlock& block) {
    const std::string command = named_command(block.prose);
    if (!command.empty()) execute(command);
    const bool of_a_gpu = contains(block.prose, "on an NVIDIA");
    const std::string differs =
        of_a_gpu ? difference_in_shape(block.text, output_) : difference(block.text, output_);
    BOOST_TEST(differs.empty(), differs);
  }

  Checkout checkout_;
  std::string output_;  ///< of the last command
};

}  // namespace

BOOST_AUTO_TEST_CASE(its_blocks_do_what_they_say, *boost::unit_test::precondition(has_compiler)) {
  const std::vector<FencedBlock> blocks = fenced_blocks(readme());
  BOOST_TEST(blocks.size() >= 8U);
  Reader reader;
  for (const FencedBlock& block : blocks) reader.follow(block);
}

// A figure that stands in several places is the same in all.

BOOST_AUTO_TEST_CASE(the_emulators_test_is_as_large_as_said) {
  const fs::path file = fs::path(SWEEP_SOURCE_DIR) / "tests/emulator/hardware/configurations.txt";
  std::istringstream lines(read_text_file(file));
  std::size_t configurations = 0;
  std::set<std::string> kernels;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    ++configurations;
    kernels.insert(line.substr(0, line.find(' ')));
  }
  const std::string said = std::to_string(configurations) + " configurations of " +
                           std::to_string(kernels.size()) + " test kernels";
  BOOST_TEST(contains(readme(), said), said);
  BOOST_TEST(contains(std::string(find_help_topic("emulator")->text), said), said);
}

BOOST_AUTO_TEST_CASE(the_shares_of_the_peak_are_those_of_help) {
  std::istringstream lines{std::string(find_help_topic("tuning")->text)};
  const std::regex row(R"(^ +\d  (read|write|copy), .* ([\d.]+) % .*)");
  std::map<std::string, double> best;
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, found, row)) continue;
    double& share = best[found[1]];
    share = std::max(share, std::stod(found[2]));
  }
  BOOST_REQUIRE(best.size() == 3U);
  const auto said = [](double share) { return std::to_string(std::lround(share)) + " %"; };
  BOOST_TEST(said(best["read"]) == said(best["write"]));
  BOOST_TEST(
      contains(readme(), "reach " + said(best["read"]) + " of the theoretical peak with reads"));
  BOOST_TEST(contains(readme(), "reach " + said(best["copy"]) + "."));
}

BOOST_AUTO_TEST_CASE(the_picture_shows_the_best_figure_of_the_text) {
  const std::regex best(R"(!\[Bandwidth .* from \d+ and (\d+) GB/s at stride 1 )");
  std::smatch found;
  BOOST_REQUIRE(std::regex_search(readme(), found, best));
  const fs::path picture = fs::path(SWEEP_SOURCE_DIR) / "report/pictures/stride.svg";
  BOOST_TEST(contains(read_text_file(picture), " to " + found[1].str() + " GB/s"));
}

const std::vector<std::string> pages_for_developers = {"CONTRIBUTING.md", "SECURITY.md",
                                                       "engine/README.md"};

BOOST_DATA_TEST_CASE(links_lead_somewhere, data::make(pages) + data::make(pages_for_developers),
                     page) {
  const fs::path file = fs::path(SWEEP_SOURCE_DIR) / page;
  const std::string text = read_text_file(file);
  const std::vector<std::string> anchors = anchors_of(text);
  BOOST_TEST(!links_of(readme()).empty());
  for (const std::string& target : links_of(text)) {
    if (target.starts_with("https://")) continue;
    if (target.starts_with('#')) {
      BOOST_TEST((std::ranges::find(anchors, target) != anchors.end()), target);
    } else {
      BOOST_TEST(fs::exists(file.parent_path() / target), target);
    }
  }
}

BOOST_DATA_TEST_CASE(the_commands_named_are_there, data::make(pages), page) {
  const std::string text = read_text_file(fs::path(SWEEP_SOURCE_DIR) / page);
  std::vector<std::string> commands = commands_in_prose(text);
  for (const FencedBlock& block : fenced_blocks(text)) {
    if (block.kind != "sh") continue;
    const std::vector<std::string> more = commands_in_code(block.text);
    commands.insert(commands.end(), more.begin(), more.end());
  }
  BOOST_TEST(!commands.empty());
  for (const std::string& command : commands) {
    const std::string mistake = mistake_in(command);
    BOOST_TEST(mistake.empty(), command << ": " << mistake);
  }
}

BOOST_AUTO_TEST_CASE(output_is_compared_line_by_line_but_for_times) {
  const std::string output = "a\nb 1.5 s\n\nc\nd\n";
  for (const char* same : {"a\nb 2 s", "b 9.25 s\n\nc", "a\n...\nd", "c\n...\n", "b 1 s\n...\nd"}) {
    BOOST_TEST(difference(same, output).empty(), same);
  }
  for (const char* other : {"b 2 ms x", "a\nc", "d\n...\na", "a\n...\ne", "b 1.5 GB"}) {
    BOOST_TEST(!difference(other, output).empty(), other);
  }
}

BOOST_AUTO_TEST_CASE(tables_are_compared_by_their_shape) {
  const std::string output =
      "x\n  2 configurations: N x 2\nTitle\nefficiency [%].\n\n"
      "N  T = a  T = b\n1    9.5     10\n2      3      4\n\nend\n";
  const std::string title = "Title\nbandwidth [GB/s].\n\n";
  BOOST_TEST(
      difference_in_shape(title + "N  T = a  T = b\n1   100   200\n2   300   400\n", output) == "");
  for (const std::string& other :
       {title + "N  T = a  T = b\n1   100   200\n", title + "N  T = a\n1   100\n2   300\n",
        title + "N  T = a  T = c\n1  1  2\n2  3  4\n", std::string("only text\n"),
        "  3 configurations: N x 3\n" + title + "N  T = a  T = b\n1  1  2\n2  3  4\n"}) {
    BOOST_TEST(!difference_in_shape(other, output).empty(), other);
  }
}

BOOST_AUTO_TEST_SUITE_END()
