#include "engine/cli/commands.h"

#include <array>

namespace sweep {
namespace {

constexpr std::array command_table = {
    Command{"run", "measure a sweep and write its tables", run_command, run_line},
    Command{"check", "find the mistakes in sweeps and patterns; needs no GPU", check_command,
            check_line},
    Command{"explain", "show what lines of a pattern cost in memory; needs no GPU", explain_command,
            explain_line},
    Command{"list", "list patterns, sweeps, metrics or runs", list_command, list_line},
    Command{"show", "describe a pattern, a sweep or a metric", show_command, show_line},
    Command{"report", "make a report again from a results database", report_command, report_line},
    Command{"export", "write the best configurations as a header, a sweep or JSON", export_command,
            export_line},
    Command{"compare", "tell what got slower or faster between two runs", compare_command,
            compare_line},
    Command{"compare-strategies", "let the strategies search recorded results; needs no GPU",
            compare_strategies_command, compare_strategies_line},
    Command{"devices", "list what a sweep can run on: the GPUs and the emulator", devices_command,
            devices_line},
    Command{"cache", "show or clear the cache of compiled programs", cache_command, cache_line},
    Command{"new", "write a commented pattern or sweep to start from", new_command, new_line},
    Command{"schema", "write the JSON Schema of sweeps or patterns, for editors", schema_command,
            schema_line},
    Command{"completion", "write the script by which bash, zsh or fish complete",
            completion_command, completion_line},
    Command{"man", "write the manual page", manual_command, manual_line},
    Command{"help", "explain a command or a topic", help_command, help_line},
};

}  // namespace

std::span<const Command> commands() {
  return command_table;
}

}  // namespace sweep
