#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "engine/cli/commands.h"
#include "engine/text/read_source.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(manual_page)

BOOST_AUTO_TEST_CASE(it_renders_without_warnings_and_has_every_command_and_option) {
  const TemporaryFolder folder;
  const std::string page = (folder.path() / "sweep.1").string();
  BOOST_TEST_REQUIRE(run_program({"man", "-o", page}).code == 0);
  if (std::system("command -v groff >/dev/null 2>&1") != 0) {
    BOOST_TEST_MESSAGE("skipped: there is no groff");
    return;
  }
  const std::string text = (folder.path() / "text").string();
  const std::string warnings = (folder.path() / "warnings").string();
  const std::string render = "groff -man -ww -Tascii -P-c -P-b -P-u -rLL=200n '" + page + "' >'" +
                             text + "' 2>'" + warnings + "'";
  BOOST_TEST(std::system(render.c_str()) == 0);
  BOOST_TEST(read_source(warnings)->text == "");
  const std::string shown = read_source(text)->text;
  for (const Command& command : commands()) {
    const CommandLine line = command.line();
    BOOST_TEST(contains(shown, line.synopsis), line.synopsis);
    for (const OptionOfLine& option : line.options) {
      BOOST_TEST(contains(shown, "--" + option.name), option.name);
    }
  }
  for (const char* part : {"FILES", "ENVIRONMENT", "SWEEP_PATH", "EXIT STATUS",
                           "A mistake in an input file.", "EXAMPLES", "SEE ALSO"}) {
    BOOST_TEST(contains(shown, part), part);
  }
}

BOOST_AUTO_TEST_SUITE_END()
