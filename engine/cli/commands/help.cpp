
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/help/help_topics.h"
#include "engine/cli/terminal/terminal.h"
#include "engine/text/diagnostic.h"

namespace sweep {
namespace {

/// Longer lines are hard to read.
constexpr std::size_t widest_page = 100;

/// What there is help on.
std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  for (const HelpTopic& topic : help_topics()) names.emplace_back(topic.name);
  return names;
}

void print_topic(const std::string& name) {
  const std::optional<HelpTopic> topic = find_help_topic(name);
  if (!topic) {
    const std::vector<std::string> names = known_names();
    throw UsageError(fmt::format("there is no help on '{}'; {}", name,
                                 suggest(name, names, "there is help on")));
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  std::cout << render_help_topic(*topic, std::min(terminal.width, widest_page), terminal.color);
}

}  // namespace

void print_help() {
  std::cout << "Usage: sweep COMMAND [OPTIONS] ...\n\n"
               "Measures how CUDA kernels touch memory: runs access patterns over ranges of\n"
               "parameters and writes tables of how fast each configuration is.\n\nCommands:\n";
  for (const Command& command : commands()) {
    std::cout << fmt::format("  {:<18}  {}\n", command.name, command.summary);
  }
  std::cout << "\nTopics of 'sweep help':\n";
  for (const HelpTopic& topic : help_topics()) {
    std::cout << fmt::format("  {:<18}  {}\n", topic.name, topic.summary);
  }
  std::cout << "\n'sweep COMMAND --help' explains a command. First steps:\n"
               "  sweep list sweeps\n  sweep run sweeps/stride.yaml\n";
}

CommandLine help_line() {
  CommandLine line(
      "sweep help [OPTIONS] [COMMAND|TOPIC]",
      "Explains a command, as its --help does, or a topic: what patterns and sweeps\n"
      "say, how figures are measured, searched and compared. 'sweep help' lists them.");
  line.operands({fmt::format("{}", fmt::join(known_names(), "|"))});
  return line;
}

int help_command(const GivenOptions& given) {
  if (given.operands().empty()) {
    print_help();
    return exit_done;
  }
  const std::string& name = given.operands().front();
  for (const Command& command : commands()) {
    if (name == command.name) return execute(command, {"--help"});
  }
  print_topic(name);
  return exit_done;
}

}  // namespace sweep
