#include "engine/cli/terminal/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "tests/changed_environment.h"

using namespace sweep;

namespace terminal_choice {
namespace {

/// A terminal that nobody looks at, with the colours chosen as by `--color` and the environment.
struct PseudoTerminal {
  PseudoTerminal() : controller(posix_openpt(O_RDWR | O_NOCTTY)) {
    BOOST_REQUIRE(controller >= 0);
    BOOST_REQUIRE(grantpt(controller) == 0);
    BOOST_REQUIRE(unlockpt(controller) == 0);
    terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
    BOOST_REQUIRE(terminal >= 0);
    environment.set("TERM", "xterm");
    for (const char* name : {"NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "LC_ALL", "LC_CTYPE"}) {
      environment.unset(name);
    }
    environment.set("LANG", "en_US.UTF-8");
  }
  ~PseudoTerminal() {
    set_color_choice("auto");
    close(terminal);
    close(controller);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  ChangedEnvironment environment;
  int controller;
  int terminal = -1;
};

}  // namespace
}  // namespace terminal_choice

BOOST_FIXTURE_TEST_SUITE(terminal_choice, terminal_choice::PseudoTerminal)

BOOST_AUTO_TEST_CASE(a_terminal_has_colour_and_a_live_line) {
  BOOST_TEST(terminal_of(terminal).is_terminal);
  BOOST_TEST(terminal_of(terminal).color);
  BOOST_TEST(terminal_of(terminal).live);
}

BOOST_AUTO_TEST_CASE(a_terminal_says_how_large_it_is) {
  BOOST_TEST(terminal_of(terminal).width == 80U);
  BOOST_TEST(terminal_of(terminal).height == 0U);
  const winsize size = {.ws_row = 30, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  BOOST_REQUIRE(ioctl(terminal, TIOCSWINSZ, &size) == 0);
  BOOST_TEST(terminal_of(terminal).width == 100U);
  BOOST_TEST(terminal_of(terminal).height == 30U);
}

BOOST_AUTO_TEST_CASE(no_color_takes_the_colour_alone) {
  environment.set("NO_COLOR", "1");
  BOOST_TEST(!terminal_of(terminal).color);
  BOOST_TEST(terminal_of(terminal).live);
  set_color_choice("always");
  BOOST_TEST(terminal_of(terminal).color);
}

BOOST_AUTO_TEST_CASE(clicolor_asks_for_colour_or_against_it) {
  const int file = open("/dev/null", O_WRONLY);
  environment.set("CLICOLOR_FORCE", "1");
  BOOST_TEST(terminal_of(file).color);
  environment.set("CLICOLOR_FORCE", "0");
  BOOST_TEST(!terminal_of(file).color);
  BOOST_TEST(terminal_of(terminal).color);
  environment.set("CLICOLOR", "0");
  BOOST_TEST(!terminal_of(terminal).color);
  environment.set("CLICOLOR_FORCE", "1");
  BOOST_TEST(terminal_of(terminal).color);
  environment.set("NO_COLOR", "1");
  BOOST_TEST(!terminal_of(terminal).color);
  close(file);
}

BOOST_AUTO_TEST_CASE(unicode_is_for_terminals_with_a_locale_that_has_it) {
  BOOST_TEST(terminal_of(terminal).unicode);
  environment.set("LC_CTYPE", "C");
  BOOST_TEST(!terminal_of(terminal).unicode);
  environment.set("LC_ALL", "C.utf8");
  BOOST_TEST(terminal_of(terminal).unicode);
  environment.set("TERM", "dumb");
  BOOST_TEST(!terminal_of(terminal).unicode);
  const int file = open("/dev/null", O_WRONLY);
  BOOST_TEST(!terminal_of(file).unicode);
  close(file);
}

BOOST_AUTO_TEST_CASE(a_dumb_terminal_has_neither) {
  environment.set("TERM", "dumb");
  BOOST_TEST(terminal_of(terminal).is_terminal);
  BOOST_TEST(!terminal_of(terminal).color);
  BOOST_TEST(!terminal_of(terminal).live);
}

BOOST_AUTO_TEST_CASE(never_takes_the_colour_alone) {
  set_color_choice("never");
  BOOST_TEST(!terminal_of(terminal).color);
  BOOST_TEST(terminal_of(terminal).live);
}

BOOST_AUTO_TEST_CASE(a_file_has_neither_unless_colour_is_asked_for) {
  const int file = open("/dev/null", O_WRONLY);
  BOOST_TEST(!terminal_of(file).color);
  set_color_choice("always");
  BOOST_TEST(terminal_of(file).color);
  BOOST_TEST(!terminal_of(file).live);
  close(file);
}

BOOST_AUTO_TEST_SUITE_END()
