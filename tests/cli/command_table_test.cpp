#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/cli/commands.h"
#include "tests/cli/program.h"
#include "tests/contains.h"

using namespace sweep;

BOOST_AUTO_TEST_SUITE(command_table)

namespace {

/// Whether completion can know what the word is.
bool is_known(const Word& word) {
  return !word.choices.empty() || can_complete(word.placeholder);
}

OptionOfLine option_of(const CommandLine& line, const std::string& name) {
  for (const OptionOfLine& option : line.options) {
    if (option.name == name) return option;
  }
  BOOST_FAIL("no option " << name);
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_words_of_every_command_have_a_meaning) {
  for (const Command& command : commands()) {
    const CommandLine line = command.line();
    BOOST_TEST(line.synopsis.starts_with(std::string("sweep ") + command.name));
    for (const OptionOfLine& option : line.options) {
      BOOST_TEST_CONTEXT(command.name << " --" << option.name << " " << option.argument.placeholder)
      BOOST_TEST((option.argument.placeholder.empty() || is_known(option.argument)));
      BOOST_TEST(!option.help.empty());
    }
    for (const Word& word : line.operands_taken.words) {
      BOOST_TEST_CONTEXT(command.name << " " << word.placeholder)
      BOOST_TEST(is_known(word));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_described_option_is_what_the_parser_has) {
  const CommandLine line = run_command.line();
  const OptionOfLine output = option_of(line, "output");
  BOOST_TEST(output.short_name == "o");
  BOOST_TEST(output.argument.placeholder == "DIR");
  BOOST_TEST(output.argument.choices.empty());
  BOOST_TEST(output.default_value == "results");
  BOOST_TEST(!output.may_repeat);
  const OptionOfLine fresh = option_of(line, "fresh");
  BOOST_TEST(fresh.argument.placeholder.empty());
  BOOST_TEST(fresh.short_name.empty());
  BOOST_TEST(option_of(line, "set").may_repeat);
  const std::vector<std::string> on_or_off = {"on", "off"};
  BOOST_TEST(option_of(line, "l1").argument.choices == on_or_off);
  BOOST_TEST(option_of(line, "color").argument.choices.size() == 3U);
}

BOOST_AUTO_TEST_CASE(operands_are_described_in_order) {
  const CommandLine show = show_command.line();
  BOOST_TEST_REQUIRE(show.operands_taken.words.size() == 2U);
  BOOST_TEST(show.operands_taken.words[0].choices.front() == "pattern");
  BOOST_TEST(show.operands_taken.words[1].placeholder == "NAME");
  BOOST_TEST(check_command.line().operands_taken.any_number);
  BOOST_TEST(devices_command.line().operands_taken.words.empty());
}

BOOST_AUTO_TEST_CASE(every_command_prints_its_help) {
  const std::string help = run_program({"--help"}).out;
  for (const Command& command : commands()) {
    BOOST_TEST_CONTEXT(command.name) {
      BOOST_TEST(contains(help, std::string("  ") + command.name + " "));
      const Outcome outcome = run_program({command.name, "--help"});
      BOOST_TEST(outcome.code == 0);
      BOOST_TEST(outcome.out.starts_with("Usage: " + command.line().synopsis + "\n"));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
