#include "engine/cli/commands.h"

#include <array>

namespace sweep {
namespace {

constexpr std::array command_table = {
    Command{"run", "measure a sweep and write its tables", run_line, run_command, tell_run_error},
    Command{"check", "find the mistakes in sweeps and patterns; needs no GPU", check_line,
            check_command},
    Command{"explain", "show what lines of a pattern cost in memory; needs no GPU", explain_line,
            explain_command},
    Command{"list", "list patterns, sweeps, metrics or runs", list_line, list_command},
    Command{"show", "describe a pattern, a sweep or a metric", show_line, show_command},
    Command{"report", "make a report again from a results database", report_line, report_command},
    Command{"export", "write the best configurations as a header, a sweep or JSON", export_line,
            export_command},
    Command{"compare", "tell what got slower or faster between two runs", compare_line,
            compare_command},
    Command{"compare-strategies", "let the strategies search recorded results; needs no GPU",
            compare_strategies_line, compare_strategies_command},
    Command{"devices", "list what a sweep can run on: the GPUs and the emulator", devices_line,
            devices_command},
    Command{"cache", "show or clear the cache of compiled programs", cache_line, cache_command},
    Command{"new", "write a commented pattern or sweep to start from", new_line, new_command},
    Command{"schema", "write the JSON Schema of sweeps or patterns, for editors", schema_line,
            schema_command},
    Command{"completion", "write the script by which bash, zsh or fish complete", completion_line,
            completion_command},
    Command{"man", "write the manual page", manual_line, manual_command},
    Command{"help", "explain a command or a topic", help_line, help_command},
};

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

int execute(const Command& command, const Arguments& arguments) {
  try {
    const auto given = command.line().parse(arguments);
    return given ? command.run(*given) : exit_done;
  } catch (const std::exception& error) {
    if (command.on_error != nullptr) command.on_error(arguments, error);
    throw;
  }
}

}  // namespace sweep
