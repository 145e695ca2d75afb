#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "engine/cli/commands.h"
#include "engine/search/strategy.h"
#include "tests/cli/program.h"
#include "tests/contains.h"
#include "tests/temporary_folder.h"

using namespace sweep;
namespace data = boost::unit_test::data;

BOOST_AUTO_TEST_SUITE(help)

namespace {

std::vector<std::string> topic_names() {
  std::vector<std::string> names;
  for (const HelpTopic& topic : help_topics()) names.emplace_back(topic.name);
  return names;
}

std::string rendered(const std::string& text, std::size_t width, bool color = false) {
  const HelpTopic topic{"name", "summary", text};
  const std::string page = render_help_topic(topic, width, color);
  return page.substr(page.find('\n') + 1);
}

std::size_t columns(const std::string& line) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins));
}

/// The keys that the program names where it meets one it does not know.
std::set<std::string> keys_in_messages(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  const Outcome check = run_program({"check", folder.write(name, text).string()});
  BOOST_TEST(check.code == 65);
  std::set<std::string> keys;
  const std::regex list("the keys are: (.*)\n");
  for (std::sregex_iterator at(check.err.begin(), check.err.end(), list), end; at != end; ++at) {
    std::istringstream words((*at)[1]);
    for (std::string word; words >> word;) keys.insert(word.substr(0, word.find(',')));
  }
  return keys;
}

bool names_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

std::string text_of(const char* name) {
  const HelpTopic* topic = find_help_topic(name);
  BOOST_TEST_REQUIRE((topic != nullptr));
  return std::string(topic->text);
}

struct Rendering {
  const char* text;
  const char* expected;
};

const std::vector<Rendering> renderings = {
    {"a paragraph whose\nlines are joined", "a paragraph whose\nlines are joined\n"},
    {"one\n\ntwo", "one\n\ntwo\n"},
    {"# Heading\n\ntext", "HEADING\n\ntext\n"},
    {"- an item that is longer\n- next", "- an item that is\n  longer\n- next\n"},
    {"a :: first\nlong :: second one is wide",
     "  a     first\n  long  second one\n        is wide\n"},
    {"a very long term indeed :: text", "  a very long term indeed\n      text\n"},
    {"see:\n\n    code   that is not wrapped at all\n\n      more\n\nend",
     "see:\n\n  code   that is not wrapped at all\n\n    more\n\nend\n"},
    {"written `in one piece` so", "written\n`in one piece` so\n"},
    {"a figure such as 5 % of it", "a figure such as\n5 % of it\n"},
    {"aaaaaaaa bbbb BLOCK = 4, x", "aaaaaaaa bbbb\nBLOCK = 4, x\n"},
    {"unbreakablylongwordhere x", "unbreakablylongwordhere\nx\n"},
};

std::ostream& operator<<(std::ostream& out, const Rendering& rendering) {
  return out << rendering.text;
}

constexpr const char* sweep_of_unknown_keys = R"(
pattern: stride
zzzzz: 1
axes: {STRIDE: {from: 1, to: 2, zzzzz: 3}}
measure: {zzzzz: 1}
emulator: {zzzzz: 1}
tune: {zzzzz: 1, budget: {zzzzz: 1, no_better: {zzzzz: 1}}}
expect: [{zzzzz: 1}]
report: {zzzzz: 1, tables: [{zzzzz: 1}]}
)";

constexpr const char* pattern_of_unknown_keys = R"(/* pattern:
zzzzz: 1
parameters: {T: {zzzzz: 1}}
buffers: {a: {zzzzz: 1}}
arguments: {b: {zzzzz: 1}}
launch: {zzzzz: 1}
useful: {zzzzz: 1}
*/
__global__ void unknown(int* a, int b) {}
)";

}  // namespace

BOOST_DATA_TEST_CASE(texts_are_laid_out, data::make(renderings), rendering) {
  constexpr std::size_t narrow = 18;
  BOOST_TEST(rendered(std::string("\n") + rendering.text, narrow) ==
             std::string("\n") + rendering.expected);
}

BOOST_AUTO_TEST_CASE(colour_makes_words_bold_and_takes_no_room) {
  BOOST_TEST(rendered("\nrun `sweep run` twice", 80, true) ==
             "\nrun \x1b[1msweep run\x1b[0m twice\n");
  BOOST_TEST(rendered("\n123456 `89` 12 4", 12, true) == "\n123456 \x1b[1m89\x1b[0m 12\n4\n");
}

BOOST_AUTO_TEST_CASE(every_topic_is_listed_and_printed) {
  const std::string list = run_program({"help"}).out;
  BOOST_TEST(list == run_program({"--help"}).out);
  for (const HelpTopic& topic : help_topics()) {
    BOOST_TEST_CONTEXT(topic.name) {
      const std::string line = "  " + std::string(topic.name);
      BOOST_TEST(contains(list, "\n" + line));
      const Outcome outcome = run_program({"help", std::string(topic.name)});
      BOOST_TEST(outcome.code == 0);
      BOOST_TEST(outcome.err.empty());
      BOOST_TEST(outcome.out == render_help_topic(topic, 80, false));
    }
  }
}

BOOST_DATA_TEST_CASE(topics_fit_into_80_columns, data::make(topic_names()), name) {
  std::istringstream lines(render_help_topic(*find_help_topic(name), 80, false));
  for (std::string line; std::getline(lines, line);) {
    BOOST_TEST(columns(line) <= 80U, line);
    BOOST_TEST(!line.ends_with(' '), line);
  }
}

BOOST_AUTO_TEST_CASE(the_list_fits_into_80_columns) {
  std::istringstream lines(run_program({"help"}).out);
  for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 80U, line);
}

BOOST_AUTO_TEST_CASE(no_topic_is_hidden_by_a_command) {
  for (const Command& command : commands()) {
    BOOST_TEST((find_help_topic(command.name) == nullptr), command.name);
  }
}

BOOST_AUTO_TEST_CASE(help_on_a_command_is_its_own_help) {
  for (const Command& command : commands()) {
    BOOST_TEST(run_program({"help", command.name}).out ==
               run_program({command.name, "--help"}).out);
  }
}

BOOST_AUTO_TEST_CASE(what_there_is_no_help_on_gets_a_suggestion) {
  const Outcome wrong = run_program({"help", "tunnig"});
  BOOST_TEST(wrong.code == 2);
  BOOST_TEST(wrong.err == "sweep: there is no help on 'tunnig'; did you mean 'tuning'?\n");
  BOOST_TEST(contains(run_program({"help", "nothing_like_it"}).err, "there is help on: run, "));
  BOOST_TEST(run_program({"help", "run", "check"}).code == 2);
}

BOOST_AUTO_TEST_CASE(every_key_of_a_pattern_is_explained) {
  const std::set<std::string> keys = keys_in_messages("unknown.cu", pattern_of_unknown_keys);
  BOOST_TEST(keys.size() >= 20U);
  const std::string text = text_of("pattern");
  for (const std::string& key : keys) BOOST_TEST(names_word(text, key), key);
}

BOOST_AUTO_TEST_CASE(every_key_of_a_sweep_is_explained) {
  const std::set<std::string> keys = keys_in_messages("unknown.yaml", sweep_of_unknown_keys);
  BOOST_TEST(keys.size() >= 30U);
  const std::string text = text_of("sweep") + text_of("tuning") + text_of("reports");
  for (const std::string& key : keys) BOOST_TEST(names_word(text, key), key);
}

BOOST_AUTO_TEST_CASE(every_strategy_is_explained) {
  const std::string text = text_of("tuning");
  for (const std::string& name : strategy_names()) {
    BOOST_TEST(contains(text, "\n" + name + " :: "), name);
  }
}

BOOST_AUTO_TEST_SUITE_END()
